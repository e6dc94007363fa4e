package cloudapi

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

func wantFailure(t *testing.T, err error, want string) {
	t.Helper()
	gatewaytest.WantFailure(t, err, want, "baobab", aissata, token, secret)
}

// The body of each kind of message.
func TestSend_Shapes(t *testing.T) {
	t.Parallel()
	template := map[string]any{"name": "griot_code", "languages": map[string]any{"fr": "fr", "en": "en_US"}}
	code := func(language string) string {
		return `{"to":"+22370000011","type":"template","template":{"name":"griot_code","language":{"code":"` + language + `"},"components":[
 {"type":"body","parameters":[{"type":"text","text":"041235"}]},{"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"041235"}]}]}}`
	}
	plain := `{"to":"+22370000011","type":"text","text":{"body":"Bonjour baobab","preview_url":false}}`
	for name, tt := range map[string]struct {
		settings map[string]any
		change   func(out *gateway.Outbound)
		want     string
	}{
		"text":                   {nil, func(*gateway.Outbound) {}, plain},
		"code without template":  {nil, func(out *gateway.Outbound) { out.Code = "041235" }, plain},
		"code in French":         {map[string]any{"code_template": template}, func(out *gateway.Outbound) { out.Code, out.Locale = "041235", "fr" }, code("fr")},
		"code in English":        {map[string]any{"code_template": template}, func(out *gateway.Outbound) { out.Code, out.Locale = "041235", "en" }, code("en_US")},
		"code in no locale":      {map[string]any{"code_template": template}, func(out *gateway.Outbound) { out.Code = "041235" }, code("fr")},
		"text beside a template": {map[string]any{"code_template": template}, func(*gateway.Outbound) {}, plain},
		"in answer to one": {
			nil, func(out *gateway.Outbound) {
				out.ReplyTo = gateway.Quote{Quoted: gateway.Quoted{Ref: "msg_1", ProviderID: "wamid.1"}, Text: "?"}
			},
			`{"to":"+22370000011","type":"text","context":{"message_id":"wamid.1"},"text":{"body":"Bonjour baobab","preview_url":false}}`,
		},
		"in answer to one that Meta does not know": {nil, func(out *gateway.Outbound) { out.ReplyTo = gateway.Quote{Quoted: gateway.Quoted{Ref: "msg_1"}} }, plain},
		"group": {
			nil, func(out *gateway.Outbound) { out.GroupID = "Y2FwaV9ncm91cDox@g.us" },
			`{"recipient_type":"group","to":"Y2FwaV9ncm91cDox","type":"text","text":{"body":"Bonjour baobab","preview_url":false}}`,
		},
		"image by link": {nil, func(out *gateway.Outbound) {
			out.Media = &gateway.Media{URL: "https://example.com/a.png", MIMEType: "image/png"}
		}, `{"to":"+22370000011","type":"image","image":{"link":"https://example.com/a.png","caption":"Bonjour baobab"}}`},
		"image by bytes": {nil, func(out *gateway.Outbound) {
			out.Text, out.Media = "", &gateway.Media{URL: "https://example.com/a.png", Data: []byte("PNG"), MIMEType: "image/png"}
		}, `{"to":"+22370000011","type":"image","image":{"id":"4490709327384033"}}`},
		"video": {nil, func(out *gateway.Outbound) {
			out.Media = &gateway.Media{Data: []byte("MP4"), MIMEType: "video/mp4"}
		}, `{"to":"+22370000011","type":"video","video":{"id":"4490709327384033","caption":"Bonjour baobab"}}`},
		"audio": {nil, func(out *gateway.Outbound) {
			out.Text, out.Media = "", &gateway.Media{Data: []byte("OGG"), MIMEType: "audio/ogg; codecs=opus"}
		}, `{"to":"+22370000011","type":"audio","audio":{"id":"4490709327384033"}}`},
		"document": {nil, func(out *gateway.Outbound) {
			out.Media = &gateway.Media{Data: []byte("PDF"), MIMEType: "application/pdf", FileName: "reçu.pdf"}
		}, `{"to":"+22370000011","type":"document","document":{"id":"4490709327384033","caption":"Bonjour baobab","filename":"reçu.pdf"}}`},
		"image that is too large": {nil, func(out *gateway.Outbound) {
			out.Media = &gateway.Media{Data: make([]byte, maxImage+1), MIMEType: "image/png"}
		}, `{"to":"+22370000011","type":"document","document":{"id":"4490709327384033","caption":"Bonjour baobab"}}`},
		"address of something unknown": {nil, func(out *gateway.Outbound) {
			out.Media = &gateway.Media{URL: "https://example.com/a"}
		}, `{"to":"+22370000011","type":"document","document":{"link":"https://example.com/a","caption":"Bonjour baobab"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newFakeGraph(t)
			g.noStatuses = true
			s, _ := g.open(tt.settings)
			out := messageTo(aissata)
			tt.change(out)
			if _, err := s.Send(t.Context(), out); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"messaging_product": "whatsapp", "recipient_type": "individual", "biz_opaque_callback_data": out.Ref}
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, g.lastPost()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if out.Media != nil && len(out.Media.Data) > 0 {
				if up := g.uploads["4490709327384033"]; !strings.HasSuffix(up, " "+string(out.Media.Data)) {
					t.Errorf("uploaded %.40q", up)
				}
			}
		})
	}
}

func TestSend_UsesTheNumber(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	g.noStatuses = true
	s, _ := g.open(nil)
	out := messageTo(aissata)
	out.From = "22376000009"
	_, err := s.Send(t.Context(), out)
	wantFailure(t, err, "sender_down sender_unknown")
	if len(g.Received()) != 0 {
		t.Error("something was sent")
	}
}

func TestSend_InvalidMessages(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s, _ := g.open(map[string]any{"code_template": map[string]any{"name": "griot_code", "languages": map[string]any{"fr": "fr"}}})
	for want, change := range map[string]func(out *gateway.Outbound){
		"unreachable recipient_invalid": func(out *gateway.Outbound) { out.To = "awa@example.com" },
		"permanent message_empty":       func(out *gateway.Outbound) { out.Text = "" },
		"permanent message_too_long":    func(out *gateway.Outbound) { out.Text = strings.Repeat("é", 4097) },
		"permanent caption_unsupported": func(out *gateway.Outbound) {
			out.Media = &gateway.Media{Data: []byte("a"), MIMEType: "audio/mpeg"}
		},
		"permanent message_empty ": func(out *gateway.Outbound) { out.Media = &gateway.Media{MIMEType: "image/png"} },
		"permanent message_too_long ": func(out *gateway.Outbound) {
			out.Text, out.Media = strings.Repeat("é", 1025), &gateway.Media{Data: []byte("a"), MIMEType: "image/png"}
		},
		"permanent message_too_long  ": func(out *gateway.Outbound) { out.Code = strings.Repeat("1", 16) },
	} {
		out := messageTo(aissata)
		change(out)
		_, err := s.Send(t.Context(), out)
		wantFailure(t, err, strings.TrimSpace(want))
	}
	if len(g.Received())+len(g.uploads) != 0 {
		t.Error("a request was made")
	}
}

// Each code of docs/gateways/cloudapi.md.
func TestSend_Codes(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s, _ := g.open(nil)
	for mode, want := range map[string]string{
		"code 1": "temporary provider_unavailable 1", "code 2": "temporary provider_unavailable 2",
		"code 131000": "temporary provider_unavailable 131000", "code 131016": "temporary provider_unavailable 131016",
		"code 4": "rate_limited rate_limited 4", "code 80007": "rate_limited rate_limited 80007", "code 130429": "rate_limited rate_limited 130429",
		"code 131056": "rate_limited pair_rate_limited 131056", "code 131048": "rate_limited spam_rate_limited 131048",
		"code 0": "sender_down credentials_refused 0", "code 10": "sender_down credentials_refused 10", "code 190": "sender_down credentials_refused 190",
		"code 200": "sender_down credentials_refused 200", "code 299": "sender_down credentials_refused 299",
		"code 368": "sender_down account_restricted 368", "code 131031": "sender_down account_restricted 131031",
		"code 131042": "sender_down payment_required 131042", "code 133010": "sender_down sender_not_registered 133010",
		"code 131026": "unreachable recipient_unreachable 131026", "code 131030": "unreachable recipient_not_allowed 131030",
		"code 131050": "unreachable marketing_stopped 131050", "code 131060": "unreachable recipient_unreachable 131060",
		"code 131062": "permanent recipient_number_required 131062", "code 131063": "permanent marketing_disabled 131063",
		"code 131064": "rate_limited rate_limited 131064", "code 133016": "rate_limited rate_limited 133016",
		"code 147001": "permanent request_refused 147001", "code 147005": "permanent request_refused 147005",
		"code 131047": "permanent window_closed 131047", "code 131049": "permanent withheld_by_provider 131049", "code 130472": "permanent withheld_by_provider 130472",
		"code 132000": "permanent template_refused 132000", "code 132001": "permanent template_refused 132001", "code 132015": "permanent template_refused 132015",
		"code 100": "permanent request_refused 100", "code 131009": "permanent request_refused 131009", "code 131053": "permanent media_refused 131053",
		"code 17": "rate_limited rate_limited 17", "code 32": "rate_limited rate_limited 32", "code 613": "rate_limited rate_limited 613",
		"code 100/33": "sender_down sender_unknown 100/33", "code 100/2494010": "permanent request_refused 100",
		`text "131026"`: "unreachable recipient_unreachable 131026", `text "100"/"33"`: "sender_down sender_unknown 100/33", `text "soon"`: "permanent message_refused HTTP 400", "text null": "permanent message_refused HTTP 400",
		"code 99999": "permanent message_refused 99999",
		// Unknown codes with a status that says more.
		"code 99999 with 429": "rate_limited rate_limited 99999", "code 99999 with 503": "temporary provider_unavailable 99999", "code 99999 with 500": "temporary provider_unavailable 99999",
		"code 99999 with 401": "sender_down credentials_refused 99999", "code 99999 with 403": "permanent message_refused 99999", "code 99999 with 404": "permanent message_refused 99999",
		"code 131026 with 500": "unreachable recipient_unreachable 131026",
		// Responses that do not come from the API.
		"status 400": "permanent message_refused HTTP 400", "status 401": "sender_down credentials_refused HTTP 401", "status 429": "rate_limited rate_limited HTTP 429",
		"status 302": "sender_down redirected HTTP 302", "status 500": "unknown answer_unreadable HTTP 500", "status 502": "unknown answer_unreadable HTTP 502",
		"status 503": "temporary provider_unavailable HTTP 503", "status 504": "unknown answer_unreadable HTTP 504",
		"status 408": "unknown answer_unreadable HTTP 408", "status 421": "temporary provider_unavailable HTTP 421",
	} {
		g.SetMode(mode)
		_, err := s.Send(t.Context(), messageTo(aissata))
		wantFailure(t, err, want)
		if e := gateway.AsError(err); strings.HasPrefix(want, "rate_limited") && e.RetryAfter == 0 {
			t.Errorf("%s: no RetryAfter", mode)
		}
	}
	g.SetMode("status 429")
	if _, err := s.Send(t.Context(), messageTo(aissata)); gateway.AsError(err).RetryAfter != 9*time.Second {
		t.Errorf("Retry-After is ignored: %v", err)
	}
	g.SetMode("code 99999 with 429")
	if _, err := s.Send(t.Context(), messageTo(aissata)); gateway.AsError(err).RetryAfter == 0 {
		t.Errorf("no RetryAfter with an unknown code: %v", err)
	}
}

func TestSend_UnreadableAnswers(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	g.noStatuses = true
	s, _ := g.open(nil)
	g.SetMode("garbled")
	_, err := s.Send(t.Context(), messageTo(aissata))
	wantFailure(t, err, "unknown answer_unreadable")
	g.SetMode(peertest.Garbage)
	_, err = s.Send(t.Context(), messageTo(aissata))
	wantFailure(t, err, "unknown answer_lost")
	if n := len(g.Received()); n != 2 {
		t.Errorf("%d messages were accepted, want 2 without repetitions", n)
	}
}

// A slow peer ends a Send after the timeout of the settings.
func TestSend_SlowPeer(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	g.noStatuses = true
	s, _ := g.open(map[string]any{"send_timeout": 1})
	hang := g.Hang(peertest.HangAfter)()
	wantFailure(t, gatewaytest.SendWithin(t, s, messageTo(aissata)), "unknown answer_lost")
	hang.Release()
	if n := len(g.Received()); n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestSend_WrongToken(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s, _ := g.open(map[string]any{"access_token": "wrong"})
	_, err := s.Send(t.Context(), messageTo(aissata))
	wantFailure(t, err, "sender_down credentials_refused 190")
}

// Close ends a Send that waits for the response. Its outcome is unknown.
func TestClose_EndsSendsInFlight(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	g.noStatuses = true
	s, _ := g.open(nil)
	wantFailure(t, gatewaytest.CloseDuringSend(t, s, g.Hang(peertest.HangAfter)(), messageTo(aissata)), "unknown answer_lost")
}

func TestGroups(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	s, _ := g.open(nil)
	got, err := s.Groups(t.Context(), "+"+ourNumber)
	want := []gateway.Group{
		{ID: "Y2FwaV9ncm91cDox@g.us", Name: "Équipe", Participants: 4, IsAdmin: true},
		{ID: "Y2FwaV9ncm91cDoy@g.us", Name: "Clients", IsAdmin: true},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	_, err = s.Groups(t.Context(), "22376000009")
	wantFailure(t, err, "sender_down sender_unknown")
	g.SetMode("refuse login")
	_, err = s.Groups(t.Context(), ourNumber)
	wantFailure(t, err, "sender_down credentials_refused 190")
}

func TestSend_AckHasTheRecipientsID(t *testing.T) {
	t.Parallel()
	g := newFakeGraph(t)
	g.noStatuses, g.whatsAppID = true, "551187654321"
	s, _ := g.open(nil)
	ack, err := s.Send(t.Context(), messageTo("5511987654321"))
	if err != nil || ack.Recipient != g.whatsAppID {
		t.Errorf("%+v, %v, want the recipient %s", ack, err, g.whatsAppID)
	}
}
