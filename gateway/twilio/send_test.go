package twilio

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"Boutique": true, "A&B +1_x-y": true, "Awa.ml": false, "Awa!": false, "TwelveLetter": false, "12345": false, "Été": false} {
		if problem := (*sender)(nil).CheckName(name); (problem == "") != want {
			t.Errorf("%q: %q, want a name: %v", name, problem, want)
		}
	}
}

func TestSend_Forms(t *testing.T) {
	t.Parallel()
	const callback = public + "/status/msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ"
	for name, tt := range map[string]struct {
		settings map[string]any
		change   func(out *gateway.Outbound, now time.Time)
		want     map[string][]string
	}{
		"plain": {nil, func(*gateway.Outbound, time.Time) {}, map[string][]string{
			"To": {"+" + aissata}, "From": {"+" + ourNumber}, "Body": {"Bonjour baobab"}, "StatusCallback": {callback},
		}},
		"a name, a service, no webhooks": {
			map[string]any{"messaging_service_sid": "MG0123456789abcdef0123456789abcdef", "webhook_url": ""},
			func(out *gateway.Outbound, _ time.Time) { out.From = "Boutique" },
			map[string][]string{"To": {"+" + aissata}, "From": {"Boutique"}, "Body": {"Bonjour baobab"}, "MessagingServiceSid": {"MG0123456789abcdef0123456789abcdef"}},
		},
		"an hour": {nil, func(out *gateway.Outbound, now time.Time) { out.ExpiresAt = now.Add(time.Hour) }, map[string][]string{
			"To": {"+" + aissata}, "From": {"+" + ourNumber}, "Body": {"Bonjour baobab"}, "StatusCallback": {callback}, "ValidityPeriod": {"3600"},
		}},
		"a day": {nil, func(out *gateway.Outbound, now time.Time) { out.ExpiresAt = now.Add(24 * time.Hour) }, map[string][]string{
			"To": {"+" + aissata}, "From": {"+" + ourNumber}, "Body": {"Bonjour baobab"}, "StatusCallback": {callback},
		}},
		"sensitive": {nil, func(out *gateway.Outbound, now time.Time) { out.Sensitive, out.ExpiresAt = true, now.Add(time.Hour) }, map[string][]string{
			"To": {"+" + aissata}, "From": {"+" + ourNumber}, "Body": {"Bonjour baobab"}, "StatusCallback": {callback}, "ValidityPeriod": {"300"},
		}},
		"sensitive with less left": {nil, func(out *gateway.Outbound, now time.Time) {
			out.Sensitive, out.ExpiresAt = true, now.Add(90*time.Second+time.Millisecond)
		}, map[string][]string{
			"To": {"+" + aissata}, "From": {"+" + ourNumber}, "Body": {"Bonjour baobab"}, "StatusCallback": {callback}, "ValidityPeriod": {"90"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.noCallbacks = true
			s, env := f.open(tt.settings)
			out := message()
			tt.change(out, env.Clock.Now())
			if _, err := s.Send(t.Context(), out); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, map[string][]string(f.lastForm())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s.Info().Receipts != (tt.want["StatusCallback"] != nil) || s.Info().Deduplicates {
				t.Errorf("%+v", s.Info())
			}
		})
	}
}

func TestSend_Transliterates(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.noCallbacks = true
	s, _ := f.open(map[string]any{"transliterate": true})
	for text, want := range map[string]string{"ça — l’été": "ca - l'été", "ça 🌍": "ça 🌍", strings.Repeat("œ", 801): ""} {
		out := message()
		out.Text = text
		_, err := s.Send(t.Context(), out)
		if want == "" { // too long without transliteration
			wantFailure(t, err, "permanent message_too_long")
			continue
		}
		if err != nil || f.lastForm().Get("Body") != want || !s.Info().Transliterates {
			t.Errorf("%q is sent as %q, %v", text, f.lastForm().Get("Body"), err)
		}
	}
	if plain, _ := f.open(nil); plain.Info().Transliterates {
		t.Error("transliterated without the setting")
	}
}

func TestSend_InvalidMessages(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s, env := f.open(nil)
	for want, change := range map[string]func(out *gateway.Outbound){
		"unreachable recipient_invalid": func(out *gateway.Outbound) { out.To = "76" },
		"permanent message_empty":       func(out *gateway.Outbound) { out.Text = "" },
		"permanent message_too_long":    func(out *gateway.Outbound) { out.Text = strings.Repeat("é", 1601) },
		"permanent media_unsupported":   func(out *gateway.Outbound) { out.Media = &gateway.Media{URL: "https://example.com/a"} },
		"permanent expired":             func(out *gateway.Outbound) { out.ExpiresAt = env.Clock.Now().Add(999 * time.Millisecond) },
	} {
		out := message()
		change(out)
		_, err := s.Send(t.Context(), out)
		wantFailure(t, err, want)
	}
	if len(f.Received()) != 0 {
		t.Error("a request was made")
	}
}

func TestSend_Codes(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s, _ := f.open(nil)
	for mode, want := range map[string]string{
		"code 20003": "sender_down credentials_refused 20003", "code 20005": "sender_down account_restricted 20005",
		"code 20429": "rate_limited rate_limited 20429", "code 21611": "rate_limited rate_limited 21611", "code 20503": "temporary provider_unavailable 20503",
		"code 21211": "unreachable recipient_refused 21211", "code 21614": "unreachable recipient_refused 21614", "code 21635": "unreachable recipient_refused 21635",
		"code 21408": "unreachable recipient_not_allowed 21408", "code 21608": "unreachable recipient_not_allowed 21608", "code 21610": "unreachable recipient_opted_out 21610",
		"code 21606": "sender_down sender_refused 21606", "code 21660": "sender_down sender_refused 21660", "code 30034": "sender_down sender_not_registered 30034",
		"code 21617": "permanent message_too_long 21617", "code 21609": "permanent callback_refused 21609", "code 99999": "permanent message_refused 99999",
		"status 400": "permanent message_refused HTTP 400", "status 401": "sender_down credentials_refused HTTP 401", "status 404": "sender_down credentials_refused HTTP 404",
		"status 429": "rate_limited rate_limited HTTP 429", "status 307": "sender_down redirected HTTP 307", "status 500": "unknown answer_unreadable HTTP 500",
		"status 502": "unknown answer_unreadable HTTP 502", "status 503": "temporary provider_unavailable HTTP 503", "status 408": "unknown answer_unreadable HTTP 408", "status 421": "temporary provider_unavailable HTTP 421",
	} {
		f.SetMode(mode)
		_, err := s.Send(t.Context(), message())
		wantFailure(t, err, want)
		if e := gateway.AsError(err); strings.HasPrefix(want, "rate_limited") && e.RetryAfter == 0 {
			t.Errorf("%s: no RetryAfter", mode)
		}
	}
}

func TestSend_UnreadableAnswers(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.noCallbacks = true
	patient, _ := f.open(nil)
	hasty, _ := f.open(map[string]any{"send_timeout": 1})
	for mode, want := range map[string]string{
		"garbled": "unknown answer_unreadable", peertest.Garbage: "unknown answer_lost", peertest.HangAfter: "unknown answer_lost", "failed at once": "permanent message_filtered 30007",
	} {
		before, s := len(f.Received()), patient
		if mode == peertest.HangAfter {
			s = hasty
		}
		f.SetMode(mode)
		wantFailure(t, gatewaytest.SendWithin(t, s, message()), want)
		if n := len(f.Received()) - before; n != 1 {
			t.Errorf("%s: %d messages, want 1", mode, n)
		}
	}
	f.SetMode(peertest.Accept)
}

func TestSend_WrongToken(t *testing.T) {
	t.Parallel()
	s, _ := newFake(t).open(map[string]any{"auth_token": "wrong"})
	_, err := s.Send(t.Context(), message())
	wantFailure(t, err, "sender_down credentials_refused 20003")
}

func TestClose_EndsSendsInFlight(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.noCallbacks = true
	s, _ := f.open(nil)
	wantFailure(t, gatewaytest.CloseDuringSend(t, s, f.Hang(peertest.HangAfter)(), message()), "unknown answer_lost")
}
