package remote

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/peertest"
	"example.com/griot/internal/whatsappid"
)

func opened(t *testing.T, more map[string]any) (*sender, *fakeGateway, *gatewaytest.Environment) {
	t.Helper()
	env := gatewaytest.NewEnvironment()
	f := newFake(t, env.Clock)
	return f.open(env, more), f, env
}

const goodReceipt = `{"type":"receipt","receipt":{"reference":"msg_1","status":"delivered","at":"2026-11-20T12:00:00+01:00"}}`

func TestEvents_Forms(t *testing.T) {
	t.Parallel()
	inbound := func(members string) string {
		event := map[string]any{"id": "a", "channel": "sms", "from": "22370000001", "to": "22376543210", "text": "Ça va ?", "at": "2026-11-20T12:00:00Z"}
		if err := json.Unmarshal([]byte("{"+strings.TrimPrefix(members, ",")+"}"), &event); err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(map[string]any{"type": "inbound", "inbound": event})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for body, want := range map[string]int{
		goodReceipt: http.StatusOK,
		`{"type":"receipt","receipt":{"providerId":"x","status":"read","at":"2026-11-20T12:00:00Z","new":1}}`: http.StatusOK,
		`{"type":"receipt","receipt":{"status":"read","at":"2026-11-20T12:00:00Z"}}`:                          http.StatusBadRequest,
		`{"type":"receipt","receipt":{"reference":"msg 1","status":"read","at":"2026-11-20T12:00:00Z"}}`:      http.StatusBadRequest,
		`{"type":"receipt","receipt":{"reference":"msg_1","status":"eaten","at":"2026-11-20T12:00:00Z"}}`:     http.StatusBadRequest,
		`{"type":"receipt","receipt":{"reference":"msg_1","status":"read"}}`:                                  http.StatusOK,
		`{"type":"receipt","receipt":{"reference":"msg_1","status":"read","at":"yesterday"}}`:                 http.StatusOK,
		`{"type":"receipt"}`:                             http.StatusBadRequest,
		inbound(""):                                      http.StatusOK,
		inbound(`,"from":"Orange"`):                      http.StatusOK,
		inbound(`,"from":"36111","to":"36000"`):          http.StatusOK,
		inbound(`,"from":"Orange","channel":"pigeon"`):   http.StatusOK,
		inbound(`,"from":""`):                            http.StatusBadRequest,
		inbound(`,"channel":"whatsapp","from":"Orange"`): http.StatusBadRequest,
		inbound(`,"kind":"image","mediaUrl":"https://example.org/a","mimeType":"image/png","fileName":"a.png","displayName":"Awa"`): http.StatusOK,
		inbound(`,"choice":{"id":"","title":"Oui"},"replyTo":"msg_1"`):                                                              http.StatusOK,
		inbound(`,"choice":{"id":"oui"}`):                              http.StatusOK, // without a title
		inbound(`,"choice":"oui"`):                                     http.StatusOK,
		inbound(`,"response":"oui"`):                                   http.StatusOK,
		inbound(`,"response":[1]`):                                     http.StatusOK,
		inbound(`,"replyTo":"msg 1"`):                                  http.StatusOK,
		inbound(`,"replyToId":"` + strings.Repeat("x", maxID+1) + `"`): http.StatusOK,
		inbound(`,"kind":"unsupported"`):                               http.StatusOK,
		inbound(`,"kind":"smell"`):                                     http.StatusOK,
		inbound(`,"from":"","fromId":"1@lid"`):                         http.StatusBadRequest, // only WhatsApp has IDs
		inbound(`,"to":"Griot"`):                                       http.StatusOK,
		inbound(`,"channel":"email"`):                                  http.StatusBadRequest,
		inbound(`,"channel":"whatsapp"`):                               http.StatusBadRequest, // not a channel of this gateway
		inbound(`,"id":""`):                                            http.StatusOK,
		inbound(`,"id":"` + strings.Repeat("x", maxID+1) + `"`):        http.StatusOK,
		inbound(`,"text":"a\u0000b"`):                                  http.StatusOK,
		inbound(`,"at":"0001-01-01T00:00:00Z"`):                        http.StatusOK,
		inbound(`,"mediaUrl":"` + strings.Repeat("x", maxURL+1) + `"`): http.StatusOK,
		`{"type":"connection","connection":{"channel":"sms","from":"22376543210","state":"banned","at":"2026-11-20T12:00:00Z"}}`: http.StatusOK,
		`{"type":"connection","connection":{"channel":"sms","from":"22376543210","state":"tired"}}`:                              http.StatusBadRequest,
		`{"type":"connection","connection":{"channel":"sms","state":"banned"}}`:                                                  http.StatusBadRequest,
		`{"type":"connection","connection":{"channel":"sms","from":"22376543210","state":"banned","reason":"<b>"}}`:              http.StatusBadRequest,
		`{"type":"connection","connection":{"channel":"sms","from":"22376543210","state":"banned","until":"soon"}}`:              http.StatusBadRequest,
		`{"type":"weather","weather":"fine"}`:                         http.StatusOK,
		`{"type":""}`:                                                 http.StatusBadRequest,
		`{"type":"receipt","inbound":{"from":"22370000001"}}`:         http.StatusBadRequest,
		strings.Replace(goodReceipt, "{", `{"type":"connection",`, 1): http.StatusBadRequest, // ambiguous type
		strings.Replace(goodReceipt, `"type"`, `"Type"`, 1):           http.StatusBadRequest,
		strings.Replace(inbound(""), "Ça va ?", `\ud800`, 1):          http.StatusOK,
		`{}`: http.StatusBadRequest, `[]`: http.StatusBadRequest, ``: http.StatusBadRequest, `{`: http.StatusBadRequest, "\xff": http.StatusBadRequest,
	} {
		s, _, env := opened(t, nil)
		if got := gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), []byte(body), env.Clock.Now())); got != want {
			t.Errorf("%s: %d, want %d", body, got, want)
		}
		if stored := len(env.Sink.Messages()) + len(env.Sink.Receipts()); stored > 0 && want != http.StatusOK {
			t.Errorf("%s is stored", body)
		}
		if logged := env.Logged(); strings.Contains(logged, "Ça va") || strings.Contains(logged, aissata) {
			t.Errorf("the log repeats the event: %s", logged)
		}
	}
}

