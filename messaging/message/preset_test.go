package message_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/sms"
	"example.com/griot/messaging/message"
)

func presets(t *testing.T) message.Presets {
	t.Helper()
	p, err := message.LoadPresets()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// everything returns a value of realistic length for every variable of every preset.
func everything() map[string]string {
	return map[string]string{
		"code": "48291376", "app": "Boutique", "minutes": "15", "orderId": "CMD-204112", "name": "Aminata", "amount": "125 000 FCFA", "url": "https://b.example/c/2041",
		"carrier": "DHL", "trackingNumber": "JD0146000033", "window": "14h-16h", "driverPhone": "+22376000002", "date": "12/04/2026", "time": "14h30", "place": "Hamdallaye",
		"with": "Dr Keita", "reference": "PAY-88213",
	}
}

// gsm7 contains the characters that fit into seven bits (3GPP TS 23.038). An SMS segment has 160 of them.
const gsm7 = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"

// Rules: M27.
func TestPresets_AreSixAndOneSegmentEach(t *testing.T) {
	t.Parallel()
	want := []string{"appointment_reminder", "delivery_out", "order_confirmed", "order_shipped", "otp", "payment_received"}
	if got := slices.Sorted(maps.Keys(presets(t))); !slices.Equal(got, want) {
		t.Errorf("presets %v", got)
	}
	for name := range presets(t) {
		for _, locale := range []string{"fr", "en"} {
			vars := everything()
			vars["locale"] = locale
			r := &message.Request{To: "22376000001", Channel: gateway.SMS, Preset: name, Variables: vars}
			if err := presets(t).Apply(r); err != nil {
				t.Fatal(err)
			}
			text := r.Content.Text
			if n := utf8.RuneCountInString(text); n > 160 || strings.ContainsAny(text, "{}[]") || strings.Contains(text, "  ") {
				t.Errorf("%s %s: %d characters: %s", name, locale, n, text)
			}
			for _, c := range text {
				if !strings.ContainsRune(gsm7, c) {
					t.Errorf("%s %s: %q needs two bytes a character: %s", name, locale, c, text)
				}
			}
			if r.Sensitive != (name == "otp") || r.Content.Subject == "" || !strings.HasPrefix(r.Content.HTML, "<p>") {
				t.Errorf("%s: %+v", name, r)
			}
		}
	}
}

// With variables of 74 characters in total, each text fits in one segment. A URL can be longer than a segment.
// Rules: M27.
func TestPresets_LongVariablesMakeLongTexts(t *testing.T) {
	t.Parallel()
	for _, p := range presets(t).List() {
		for _, locale := range []string{"fr", "en"} {
			names := slices.Concat(p.Required, p.Optional)
			vars := map[string]string{"locale": locale}
			for _, name := range names {
				vars[name] = "x"
			}
			vars[names[0]] = strings.Repeat("x", 74-len(names)+1)
			r := &message.Request{To: "22376000001", Channel: gateway.SMS, Preset: p.Name, Variables: vars}
			if err := errors.Join(presets(t).Apply(r), r.Check()); err != nil {
				t.Fatalf("%s %s: %v", p.Name, locale, err)
			}
			if _, n, _ := sms.Measure(r.Content.Text); n != 1 {
				t.Errorf("%s %s: %d segments, want 1: %s", p.Name, locale, n, r.Content.Text)
			}
		}
	}
	url := func(n int) string { return "https://b.example/" + strings.Repeat("x", n-18) }
	for name, tc := range map[string]struct {
		channel  gateway.Channel
		url      string
		segments int
		field    string // of the error
	}{
		"an address of three segments": {gateway.SMS, url(400), 3, ""},
		"the longest address":          {gateway.WhatsApp, url(2048), 14, ""},
		"the longest by email":         {gateway.Email, url(2048), 14, ""},
		"an address that is too long":  {gateway.WhatsApp, url(2049), 0, "presetVariables.url"},
		"a text too long for SMS":      {gateway.SMS, url(1500), 0, "presetVariables"},
	} {
		to := "22376000001"
		if tc.channel == gateway.Email {
			to = "awa@example.com"
		}
		r := &message.Request{To: to, Channel: tc.channel, Preset: "order_confirmed", Variables: map[string]string{"orderId": "7", "url": tc.url}}
		err := presets(t).Apply(r)
		if err == nil {
			err = r.Check()
		}
		if e, ok := errors.AsType[*apierror.Error](err); tc.field != "" {
			if !ok || e.Kind != apierror.InvalidRequest || e.Field != tc.field {
				t.Errorf("%s: got %v, want invalid_request on %s", name, err, tc.field)
			}
			continue
		}
		if _, n, _ := sms.Measure(r.Content.Text); err != nil || n != tc.segments || !strings.Contains(r.Content.Text, tc.url) {
			t.Errorf("%s: got %d segments, %v, want %d", name, n, err, tc.segments)
		}
	}
}

func TestPresets_LeaveOutWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		preset, want string
		vars         map[string]string
	}{
		{"otp", "482913 est votre code de vérification. Ne le communiquez à personne.", map[string]string{"code": "482913"}},
		{"otp", "482913 is your Shop verification code. It expires in 5 min. Do not share it with anyone.", map[string]string{"code": "482913", "app": "Shop", "minutes": "5", "locale": "en"}},
		{"order_shipped", "Votre commande 7 a été expédiée par DHL.", map[string]string{"orderId": "7", "carrier": "DHL", "unknown": "x"}},
		{"order_shipped", "Your order 7 has shipped.", map[string]string{"orderId": "7", "locale": "en"}},
		{"order_confirmed", "Bonjour Awa, votre commande 7 est confirmée.", map[string]string{"orderId": "7", "name": "Awa"}},
		{"order_confirmed", "eBoutique : votre commande 7 est confirmée.", map[string]string{"orderId": "7", "app": "eBoutique"}}, // a name is spelled as it is
		{"delivery_out", "Votre commande élan est en cours de livraison.", map[string]string{"orderId": "élan"}},
		{"payment_received", "Votre paiement de 5 est bien enregistré.", map[string]string{"amount": "5"}},
		{"payment_received", "We received your payment of 5.", map[string]string{"amount": "5", "locale": "en"}},
		{"payment_received", "Awa Bah : Bonjour x, votre paiement de 5 est bien enregistré.", map[string]string{"amount": "\n5\x07 ", "app": "Awa Bah", "name": "x"}},
		{"order_confirmed", "Bonjour Awa Diallo, votre commande 7 est confirmée.", map[string]string{"orderId": "7\u200b", "name": "Awa\nDiallo"}},
		{"order_confirmed", "Bonjour Awa Diallo, votre commande A 7 est confirmée.", map[string]string{"orderId": "A\t\t7", "name": "Awa\r\n  Diallo\u2028"}},
	} {
		r := &message.Request{Preset: tc.preset, Variables: tc.vars}
		if err := presets(t).Apply(r); err != nil || r.Content.Text != tc.want {
			t.Errorf("got %q, %v; want %q", r.Content.Text, err, tc.want)
		}
	}
}

