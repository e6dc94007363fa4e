package smsgate

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
)

// The example of the app's documentation.
const received = `{"deviceId":"ffffffffceb0b1db0000018e937c815b","event":"sms:received","id":"Ey6ECgOkVVFjz3CL48B8C",
 "payload":{"messageId":"abc123","message":"Android is always a sweet treat!","phoneNumber":"+16505551212","simNumber":1,"receivedAt":"2024-06-22T15:46:11.000+07:00"},"webhookId":"<unique-id>"}`

func deliver(t *testing.T, s *sender, env *gatewaytest.Environment, body string, want int) {
	t.Helper()
	if got := gatewaytest.Call(s.WebhookHandler(), signedCall(testSigning, []byte(body), env.Clock.Now())); got != want {
		t.Errorf("%s: %d, want %d", body, got, want)
	}
}

func TestEvents_Received(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, nil)
	deliver(t, s, env, received, http.StatusOK)
	deliver(t, s, env, strings.Replace(received, "Ey6ECgOkVVFjz3CL48B8C", "again", 1), http.StatusOK)
	deliver(t, s, env, strings.Replace(received, "46:11", "46:12", 1), http.StatusOK)
	got := env.Sink.Messages()
	if len(got) != 3 || got[0].ID != got[1].ID || got[0].ID == got[2].ID {
		t.Fatalf("%+v", got)
	}
	want := gateway.Inbound{
		ID: got[0].ID, Channel: gateway.SMS, From: "16505551212", To: ourNumber, Text: "Android is always a sweet treat!",
		At: time.Date(2024, 6, 22, 8, 46, 11, 0, time.UTC),
	}
	if got[0] != want {
		t.Errorf("%+v, want %+v", got[0], want)
	}
}

func TestEvents_ReceivedNumbersAndSIMs(t *testing.T) {
	t.Parallel()
	two := []any{map[string]any{"number": ourNumber, "slot": 1}, map[string]any{"number": "22376543211", "slot": 2}}
	for _, tt := range []struct {
		more           map[string]any
		phone, sim     string
		wantFrom, want string
	}{
		{nil, `"+223 70-00 (00) 01"`, `null`, aissata, ourNumber},
		{nil, `"0022370000001"`, `2`, aissata, ourNumber},
		{nil, `"70000001"`, `1`, "local:70000001", ourNumber},
		{map[string]any{"country_code": "223"}, `"70000001"`, `1`, aissata, ourNumber},
		{map[string]any{"country_code": "33"}, `"0612345678"`, `1`, "33612345678", ourNumber},
		{map[string]any{"country_code": "223"}, `"36000"`, `1`, "local:36000", ourNumber},
		{map[string]any{"country_code": "225"}, `"0701020304"`, `1`, "2250701020304", ourNumber},
		{map[string]any{"country_code": "223"}, `"7000001"`, `1`, "local:7000001", ourNumber},
		{nil, `"Orange"`, `1`, "local:Orange", ourNumber},
		{nil, `"Orange","sender":"?"`, `1`, "local:?", ourNumber},
		{nil, `""`, `1`, "", ""},
		{map[string]any{"sims": two}, `"+22370000001"`, `2`, aissata, "22376543211"},
		{map[string]any{"sims": two}, `"+22370000001"`, `null`, aissata, ""},
		{map[string]any{"sims": two}, `"+22370000001","recipient":"+22376543211"`, `null`, aissata, "22376543211"},
		{map[string]any{"sims": two}, `"+22370000001","recipient":"+223 76 54 32 11"`, `"?"`, aissata, "22376543211"},
		{map[string]any{"sims": two}, `"+22370000001","recipient":"Orange"`, `0`, aissata, ""},
		{map[string]any{"sims": two}, `"+22370000001","recipient":null`, `3`, "", ""},
		{map[string]any{"sims": two}, `null,"sender":"+22370000001"`, `"1"`, aissata, ourNumber},
		{map[string]any{"sims": []any{map[string]any{"number": ourNumber, "slot": 1}}}, `"+22370000001"`, `2`, "", ""},
	} {
		s, _, env := opened(t, tt.more)
		deliver(t, s, env, `{"event":"sms:received","payload":{"messageId":"a","message":"m","phoneNumber":`+tt.phone+`,"simNumber":`+tt.sim+`,"receivedAt":"2024-06-22T15:46:11Z"}}`, http.StatusOK)
		got := env.Sink.Messages()
		if tt.wantFrom == "" && len(got) != 0 || tt.wantFrom != "" && (len(got) != 1 || got[0].Address() != tt.wantFrom || got[0].To != tt.want) {
			t.Errorf("from %s by %s: %+v", tt.phone, tt.sim, got)
		}
		if strings.Contains(env.Logged(), "7000") || strings.Contains(env.Logged(), "Orange") {
			t.Errorf("logged %s", env.Logged())
		}
	}
}