func TestEvents_WhatIsStored(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, map[string]any{"channels": []string{"whatsapp", "sms"}})
	for _, body := range []string{
		goodReceipt,
		`{"type":"receipt","receipt":{"reference":"msg_2","status":"failed","at":"2026-11-20T11:00:00Z","error":{"class":"unreachable","code":"not_on_whatsapp","providerCode":"22370000001"}}}`,
		`{"type":"receipt","receipt":{"reference":"msg_3","status":"failed","at":"2026-11-20T11:00:00Z"}}`,
		`{"type":"inbound","inbound":{"id":"b","channel":"whatsapp","from":"+22370000001","to":"22376543210","choice":{"id":"oui","title":"Oui"},"response":{"taille": 42},"replyTo":"msg_1","at":"2026-11-20T12:00:00Z"}}`,
		`{"type":"inbound","inbound":{"id":"c","channel":"whatsapp","from":"+22370000001","to":"22376543210","text":"Merci","choice":null,"response":null,"replyToId":"wamid.1","at":"2026-11-20T12:00:00Z"}}`,
		`{"type":"inbound","inbound":{"id":"a","channel":"whatsapp","from":"+22370000001","to":"22376543210","kind":"audio","displayName":"Awa","mediaUrl":"u","mimeType":"m","fileName":"f","at":"2026-11-20T12:00:00Z"}}`,
	} {
		if got := gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), []byte(body), env.Clock.Now())); got != http.StatusOK {
			t.Fatalf("%s: %d", body, got)
		}
	}
	eleven := time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC)
	receipts := env.Sink.Receipts()
	if r := receipts[0]; r.Ref != "msg_1" || r.Status != gateway.ReceiptDelivered || !r.At.Equal(eleven) || r.Err != nil {
		t.Errorf("%+v", r)
	}
	if e := receipts[1].Err; e == nil || e.Class != gateway.Unreachable || e.Code != "not_on_whatsapp" || e.ProviderCode != "" {
		t.Errorf("%+v", e)
	}
	if e := receipts[2].Err; e == nil || e.Class != gateway.Permanent || e.Code != "delivery_failed" {
		t.Errorf("%+v", e)
	}
	want := gateway.Inbound{
		ID: "a", Channel: gateway.WhatsApp, From: aissata, To: ourNumber, DisplayName: "Awa", Type: gateway.InboundAudio, MediaURL: "u", MIMEType: "m", FileName: "f",
		At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
	}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	pressed := gateway.Inbound{
		ID: "b", Channel: gateway.WhatsApp, From: aissata, To: ourNumber, Text: "Oui", Choice: gateway.Choice{ID: "oui", Title: "Oui"}, Response: `{"taille":42}`, ReplyTo: gateway.Quoted{Ref: "msg_1"}, At: noon,
	}
	answered := gateway.Inbound{ID: "c", Channel: gateway.WhatsApp, From: aissata, To: ourNumber, Text: "Merci", ReplyTo: gateway.Quoted{ProviderID: "wamid.1"}, At: noon}
	if got := env.Sink.Messages(); !slices.Equal(got, []gateway.Inbound{pressed, answered, want}) {
		t.Errorf("%+v, want %+v, %+v, %+v", got, pressed, answered, want)
	}
}

