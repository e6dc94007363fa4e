package resend

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

func TestSend_Shapes(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.noEvents = true
	s, _ := f.open(nil)
	for ref, tt := range map[string]struct {
		change func(out *gateway.Outbound)
		want   map[string]any
	}{
		"msg_1": {func(*gateway.Outbound) {}, map[string]any{
			"from": `"École \"du\" Fleuve" <bonjour@example.com>`, "subject": "Été à Ségou", "text": "Bonjour baobab", "html": "<p>Bonjour baobab</p>",
		}},
		"msg_2": {func(out *gateway.Outbound) { out.DisplayName, out.HTML, out.Subject = "", "", "S" }, map[string]any{
			"from": "bonjour@example.com", "subject": "S", "text": "Bonjour baobab",
		}},
		"msg_3": {func(out *gateway.Outbound) { out.DisplayName, out.Text = "A\r\nBcc: x", "" }, map[string]any{
			"from": `"A Bcc: x" <bonjour@example.com>`, "subject": "Été à Ségou", "html": "<p>Bonjour baobab</p>",
		}},
	} {
		out := newMessage()
		tt.change(out)
		out.Ref = ref
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		tt.want["to"], tt.want["tags"] = []any{aissata}, []any{map[string]any{"name": "griot_message", "value": ref}}
		if diff := cmp.Diff(tt.want, f.last); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestSend_InvalidMessages(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s, env := f.open(nil)
	for want, change := range map[string]func(out *gateway.Outbound){
		"unreachable recipient_invalid":  func(out *gateway.Outbound) { out.To = "A <a@example.org>" },
		"unreachable recipient_invalid ": func(out *gateway.Outbound) { out.To = "22370000011" },
		"permanent sender_invalid":       func(out *gateway.Outbound) { out.From = "" },
		"permanent message_empty":        func(out *gateway.Outbound) { out.Text, out.HTML = "", "" },
		"permanent reference_invalid":    func(out *gateway.Outbound) { out.Ref = "" },
		"permanent reference_invalid ":   func(out *gateway.Outbound) { out.Ref = "é" },
		"permanent media_unsupported":    func(out *gateway.Outbound) { out.Media = &gateway.Media{} },
		"permanent expired":              func(out *gateway.Outbound) { out.ExpiresAt = env.Clock.Now() },
	} {
		out := newMessage()
		change(out)
		_, err := s.Send(t.Context(), out)
		wantFailure(t, err, strings.TrimSpace(want))
	}
	if f.calls != 0 {
		t.Error("a request was made")
	}
}

func TestSend_ListUnsubscribe(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.noEvents = true
	s, _ := f.open(map[string]any{"list_unsubscribe": "https://example.com/u/{ref}", "list_unsubscribe_post": true})
	for ref, sensitive := range map[string]bool{"msg_1": false, "msg_2": true} {
		out := newMessage()
		out.Ref, out.Sensitive = ref, sensitive
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		var want any = map[string]any{"List-Unsubscribe": "<https://example.com/u/" + ref + ">", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
		if sensitive {
			want = nil
		}
		if diff := cmp.Diff(want, f.last["headers"]); diff != "" {
			t.Errorf("sensitive %v: %s", sensitive, diff)
		}
	}
	s, _ = f.open(map[string]any{"list_unsubscribe": "stop@example.com"})
	out := newMessage()
	out.Ref = "msg_3"
	if _, err := s.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(map[string]any{"List-Unsubscribe": "<mailto:stop@example.com?subject=msg_3>"}), f.last["headers"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSend_Errors(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s, _ := f.open(nil)
	for mode, want := range map[string]string{
		"error 401 missing_api_key": "sender_down credentials_refused missing_api_key", "error 401 restricted_api_key": "sender_down credentials_refused restricted_api_key",
		"error 403 invalid_api_key": "sender_down credentials_refused invalid_api_key", "error 403 validation_error": "sender_down sender_refused validation_error",
		"error 429 rate_limit_exceeded": "rate_limited rate_limited rate_limit_exceeded", "error 429 daily_quota_exceeded": "rate_limited daily_quota_exceeded daily_quota_exceeded",
		"error 429 monthly_quota_exceeded":         "sender_down quota_exceeded monthly_quota_exceeded",
		"error 409 concurrent_idempotent_requests": "unknown in_progress concurrent_idempotent_requests", "error 409 invalid_idempotent_request": "unknown reference_reused invalid_idempotent_request",
		"error 500 application_error": "unknown provider_error application_error", "error 500 internal_server_error": "unknown provider_error internal_server_error",
		"error 422 invalid_from_address": "permanent sender_invalid invalid_from_address", "error 400 invalid_idempotency_key": "permanent reference_invalid invalid_idempotency_key",
		"error 422 validation_error": "permanent message_refused validation_error", "error 422 missing_required_field": "permanent message_refused missing_required_field",
		"error 451 security_error": "permanent message_refused security_error", "refuse recipient": "unreachable recipient_refused validation_error",
		"error 400 <aissata@example.org>": "permanent message_refused HTTP 400",
		"status 401":                      "sender_down credentials_refused HTTP 401", "status 429": "rate_limited rate_limited HTTP 429", "status 409": "unknown in_progress HTTP 409",
		"status 301": "sender_down redirected HTTP 301", "status 500": "unknown provider_error HTTP 500", "status 503": "temporary provider_unavailable HTTP 503", "status 408": "unknown provider_error HTTP 408", "status 421": "temporary provider_unavailable HTTP 421", "status 413": "permanent message_refused HTTP 413",
	} {
		f.SetMode(mode)
		_, err := s.Send(t.Context(), newMessage())
		wantFailure(t, err, want)
		if e := gateway.AsError(err); strings.HasPrefix(want, "rate_limited") && e.RetryAfter == 0 {
			t.Errorf("%s: no RetryAfter", mode)
		}
	}
}

// After any outcome, the next attempt with the reference gets the first response, and nothing is delivered twice.
func TestSend_SameReference(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.noEvents = true
	s, _ := f.open(nil)
	hasty, _ := f.open(map[string]any{"send_timeout": 1})
	if i := s.Info(); !i.Deduplicates || i.DeduplicatesFor <= 0 || i.DeduplicatesFor >= 24*time.Hour {
		t.Errorf("%+v", i)
	}
	for n, mode := range []string{"garbled", peertest.Garbage, peertest.HangAfter, peertest.DropAfter} {
		out := newMessage()
		out.Ref = fmt.Sprint("msg_", n)
		f.SetMode(mode)
		first := s
		if mode == peertest.HangAfter {
			first = hasty
		}
		err := gatewaytest.SendWithin(t, first, out)
		wantFailure(t, err, "unknown "+map[bool]string{true: "answer_unreadable", false: "answer_lost"}[mode == "garbled"])
		f.SetMode(peertest.Accept)
		ack, err := s.Send(t.Context(), out)
		if got := f.Received(); err != nil || len(got) != n+1 || got[n].ProviderID != ack.ProviderID || got[n].Ref != out.Ref {
			t.Errorf("%s: %+v, %v, %+v", mode, ack, err, got)
		}
		out.Subject = "another"
		_, err = s.Send(t.Context(), out)
		wantFailure(t, err, "unknown reference_reused invalid_idempotent_request")
	}
}

func TestSend_WrongKey(t *testing.T) {
	t.Parallel()
	s, _ := newFake(t).open(map[string]any{"api_key": "re_wrong"})
	_, err := s.Send(t.Context(), newMessage())
	wantFailure(t, err, "sender_down credentials_refused invalid_api_key")
}

func TestClose_EndsSendsInFlight(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.noEvents = true
	s, _ := f.open(nil)
	wantFailure(t, gatewaytest.CloseDuringSend(t, s, f.Hang(peertest.HangAfter)(), newMessage()), "unknown answer_lost")
}