func TestEvents_Receipts(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, nil)
	at := time.Date(2024, 6, 22, 15, 46, 11, 0, time.UTC)
	for i, tt := range []struct {
		event, more string
		status      gateway.ReceiptStatus
		failure     string
	}{
		{"sms:sent", `"sentAt":"2024-06-22T15:46:11Z","partsCount":2`, gateway.ReceiptSent, ""},
		{"sms:delivered", `"deliveredAt":"2024-06-22T15:46:11Z"`, gateway.ReceiptDelivered, ""},
		{"sms:failed", `"failedAt":"2024-06-22T15:46:11Z","reason":"TTL expired"`, gateway.ReceiptFailed, "permanent expired"},
		{"sms:failed", `"failedAt":"2024-06-22T15:46:11Z","reason":"Send result: RESULT_ERROR_NO_SERVICE to +22370000001"`, gateway.ReceiptFailed, "permanent not_sent RESULT_ERROR_NO_SERVICE"},
		{"sms:failed", `"failedAt":"2024-06-22T15:46:11Z","reason":"Delivery result from SC +223700: 69"`, gateway.ReceiptFailed, "unreachable not_delivered"},
		{"sms:cancelled", `"cancelledAt":"2024-06-22T15:46:11Z"`, gateway.ReceiptFailed, "permanent canceled_on_phone"},
	} {
		ref := "msg_" + strconv.Itoa(i)
		deliver(t, s, env, `{"event":"`+tt.event+`","payload":{"messageId":"`+ref+`","phoneNumber":"+22370000001",`+tt.more+`}}`, http.StatusOK)
		all := env.Sink.Receipts()
		r := all[len(all)-1]
		if r.Ref != ref || r.Status != tt.status || !r.At.Equal(at) || (r.Err == nil) != (tt.failure == "") {
			t.Errorf("%s: %+v", tt.event, r)
		}
		if r.Err != nil {
			gatewaytest.WantFailure(t, r.Err, tt.failure)
		}
	}
}

// The app reports each delivered part, and the number of parts.
func TestEvents_Parts(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, nil)
	for _, e := range []string{
		`"event":"sms:sent","id":"s","payload":{"partsCount":3,`, `"event":"sms:delivered","id":"a","payload":{`, `"event":"sms:delivered","id":"a","payload":{`,
		`"event":"sms:delivered","id":"b","payload":{"partsCount":3,`, `"event":"sms:delivered","payload":{`, `"event":"sms:delivered","payload":{"x":1,`,
		`"event":"sms:failed","id":"c","payload":{`, `"event":"sms:sent","id":"s","payload":{"partsCount":-1,`, `"event":"sms:sent","id":"s","payload":{"partsCount":256,`,
	} {
		deliver(t, s, env, "{"+e+`"messageId":"msg_1","phoneNumber":"+22370000001"}}`, http.StatusOK)
	}
	got := env.Sink.Receipts()
	if len(got) != 9 {
		t.Fatalf("%+v", got)
	}
	for i, parts := range map[int]int{0: 3, 1: 0, 3: 3, 7: 0, 8: 0} {
		if got[i].Parts != parts {
			t.Errorf("receipt %d says that there are %d parts, want %d", i, got[i].Parts, parts)
		}
	}
	ids := map[string]bool{}
	for i, r := range got {
		if (r.Part != "") != (r.Status == gateway.ReceiptDelivered) || len(r.Part) > 32 {
			t.Errorf("receipt %d: %+v", i, r)
		}
		ids[r.Part] = true
	}
	if got[1].Part != got[2].Part || len(ids) != 5 { // with that of the other receipts
		t.Errorf("%d ids of reports, want that of a repeated one to be the same", len(ids))
	}
}

func TestEvents_Others(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, nil)
	for body, want := range map[string]int{
		`{"event":"system:ping","payload":{"health":{"status":"pass"}}}`:            http.StatusOK,
		`{"event":"mms:received","payload":[]}`:                                     http.StatusOK,
		`{"event":"sms:delivered","payload":{"messageId":"somebody else's","x":1}}`: http.StatusOK,
		`{"event":"sms:delivered","payload":[]}`:                                    http.StatusBadRequest,
		`{"event":"sms:received","payload":"a"}`:                                    http.StatusBadRequest,
		`{`:                                                                         http.StatusBadRequest, ``: http.StatusBadRequest,
	} {
		deliver(t, s, env, body, want)
	}
	if n := len(env.Sink.Messages()) + len(env.Sink.Receipts()); n != 0 {
		t.Errorf("%d stored", n)
	}
	env.Sink.Refuse(1)
	deliver(t, s, env, received, http.StatusServiceUnavailable)
	deliver(t, s, env, received, http.StatusOK)
}

