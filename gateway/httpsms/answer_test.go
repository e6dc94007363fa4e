package httpsms

import (
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/httpgate"
)

func TestSend_Answers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rules  string
		status int
		body   string
		want   string // an error, or "ack ID"
	}{
		{``, 200, `anything`, "ack"},
		{``, 299, ``, "ack"},
		{`"id":{"header":"X-Id"}`, 200, ``, "ack h-1"},
		{`"id":{"json":"a.0.b"}`, 200, `{"a":[{"b":12345678901234567890}]}`, "ack 12345678901234567890"},
		{`"id":{"json":"a.1.b"}`, 200, `{"a":[{"b":"x"}]}`, "ack"},
		{`"id":{"json":"a"}`, 200, `{"a":{"b":"x"}}`, "ack"},
		{`"id":{"match":"id=([a-z]+)"}`, 200, `ok id=abc`, "ack abc"},
		{`"id":{"match":"[0-9]+"}`, 200, `ok 42`, "ack 42"},
		{`"id":{"json":"id"}`, 200, `{"id":"` + strings.Repeat("x", httpgate.MaxID+1) + `"}`, "ack"},
		{`"success":{"status":["202"],"match":"^0: "}`, 202, `0: Accepted`, "ack"},
		{`"success":{"status":["202"],"match":"^0: "}`, 202, `1: Odd`, "unknown answer_unexplained 202"},
		{`"success":{"status":["202"],"match":"^0: "}`, 200, `0: Accepted`, "unknown answer_unexplained 200"},
		{`"success":{"json":"ok","equals":["true","1"]}`, 200, `{"ok":true}`, "ack"},
		{`"success":{"json":"ok","equals":["true","1"]}`, 200, `{"ok":1}`, "ack"},
		{`"success":{"json":"a.*.b","equals":["1"]}`, 200, `{"a":[{"b":0},{"b":1}]}`, "ack"},
		{`"success":{"json":"a.*.b","equals":["1"],"every":true}`, 200, `{"a":[{"b":1},{"b":1}]}`, "ack"},
		{`"success":{"json":"a.*.b","equals":["1"],"every":true}`, 200, `{"a":[{"b":1},{"b":0}]}`, "unknown answer_unexplained 200"},
		{`"success":{"json":"a.*.b","equals":["1"],"every":true}`, 200, `{"a":[{"b":1},{"c":1}]}`, "unknown answer_unexplained 200"},
		{`"success":{"json":"a.*.b","equals":["1"],"every":true}`, 200, `{"a":[]}`, "unknown answer_unexplained 200"},
		{`"success":{"json":"ok","equals":["true","1"]}`, 200, `{"ok":false}`, "unknown answer_unexplained 200"},
		{`"success":{"json":"ok","equals":["true","1"]}`, 200, `{"ok":null}`, "unknown answer_unexplained 200"},
		{`"success":{"json":"ok","equals":["true","1"]}`, 200, `{"ok":true} trailing`, "unknown answer_unexplained 200"},
		{`"success":{"json":"ok"}`, 200, `<html>ok</html>`, "unknown answer_unexplained 200"},
		{`"success":{"json":"ok"}`, 200, ``, "unknown answer_unexplained 200"},
		{`"success":{"match":"OK"}`, 200, strings.Repeat(" ", 256<<10+1) + "OK", "unknown answer_unexplained 200"},
		{`"errors":[{"status":["200"],"match":"credit","class":"sender_down","code":"balance_empty"}],"success":{"match":"OK"}`, 200, `no credit for 22370000001`, "sender_down balance_empty 200"},
		{`"errors":[{"json":"e","equals":["7"],"class":"rate_limited","code":"slow"},{"json":"e","class":"permanent","code":"other"}],"error_code":{"json":"e"}`, 400, `{"e":7}`, "rate_limited slow 7"},
		{`"errors":[{"json":"e","equals":["7"],"class":"rate_limited","code":"slow"},{"json":"e","class":"permanent","code":"other"}],"error_code":{"json":"e"}`, 400, `{"e":"22370000001"}`, "permanent other 400"},
		{`"errors":[{"status":["5xx"],"class":"temporary","code":"later"}]`, 503, ``, "temporary later 503"},
		{``, 301, ``, "sender_down gateway_misconfigured 301"},
		{``, 400, ``, "permanent message_refused 400"},
		{``, 401, testSecret, "sender_down credentials_refused 401"},
		{``, 402, ``, "sender_down balance_empty 402"},
		{``, 403, ``, "sender_down credentials_refused 403"},
		{``, 404, ``, "sender_down gateway_misconfigured 404"},
		{``, 408, ``, "unknown answer_unexplained 408"},
		{``, 409, ``, "unknown answer_unexplained 409"},
		{``, 413, ``, "permanent message_refused 413"},
		{``, 422, ``, "permanent message_refused 422"},
		{``, 429, ``, "rate_limited rate_limited 429"},
		{``, 500, ``, "unknown answer_unexplained 500"},
		{``, 502, ``, "unknown answer_unexplained 502"},
		{``, 503, ``, "temporary provider_unavailable 503"},
		{``, 421, ``, "temporary provider_unavailable 421"},
	} {
		address, _ := startGateway(t, tt.status, tt.body)
		rules := tt.rules
		if rules != "" {
			rules = "," + rules
		}
		s := open(t, gatewaytest.NewEnvironment(), `{"url":"`+address+`","form":{"to":"{{to}}","text":"{{text}}"}`+rules+`}`)
		ack, err := s.Send(t.Context(), message())
		if id, ok := strings.CutPrefix(tt.want, "ack"); ok {
			if err != nil || ack.ProviderID != strings.TrimSpace(id) {
				t.Errorf("%s, %d %.60s: %+v, %v", tt.rules, tt.status, tt.body, ack, err)
			}
			continue
		}
		gatewaytest.WantFailure(t, err, tt.want)
		if e := gateway.AsError(err); e.Class == gateway.RateLimited && e.RetryAfter != 7*time.Second || strings.Contains(err.Error(), aissata) {
			t.Errorf("%v, RetryAfter %v", err, e.RetryAfter)
		}
	}
}

