package smsgate

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
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
		{nil, `"70000001"`, `1`, "", ""},
		{map[string]any{"country_code": "223"}, `"70000001"`, `1`, aissata, ourNumber},
		{map[string]any{"country_code": "33"}, `"0612345678"`, `1`, "33612345678", ourNumber},
		{map[string]any{"country_code": "223"}, `"36000"`, `1`, "", ""},
		{nil, `"Orange"`, `1`, "", ""},
		{nil, `""`, `1`, "", ""},
		{map[string]any{"sims": two}, `"+22370000001"`, `2`, aissata, "22376543211"},
		{map[string]any{"sims": two}, `"+22370000001"`, `null`, "", ""},
		{map[string]any{"sims": []any{map[string]any{"number": ourNumber, "slot": 1}}}, `"+22370000001"`, `2`, "", ""},
	} {
		s, _, env := opened(t, tt.more)
		deliver(t, s, env, `{"event":"sms:received","payload":{"messageId":"a","message":"m","phoneNumber":`+tt.phone+`,"simNumber":`+tt.sim+`,"receivedAt":"2024-06-22T15:46:11Z"}}`, http.StatusOK)
		got := env.Sink.Messages()
		if tt.want == "" && len(got) != 0 || tt.want != "" && (len(got) != 1 || got[0].From != tt.wantFrom || got[0].To != tt.want) {
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

// The app reports each delivered part. A message is delivered when all its parts are, and a failed part fails it.
func TestEvents_Parts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text   string // sent before; empty: by another process
		events []string
		want   []gateway.ReceiptStatus
	}{
		"all delivered":               {"", []string{"sent 3", "delivered a", "delivered b", "delivered c"}, []gateway.ReceiptStatus{"sent", "delivered"}},
		"one is missing":              {"", []string{"sent 3", "delivered a", "delivered b"}, []gateway.ReceiptStatus{"sent"}},
		"one event repeated":          {"", []string{"sent 3", "delivered a", "delivered a", "delivered a", "delivered b"}, []gateway.ReceiptStatus{"sent"}},
		"the last event repeated":     {"", []string{"sent 2", "delivered a", "delivered b", "delivered b"}, []gateway.ReceiptStatus{"sent", "delivered", "delivered"}},
		"events without an id":        {"", []string{"sent 2", "delivered", "delivered"}, []gateway.ReceiptStatus{"sent", "delivered"}},
		"one failed":                  {"", []string{"sent 3", "delivered a", "failed b"}, []gateway.ReceiptStatus{"sent", "failed"}},
		"the first failed":            {"", []string{"sent 3", "failed a", "delivered b", "delivered c"}, []gateway.ReceiptStatus{"sent", "failed"}},
		"failed before it was sent":   {"", []string{"failed a", "delivered b", "sent 2"}, []gateway.ReceiptStatus{"failed", "sent"}},
		"a single part":               {"", []string{"sent 1", "delivered a"}, []gateway.ReceiptStatus{"sent", "delivered"}},
		"no count":                    {"", []string{"sent 0", "delivered a"}, []gateway.ReceiptStatus{"sent", "delivered"}},
		"delivered first":             {strings.Repeat("a", 200), []string{"delivered a", "delivered b", "sent 2"}, []gateway.ReceiptStatus{"delivered", "delivered"}},
		"fewer parts than estimated":  {strings.Repeat("a", 400), []string{"delivered a", "delivered b", "sent 2"}, []gateway.ReceiptStatus{"delivered"}},
		"more parts than estimated":   {"Bonjour", []string{"sent 2", "delivered a", "delivered b"}, []gateway.ReceiptStatus{"sent", "delivered"}},
		"without the event sms:sent":  {strings.Repeat("a", 200), []string{"delivered a", "delivered b"}, []gateway.ReceiptStatus{"delivered"}},
		"a count that can't be right": {"", []string{"sent -1", "delivered a"}, []gateway.ReceiptStatus{"sent", "delivered"}},
	} {
		s, _, env := opened(t, nil)
		if tt.text != "" {
			s.deliveries.estimate("msg_1", segments(tt.text))
		}
		for _, e := range tt.events {
			kind, more, _ := strings.Cut(e, " ")
			id, count := more, "0"
			if kind == "sent" {
				id, count = "s", more
			}
			deliver(t, s, env, `{"event":"sms:`+kind+`","id":"`+id+`","payload":{"messageId":"msg_1","phoneNumber":"+22370000001","partsCount":`+count+`}}`, http.StatusOK)
		}
		var got []gateway.ReceiptStatus
		for _, r := range env.Sink.Receipts() {
			got = append(got, r.Status)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// An event that wasn't stored comes again, and counts once.
func TestEvents_PartsRefusedBySink(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, nil)
	event := func(id string) string {
		return `{"event":"sms:delivered","id":"` + id + `","payload":{"messageId":"msg_1","partsCount":2}}`
	}
	deliver(t, s, env, event("a"), http.StatusOK)
	env.Sink.Refuse(1)
	deliver(t, s, env, event("b"), http.StatusServiceUnavailable)
	deliver(t, s, env, event("b"), http.StatusOK)
	if got := env.Sink.Receipts(); len(got) != 1 || got[0].Status != gateway.ReceiptDelivered {
		t.Errorf("%+v, want delivered once", got)
	}
}

func TestDeliveries_AreBounded(t *testing.T) {
	t.Parallel()
	d := newDeliveries(100)
	for n := range 10_000 {
		d.deliver(strconv.Itoa(n), "a")
		d.deliver("one", strconv.Itoa(n))
		d.deliver("one", "")
	}
	if n := len(d.recent) + len(d.older); n > 200 || len(d.of("one").delivered) > maxParts || d.of("one").unnamed > maxParts {
		t.Errorf("%d messages, %+v", n, d.of("one"))
	}
}

func TestEvents_Others(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, nil)
	for body, want := range map[string]int{
		`{"event":"system:ping","payload":{"health":{"status":"pass"}}}`:                     http.StatusOK,
		`{"event":"mms:received","payload":[]}`:                                              http.StatusOK,
		`{"event":"sms:delivered","payload":{"messageId":"somebody else's","x":1}}`:          http.StatusOK,
		`{"event":"sms:delivered","payload":[]}`:                                             http.StatusBadRequest,
		`{"event":"sms:received","payload":{"phoneNumber":"+22370000001","message":"m"}}`:    http.StatusOK, // without a time
		`{"event":"sms:received","payload":{"phoneNumber":"+22370000001","receivedAt":"1"}}`: http.StatusBadRequest,
		`{`: http.StatusBadRequest, ``: http.StatusBadRequest,
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