// No message is lost because of a single field.
func TestEvents_Kept(t *testing.T) {
	t.Parallel()
	const call = `{"deviceId":"ffffffffceb0b1db0000018e937c815b","event":"sms:received","id":"Ey6ECgOkVVFjz3CL48B8C",
 "payload":{"messageId":"abc123","message":"Bonjour","phoneNumber":"+22370000001","sender":"+22370000001","recipient":"+22376543210","simNumber":1,"receivedAt":"2026-06-22T15:46:11.000+07:00"},"webhookId":"x"}`
	for name, sims := range map[string][]any{"one SIM": {map[string]any{"number": ourNumber}}, "two SIMs": {map[string]any{"number": ourNumber, "slot": 1}, map[string]any{"number": "22376543211", "slot": 2}}} {
		t.Run(name, func(t *testing.T) {
			kept := peertest.KeptMessage{
				Call: call, From: aissata, Text: "Bonjour", Sender: []string{"payload.sender", "payload.phoneNumber"}, Body: []string{"payload.message"},
				Others: []string{"event"}, // another kind of event
				Time:   "payload.receivedAt", At: time.Date(2026, 6, 22, 8, 46, 11, 0, time.UTC),
				Open: func(t *testing.T) (func(string) int, *gatewaytest.Environment) {
					s, _, env := opened(t, map[string]any{"sims": sims})
					return func(body string) int {
						return gatewaytest.Call(s.WebhookHandler(), signedCall(testSigning, []byte(body), env.Clock.Now()))
					}, env
				},
			}
			kept.Run(t)
		})
	}
}

func TestEvents_SignatureIsCheckedFirst(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, nil)
	now := env.Clock.Now()
	change := func(name, value string) *http.Request {
		r := signedCall(testSigning, []byte("{"), now)
		r.Header.Set(name, value)
		return r
	}
	stale := signedCall(testSigning, nil, now.Add(-6*time.Minute))
	stale.Body = io.NopCloser(gatewaytest.UnreadBody(t))
	for name, r := range map[string]*http.Request{
		"unsigned":        httptest.NewRequest(http.MethodPost, "/events", gatewaytest.UnreadBody(t)),
		"another key":     signedCall("another", []byte("{"), now),
		"no signature":    change("X-Signature", ""),
		"not hex":         change("X-Signature", "zz"),
		"another time":    change("X-Timestamp", strconv.FormatInt(now.Unix()+1, 10)),
		"an unclean time": change("X-Timestamp", "+1"),
		"stale":           stale,
	} {
		if got := gatewaytest.Call(s.WebhookHandler(), r); got != http.StatusUnauthorized {
			t.Errorf("%s: %d, want 401", name, got)
		}
	}
	for want, r := range map[int]*http.Request{
		http.StatusNotFound:              httptest.NewRequest(http.MethodPost, "/", nil),
		http.StatusMethodNotAllowed:      httptest.NewRequest(http.MethodGet, "/events", nil),
		http.StatusRequestEntityTooLarge: signedCall(testSigning, bytes.Repeat([]byte(" "), maxEvent+1), now),
	} {
		if got := gatewaytest.Call(s.WebhookHandler(), r); got != want {
			t.Errorf("%s %s: %d, want %d", r.Method, r.URL, got, want)
		}
	}
	without, _, _ := opened(t, map[string]any{"signing_key": ""})
	if got := gatewaytest.Call(without.WebhookHandler(), signedCall("", []byte(received), now)); got != http.StatusNotFound || without.Info().Receipts {
		t.Errorf("without a key: %d", got)
	}
}

func FuzzEvent(f *testing.F) {
	f.Add([]byte(received))
	f.Add([]byte(`{"event":"sms:failed","payload":{"messageId":"msg_1","reason":"RESULT_X"}}`))
	env := gatewaytest.NewEnvironment()
	opened, err := Open([]byte(`{"url":"http://127.0.0.1:1","username":"a","password":"b","signing_key":"`+testSigning+`","sims":[{"number":"`+ourNumber+`"}],"country_code":"223"}`), env.Deps())
	if err != nil {
		f.Fatal(err)
	}
	handler := opened.(*sender).WebhookHandler()
	f.Fuzz(func(t *testing.T, body []byte) {
		got := gatewaytest.Call(handler, signedCall(testSigning, body, env.Clock.Now()))
		if got != http.StatusOK && got != http.StatusBadRequest {
			t.Errorf("%q: %d", body, got)
		}
	})
}