// No message is lost because of a single field.
func TestEvents_Kept(t *testing.T) {
	t.Parallel()
	const (
		content = `"id":"wamid.1","channel":"whatsapp","to":"22376543210","displayName":"Awa","kind":"image","text":"Bonjour","choice":{"id":"oui","title":"Oui"},"response":{"taille":42},
 "media":{"data":"YWJj","mimeType":"image/png","fileName":"a.png"},"replyTo":"msg_1","replyToId":"wamid.0","standby":false,"at":"2026-06-22T08:46:11Z"`
		older = `"mediaUrl":"https://files.example.com/1","mimeType":"image/png","fileName":"a.png"`
	)
	at := time.Date(2026, 6, 22, 8, 46, 11, 0, time.UTC)
	for name, kept := range map[string]peertest.KeptMessage{
		"a number": {Call: `"from":"22370000001","fromSource":"shown","fromUsername":"awa.t",` + content, From: aissata, Sender: []string{"inbound.from"}},
		"an ID":    {Call: `"fromId":"` + hidden + `","fromPairedAt":"2026-06-22T08:46:11Z",` + content, From: hidden, Sender: []string{"inbound.fromId"}},
		"a file by its address, and one channel": {
			Call: `"from":"22370000001","id":"1","channel":"sms","to":"22376543210","text":"Bonjour","at":"2026-06-22T08:46:11Z",` + older, From: aissata, Sender: []string{"inbound.from"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			kept.Call = `{"type":"inbound","inbound":{` + kept.Call + `}}`
			kept.Text, kept.Body, kept.Time, kept.At = "Bonjour", []string{"inbound.text"}, "inbound.at", at
			kept.Open = func(t *testing.T) (func(string) int, *gatewaytest.Environment) {
				channels := []string{"sms", "whatsapp"}
				if strings.Contains(kept.Call, `"sms"`) {
					channels = channels[:1]
				}
				s, _, env := opened(t, map[string]any{"channels": channels})
				return func(body string) int {
					return gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), []byte(body), env.Clock.Now()))
				}, env
			}
			kept.Run(t)
		})
	}
}