// For gateways with templates, the values of the text are kept, without missing ones and without others.
func TestPresets_KeepWhatTheyWereMadeOf(t *testing.T) {
	t.Parallel()
	r := &message.Request{To: "22376000001", Channel: gateway.WhatsApp, Preset: "order_shipped", Variables: map[string]string{"orderId": " 7\n", "carrier": "", "unknown": "x", "locale": "en"}}
	if err := errors.Join(presets(t).Apply(r), r.Check()); err != nil || r.Content.Preset != "order_shipped" || r.Content.Locale != "en" || r.Content.Code != "" || !maps.Equal(r.Content.Values, map[string]string{"orderId": "7"}) {
		t.Errorf("%v, %+v", err, r.Content)
	}
	r = &message.Request{To: "22376000001", Channel: message.Auto, Preset: "otp", Variables: map[string]string{"code": "0042"}}
	if err := errors.Join(presets(t).Apply(r), r.Check()); err != nil || r.Content.Code != "0042" || r.Content.Locale != "fr" || r.Content.Preset != "otp" {
		t.Errorf("%v, %+v", err, r.Content)
	}
	for _, r := range []*message.Request{{To: "22376000001", Channel: gateway.SMS}, {To: "a@example.com", Channel: gateway.Email}} {
		r.Preset, r.Variables = "order_shipped", map[string]string{"orderId": "7"}
		if err := errors.Join(presets(t).Apply(r), r.Check()); err != nil || r.Content.Preset != "" || r.Content.Values != nil || r.Content.Locale != "" {
			t.Errorf("%v, %+v", err, r.Content)
		}
	}
}

// Rules: M27.
func TestPresets_RefuseWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		preset string
		vars   map[string]string
		kind   *apierror.Kind
		field  string
	}{
		"unknown preset":     {"birthday", nil, apierror.InvalidPreset, "preset"},
		"nothing given":      {"otp", nil, apierror.MissingVariable, "presetVariables.code"},
		"only control signs": {"otp", map[string]string{"code": "\n\t"}, apierror.MissingVariable, "presetVariables.code"},
		"too long":           {"otp", map[string]string{"code": strings.Repeat("é", 121)}, apierror.InvalidRequest, "presetVariables.code"},
		"another language":   {"otp", map[string]string{"code": "1", "locale": "de"}, apierror.InvalidRequest, "presetVariables.locale"},
	} {
		err := presets(t).Apply(&message.Request{Preset: tc.preset, Variables: tc.vars})
		e, ok := errors.AsType[*apierror.Error](err)
		if !ok || e.Kind != tc.kind || e.Field != tc.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := &message.Request{Preset: "order_confirmed", Variables: map[string]string{"orderId": strings.Repeat("é", 120), "name": "<b>{{code}}[[x]]</b>"}}
	if err := presets(t).Apply(r); err != nil || strings.Contains(r.Content.HTML, "<b>") || !strings.Contains(r.Content.Text, "<b>{{code}}[[x]]</b>") {
		t.Errorf("%v, %+v", err, r.Content)
	}
}
