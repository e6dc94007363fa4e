package smsgate

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/providertest"
)

func TestSend_Requests(t *testing.T) {
	t.Parallel()
	no := false
	for _, tt := range []struct {
		more      map[string]any
		remaining time.Duration
		from      string
		want      string
	}{
		{nil, 0, ourNumber, `{"id":"msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ","phoneNumbers":["+22370000001"],"textMessage":{"text":"Ça va ?"},"withDeliveryReport":true}`},
		{map[string]any{"delivery_reports": no, "device_id": "ffff"}, 5*time.Minute - time.Millisecond, ourNumber, `{"id":"msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ","phoneNumbers":["+22370000001"],"textMessage":{"text":"Ça va ?"},"ttl":300,"withDeliveryReport":false,"deviceId":"ffff"}`},
		{
			map[string]any{"sims": []any{map[string]any{"number": "+22376543210", "slot": 1}, map[string]any{"number": "22376543211", "slot": 2}}},
			time.Second, "22376543211",
			`{"id":"msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ","phoneNumbers":["+22370000001"],"textMessage":{"text":"Ça va ?"},"ttl":5,"withDeliveryReport":true,"simNumber":2}`,
		},
	} {
		s, f, _ := opened(t, tt.more)
		out := message()
		out.From = tt.from
		if tt.remaining > 0 {
			out.ExpiresAt = f.clock.Now().Add(tt.remaining)
		}
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(f.taken[0])
		if err != nil || string(got) != tt.want {
			t.Errorf("sent %s, %v\nwant %s", got, err, tt.want)
		}
	}
}

func TestSend_Transliterates(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, map[string]any{"transliterate": true})
	out := message()
	out.Text = "ça — l’été"
	if _, err := s.Send(t.Context(), out); err != nil || f.taken[0].TextMessage.Text != "ca - l'été" || !s.Info().Transliterates {
		t.Errorf("%v, %+v", err, s.Info())
	}
	if plain, _, _ := opened(t, nil); plain.Info().Transliterates {
		t.Error("transliterated without the setting")
	}
}

func TestSend_InvalidMessages(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, nil)
	for want, change := range map[string]func(*gateway.Outbound){
		"permanent sender_unknown":    func(o *gateway.Outbound) { o.From = "22376543219" },
		"permanent reference_invalid": func(o *gateway.Outbound) { o.Ref = "msg_0123456789012345678901234567890123" },
		"permanent message_empty":     func(o *gateway.Outbound) { o.Text = "" },
		"permanent media_unsupported": func(o *gateway.Outbound) { o.Media = &gateway.Media{} },
	} {
		out := message()
		change(out)
		_, err := s.Send(t.Context(), out)
		gatewaytest.WantFailure(t, err, want)
	}
	if len(f.received()) != 0 {
		t.Error("something was sent")
	}
}

// The table of docs/gateways/smsgate.md.
func TestSend_Answers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status int
		body   string
		want   string
	}{
		{202, `{"id":"msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ","state":"Pending"}`, ""},
		{200, `{"id":"msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ"}`, ""},
		{409, `{"message":"exists"}`, ""},
		{409, `<html>conflict</html>`, "sender_down gateway_misconfigured 409"},
		{202, `{"id":"another"}`, "unknown answer_invalid 202"},
		{200, `<html>welcome to the router</html>`, "unknown answer_invalid 200"},
		{202, ``, "unknown answer_invalid 202"},
		{400, `{"message":"message already expired"}`, "permanent expired 400"},
		{400, `{"message":"Invalid device ID"}`, "sender_down device_unknown 400"},
		{400, `{"message":"invalid phone number"}`, "unreachable recipient_refused 400"},
		{400, `{"message":"Text message is empty"}`, "permanent message_refused 400"},
		{400, `bad request`, "sender_down gateway_misconfigured 400"},
		{401, ``, "sender_down credentials_refused 401"},
		{403, `{"message":"Forbidden"}`, "sender_down credentials_refused 403"},
		{404, ``, "sender_down gateway_misconfigured 404"},
		{301, ``, "sender_down gateway_misconfigured 301"},
		{413, ``, "permanent message_refused 413"},
		{429, ``, "rate_limited rate_limited 429"},
		{500, `{"message":"boom"}`, "unknown answer_invalid 500"},
		{502, ``, "unknown answer_invalid 502"},
		{503, `{"message":"queue limits exceeded"}`, "temporary queue_full 503"},
		{503, `<html>`, "temporary provider_unavailable 503"},
		{408, `<html>`, "unknown answer_invalid 408"},
		{421, `<html>`, "temporary provider_unavailable 421"},
	} {
		env := gatewaytest.NewEnvironment()
		f := &fakeApp{t: t, clock: env.Clock}
		f.Server = providertest.New(t, func(*http.Request) bool { return true }, func(*http.Request, []byte, string) providertest.Answer {
			return providertest.Answer{Status: tt.status, Body: tt.body, Header: map[string]string{"Retry-After": "7", "Location": "/message"}}
		})
		s := f.open(env, nil)
		_, err := s.Send(t.Context(), message())
		if tt.want == "" {
			if err != nil {
				t.Errorf("%d %s: %v", tt.status, tt.body, err)
			}
			continue
		}
		gatewaytest.WantFailure(t, err, tt.want)
		if e := gateway.AsError(err); (e.Class == gateway.RateLimited || e.Class == gateway.Temporary) && e.RetryAfter != 7*time.Second {
			t.Errorf("%d %s: RetryAfter %v, want 7s", tt.status, tt.body, e.RetryAfter)
		}
	}
}