// What is unknown about a message gets the best guess, and the log names the field without its value.
func TestEvents_Guesses(t *testing.T) {
	t.Parallel()
	for fields, tt := range map[string]struct {
		want   func(in *gateway.Inbound) bool
		fields string
	}{
		`"from":"22370000001"`: {func(in *gateway.Inbound) bool {
			return in.From == aissata && in.To == ourNumber && in.Channel == gateway.WhatsApp
		}, ""},
		`"from":22370000001,"to":22376543210`:        {func(in *gateway.Inbound) bool { return in.From == aissata && in.To == ourNumber }, ""},
		`"from":"22370000001","to":""`:               {func(in *gateway.Inbound) bool { return in.To == "" }, "to"},
		`"from":"22370000001","to":["22376543210"]`:  {func(in *gateway.Inbound) bool { return in.To == "" }, "to"},
		`"from":"22370000001","to":"36000"`:          {func(in *gateway.Inbound) bool { return in.To == "36000" }, ""},
		`"from":"22370000001","channel":"WhatsApp"`:  {func(in *gateway.Inbound) bool { return in.Channel == gateway.WhatsApp }, "channel"},
		`"from":"22370000001","channel":null`:        {func(in *gateway.Inbound) bool { return in.Channel == gateway.SMS }, "channel"}, // which proves no login
		`"from":"22370000001","channel":"rcs"`:       {func(in *gateway.Inbound) bool { return in.Channel == gateway.SMS }, "channel"},
		`"from":"+223 70 00 00 01","channel":"sms"`:  {func(in *gateway.Inbound) bool { return in.From == aissata && in.Local == "" }, ""},
		`"from":"0022370000001","channel":"sms"`:     {func(in *gateway.Inbound) bool { return in.From == aissata && in.Local == "" }, ""},
		`"from":" tel:+22370000001"`:                 {func(in *gateway.Inbound) bool { return in.From == aissata && in.Local == "" }, ""},
		`"from":"+Orange","channel":"sms"`:           {func(in *gateway.Inbound) bool { return in.From == "" && in.Local == "Orange" }, ""},
		`"fromId":"` + hidden + `","channel":"sms"`:  {func(in *gateway.Inbound) bool { return in.Channel == gateway.WhatsApp }, "channel"},
		`"from":"22370000001","id":7`:                {func(in *gateway.Inbound) bool { return in.ID == "7" }, ""},
		`"from":"22370000001","id":null`:             {func(in *gateway.Inbound) bool { return len(in.ID) == 32 }, "id"},
		`"from":"22370000001","text":42`:             {func(in *gateway.Inbound) bool { return in.Text == "42" }, ""},
		`"from":"22370000001","text":"a\u0000b"`:     {func(in *gateway.Inbound) bool { return in.Text == "ab" }, ""},
		`"from":"22370000001","replyTo":"msg 1"`:     {func(in *gateway.Inbound) bool { return in.ReplyTo == gateway.Quoted{} }, "replyTo"},
		`"from":"22370000001","choice":{"id":"oui"}`: {func(in *gateway.Inbound) bool { return in.Choice == gateway.Choice{} && in.Text == "STOP" }, "choice"},
		`"from":"22370000001","response":"{}"`:       {func(in *gateway.Inbound) bool { return in.Response == "" }, "response"},
		`"from":"22370000001","displayName":["Awa"]`: {func(in *gateway.Inbound) bool { return in.DisplayName == "" }, ""},
		`"from":"22370000001","at":1782117971000`:    {func(in *gateway.Inbound) bool { return in.At.Equal(time.UnixMilli(1782117971000)) }, ""},
		`"from":"22370000001","choice":{"id":"","title":"` + strings.Repeat("x", maxName+1) + `"},"text":""`: {func(in *gateway.Inbound) bool { return len(in.Text) == maxName+1 }, "choice"},
	} {
		s, f, env := openedWhatsApp(t)
		f.info = plainInfo
		if failure := s.ensureInfo(t.Context()); failure != nil {
			t.Fatal(failure)
		}
		if got := event(t, s, env, "inbound", fields); got != http.StatusOK || len(env.Sink.Messages()) != 1 {
			t.Errorf("%s: %d, and %d messages", fields, got, len(env.Sink.Messages()))
			continue
		}
		if in := env.Sink.Messages()[0]; !tt.want(&in) {
			t.Errorf("%s is stored as %+v", fields, in)
		}
		logged := env.Logged()
		if tt.fields != "" && !strings.Contains(logged, "fields="+tt.fields) || tt.fields == "" && strings.Contains(logged, "fields=") {
			t.Errorf("%s: logged %q, want the fields %q", fields, logged, tt.fields)
		}
	}
	s, _, env := openedWhatsApp(t)
	body := strings.Replace(hiddenMessage, "STOP", `Awa\ud83d`, 1) // half an emoji
	if got := gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), []byte(body), env.Clock.Now())); got != http.StatusOK || env.Sink.Messages()[0].Text != "Awa\uFFFD" {
		t.Errorf("half an emoji: %d, %+v", got, env.Sink.Messages())
	}
}