func TestSend_SlowGatewayIsUnknown(t *testing.T) {
	t.Parallel()
	h := newFakeGateway(t)
	s := open(t, gatewaytest.NewEnvironment(), strings.Replace(h.settings(), `"url"`, `"send_timeout":1,"url"`, 1))
	h.handler = s.WebhookHandler()
	hang := h.HangAfter()
	defer hang.Release()
	err := gatewaytest.SendWithin(t, s, message())
	gatewaytest.WantFailure(t, err, "unknown "+httpcall.CodeAnswerLost)
}

func TestClose_EndsSendsInFlight(t *testing.T) {
	t.Parallel()
	h := newFakeGateway(t)
	s := open(t, gatewaytest.NewEnvironment(), h.settings())
	h.handler = s.WebhookHandler()
	err := gatewaytest.CloseDuringSend(t, s, h.HangAfter(), message())
	gatewaytest.WantFailure(t, err, "unknown "+httpcall.CodeAnswerLost)
}

// Errors don't contain the address, which may have a secret.
func TestSend_ErrorsDoNotShowTheAddress(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	s := open(t, env, `{"url":"http://127.0.0.1:1/send?key={{key}}&to={{to}}&text={{text}}","values":{"key":{"value":"`+testSecret+`"}}}`)
	_, err := s.Send(t.Context(), message())
	gatewaytest.WantFailure(t, err, "temporary "+httpcall.CodeUnavailable)
	if text := err.Error() + env.Logged(); strings.Contains(text, testSecret) || strings.Contains(text, aissata) {
		t.Errorf("a secret or an address is in the error or the log: %s", text)
	}
}