// A 503 without an explanation from the app and without a time to retry does not show whether the message was accepted.
func TestSend_BareUnavailable(t *testing.T) {
	t.Parallel()
	e := answerError(&httpcall.Answer{Status: http.StatusServiceUnavailable, Header: http.Header{}, Body: []byte(`<html>`), Whole: true}, "msg_1")
	gatewaytest.WantFailure(t, e, "unknown answer_invalid 503")
}

func TestSend_CloudServer(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	var path string
	f := &fakeApp{t: t, clock: env.Clock}
	f.Server = providertest.New(t, func(*http.Request) bool { return true }, func(r *http.Request, body []byte, _ string) providertest.Answer {
		path = r.URL.Path
		if !bytes.Contains(body, []byte(`"deviceId":"ffff"`)) {
			t.Errorf("%s", body)
		}
		return providertest.Answer{Status: 202, Body: `{"id":"` + message().Ref + `"}`}
	})
	s := f.open(env, map[string]any{"url": f.URL + "/3rdparty/v1", "mode": "cloud", "device_id": "ffff"})
	if _, err := s.Send(t.Context(), message()); err != nil || path != "/3rdparty/v1/messages" {
		t.Errorf("%v, %s", err, path)
	}
}

func TestSend_SlowPhoneIsUnknown(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, map[string]any{"send_timeout": 1})
	hang := f.HangAfter()
	defer hang.Release()
	err := gatewaytest.SendWithin(t, s, message())
	gatewaytest.WantFailure(t, err, "unknown "+httpcall.CodeAnswerLost)
}

func TestSend_Garbage(t *testing.T) {
	t.Parallel()
	s, f, env := opened(t, nil)
	f.Script(providertest.Garbage)()
	_, err := s.Send(t.Context(), message())
	gatewaytest.WantFailure(t, err, "unknown "+httpcall.CodeAnswerLost)
	if len(f.received()) != 1 || strings.Contains(err.Error()+env.Logged(), "baobab") {
		t.Errorf("%d messages received; %v", len(f.received()), err)
	}
}

func TestClose_EndsSendsInFlight(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, nil)
	err := gatewaytest.CloseDuringSend(t, s, f.HangAfter(), message())
	gatewaytest.WantFailure(t, err, "unknown "+httpcall.CodeAnswerLost)
}

func FuzzAnswer(f *testing.F) {
	f.Add(202, []byte(`{"id":"msg_1"}`))
	f.Add(400, []byte(`{"message":"phone"}`))
	f.Add(503, []byte(`{"message":1}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := answerError(&httpcall.Answer{Status: status, Header: http.Header{}, Body: body, Whole: true}, "msg_1")
		if e == nil && status != http.StatusConflict && (status/100 != 2 || !bytes.Contains(bytes.ToLower(body), []byte("id"))) {
			t.Errorf("%d %q is an ack", status, body)
		}
	})
}