// An event's order is a time in milliseconds. Another value is ignored.
// Rules: M208.
func TestEvents_Order(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 11, 59, 0, 1e6, time.UTC)
	for order, want := range map[string]time.Time{
		"1795175940001": at, `"1795175940001"`: at, "0": {}, "-1": {}, "1795175940": {}, "17951759400010000": {}, "1.5": {}, "null": {}, `"now"`: {}, "[1]": {}, "9223372036854775808": {},
	} {
		s, _, env := openedWhatsApp(t)
		body := `{"order":` + order + `,` + strings.TrimPrefix(hiddenMessage, "{")
		if got := gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), []byte(body), env.Clock.Now())); got != http.StatusOK || len(env.Sink.Messages()) != 1 {
			t.Fatalf("the order %s: %d, and %d messages", order, got, len(env.Sink.Messages()))
		}
		if in := env.Sink.Messages()[0]; !in.Order.Equal(want) {
			t.Errorf("the order %s is %v, want %v", order, in.Order, want)
		}
		ignored := want.IsZero() && order != "null" && order != "[1]"
		if strings.Contains(env.Logged(), "fields=order") != ignored {
			t.Errorf("the order %s: logged %q", order, env.Logged())
		}
	}
}

// Without an ID, a repeated event has the same one. Without a time as well, the same word of a later hour is news.
func TestEvents_WithoutAnID(t *testing.T) {
	t.Parallel()
	s, _, env := openedWhatsApp(t)
	for _, fields := range []string{
		`"id":"","from":"22370000001"`, `"id":"","from":"22370000001"`, `"id":"","from":"22370000001","at":"2026-11-20T12:00:01Z"`, `"id":"","from":"22370000002"`, `"id":"","from":"22370000001","text":"START"`,
		`"id":"","from":"22370000001","at":""`, `"id":"","from":"22370000001","at":""`,
	} {
		if got := event(t, s, env, "inbound", fields); got != http.StatusOK {
			t.Fatalf("%s: %d", fields, got)
		}
	}
	env.Clock.Advance(time.Hour)
	if got := event(t, s, env, "inbound", `"id":"","from":"22370000001","at":""`); got != http.StatusOK {
		t.Fatalf("%d", got)
	}
	in := env.Sink.Messages()
	ids := map[string]bool{}
	for _, m := range in {
		ids[m.ID] = true
	}
	if in[0].ID != in[1].ID || in[5].ID != in[6].ID || len(ids) != 6 {
		t.Errorf("the IDs are %v", ids)
	}
}

func TestEvents_SignatureIsCheckedFirst(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, map[string]any{"keys": []any{
		map[string]any{"id": "k1", "secret": testSecret}, map[string]any{"id": "k2", "secret": strings.Repeat("z", 32)},
	}})
	now := env.Clock.Now()
	for name, r := range map[string]*http.Request{
		"unsigned":      httptest.NewRequest(http.MethodPost, "/events", gatewaytest.UnreadBody(t)),
		"unknown key":   signedCall(Key{ID: "k3", Secret: testSecret}, nil, now),
		"stale":         signedCall(testKey(), nil, now.Add(-time.Hour)),
		"another's key": signedCall(Key{ID: "k2", Secret: testSecret}, []byte(goodReceipt), now),
		"not JSON":      signedCall(Key{ID: "k1", Secret: "wrong"}, []byte("{"), now), // 400 would mean that it was parsed
	} {
		if name == "unknown key" || name == "stale" {
			r.Body = io.NopCloser(gatewaytest.UnreadBody(t))
		}
		if got := gatewaytest.Call(s.WebhookHandler(), r); got != http.StatusUnauthorized {
			t.Errorf("%s: %d, want 401", name, got)
		}
	}
	if got := gatewaytest.Call(s.WebhookHandler(), signedCall(Key{ID: "k2", Secret: strings.Repeat("z", 32)}, []byte(goodReceipt), now)); got != http.StatusOK {
		t.Errorf("the second key: %d", got)
	}
	if n := len(env.Sink.Receipts()); n != 1 {
		t.Errorf("%d receipts, want 1", n)
	}
}

func TestEvents_MethodsPathsAndSizes(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, nil)
	large := bytes.Repeat([]byte(" "), maxEvent+1)
	for want, r := range map[int]*http.Request{
		http.StatusMethodNotAllowed:      httptest.NewRequest(http.MethodGet, "/events", nil),
		http.StatusNotFound:              httptest.NewRequest(http.MethodPost, "/", nil),
		http.StatusRequestEntityTooLarge: signedCall(testKey(), large, env.Clock.Now()),
	} {
		if got := gatewaytest.Call(s.WebhookHandler(), r); got != want {
			t.Errorf("%s %s: %d, want %d", r.Method, r.URL, got, want)
		}
	}
}

// An event that the sink can't store is refused, so that the gateway repeats it.
func TestEvents_SinkFails(t *testing.T) {
	t.Parallel()
	s, _, env := opened(t, nil)
	env.Sink.Refuse(1)
	for _, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		if got := gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), []byte(goodReceipt), env.Clock.Now())); got != want {
			t.Errorf("%d, want %d", got, want)
		}
	}
}

func FuzzEvent(f *testing.F) {
	for _, s := range []string{goodReceipt, `{"type":"inbound","inbound":{}}`, hiddenMessage, `{"type":"change","change":{"kind":"pair_known"}}`, `{"type":"connection","connection":{"at":"2026-11-20T12:00:00Z"}}`, `{"type":1}`, `null`, `"`} {
		f.Add([]byte(s))
	}
	env := gatewaytest.NewEnvironment()
	s, err := Open([]byte(`{"url":"http://127.0.0.1:1","channels":["sms","whatsapp"],"keys":[{"id":"k1","secret":"`+testSecret+`"}]}`), env.Deps())
	if err != nil {
		f.Fatal(err)
	}
	handler := s.(*sender).WebhookHandler()
	f.Fuzz(func(t *testing.T, body []byte) {
		got := gatewaytest.Call(handler, signedCall(testKey(), body, env.Clock.Now()))
		if got != http.StatusOK && got != http.StatusBadRequest {
			t.Errorf("%q: %d", body, got)
		}
		if got == http.StatusOK && !json.Valid(body) {
			t.Errorf("%q is accepted", body)
		}
		if all := env.Sink.Messages(); len(all) > 0 {
			if in := all[len(all)-1]; in.Address() == "" || in.Person.ID != "" && !whatsappid.Is(in.Person.ID) {
				t.Errorf("%q is from %q with the ID %q", body, in.From, in.Person.ID)
			}
		}
	})
}
