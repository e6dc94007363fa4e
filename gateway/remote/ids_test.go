package remote

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

const (
	hidden        = "123456789012345@lid"
	hiddenMessage = `{"type":"inbound","inbound":{"id":"a","channel":"whatsapp","fromId":"123456789012345@lid","to":"22376543210","text":"STOP","at":"2026-11-20T12:00:00Z"}}`
)

// event posts an event with these fields besides the valid ones of its type, and returns the status.
func event(t *testing.T, s *sender, env *gatewaytest.Environment, typ, fields string) int {
	t.Helper()
	members := map[string]any{}
	base := map[string]string{
		"inbound": `"id":"a","to":"22376543210","text":"STOP"`, "receipt": `"reference":"msg_1","status":"delivered"`, "change": `"to":"22376543210"`,
	}[typ]
	for _, given := range []string{base, `"channel":"whatsapp","at":"2026-11-20T12:00:00Z"`, fields} {
		if err := json.Unmarshal([]byte("{"+given+"}"), &members); err != nil {
			t.Fatalf("%s: %v", given, err)
		}
	}
	body, err := json.Marshal(map[string]any{"type": typ, typ: members})
	if err != nil {
		t.Fatal(err)
	}
	return gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), body, env.Clock.Now()))
}

func openedWhatsApp(t *testing.T) (*sender, *fakeGateway, *gatewaytest.Environment) {
	t.Helper()
	return opened(t, map[string]any{"channels": []string{"whatsapp", "sms"}, "portfolio": "shops"})
}

// A message with a number or an ID is never lost, whatever the other fields about its sender are.
func TestEvents_PeopleWithoutANumber(t *testing.T) {
	t.Parallel()
	id := func(id string) gateway.PersonID { return gateway.PersonID{Portfolio: "shops", ID: id} }
	for fields, want := range map[string]struct {
		from   string
		person gateway.PersonID
	}{
		`"from":"22370000001"`:                                                           {from: aissata},
		`"from":"22370000001","fromId":null`:                                             {from: aissata},
		`"from":"22370000001","fromId":""`:                                               {from: aissata},
		`"from":"22370000001","fromId":5`:                                                {from: aissata},
		`"from":"22370000001","fromId":"123:4@lid"`:                                      {from: aissata},
		`"from":"22370000001","fromId":"22370000002","portfolio":"x"`:                    {from: aissata},
		`"from":"22370000001","fromUsername":"awa.t"`:                                    {from: aissata},
		`"from":"22370000001","fromId":"` + hidden + `"`:                                 {aissata, id(hidden)},
		`"fromId":"` + hidden + `"`:                                                      {"", id(hidden)},
		`"from":"","fromId":"` + hidden + `"`:                                            {"", id(hidden)},
		`"from":null,"fromId":"` + hidden + `","portfolio":"others"`:                     {"", id(hidden)},
		`"from":7,"fromId":"` + hidden + `"`:                                             {"", id(hidden)},
		`"from":"awa","fromId":"` + hidden + `"`:                                         {"", id(hidden)},
		`"from":"` + hidden + `"`:                                                        {"", id(hidden)},
		`"from":"BR.1aB"`:                                                                {"", id("BR.1aB")},
		`"fromParentId":"ML.ENT.7"`:                                                      {"", id("ML.ENT.7")},
		`"fromId":"ML.9001","fromParentId":"ML.7"`:                                       {"", id("ML.9001")},
		`"fromId":"ML.9001","fromParentId":{},"fromUsername":["awa"]`:                    {"", id("ML.9001")},
		`"fromId":"ML.9001","fromUsername":"a\u0000b","fromSource":7`:                    {"", gateway.PersonID{Portfolio: "shops", ID: "ML.9001", Username: "ab"}},
		`"fromId":"ML.9001","fromUsername":"` + strings.Repeat("a", maxUsername+1) + `"`: {"", id("ML.9001")},
		`"fromId":"ML.9001","fromParentId":"ML.ENT.7","fromUsername":"@awa.t"`: {"", gateway.PersonID{
			Portfolio: "shops", ID: "ML.9001", ParentID: "ML.ENT.7", Username: "awa.t",
		}},
	} {
		s, _, env := openedWhatsApp(t)
		if got := event(t, s, env, "inbound", fields); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", fields, got)
			continue
		}
		in := env.Sink.Messages()
		if len(in) != 1 || in[0].From != want.from || in[0].Person != want.person || in[0].Text != "STOP" {
			t.Errorf("%s: %+v, want from %q and %+v", fields, in, want.from, want.person)
		}
		if len(env.Sink.Changes()) > 0 || len(env.Unhandled()) > 0 {
			t.Errorf("%s: %+v and %v, want neither a change nor something dropped", fields, env.Sink.Changes(), env.Unhandled())
		}
	}
	for _, fields := range []string{
		``, `"from":""`, `"fromId":"22370000001"`, `"from":"awa"`, `"fromId":"0123@lid"`, `"fromUsername":"awa.t"`,
	} {
		s, _, env := openedWhatsApp(t)
		if got := event(t, s, env, "inbound", fields); got != http.StatusBadRequest || env.Unhandled()[gateway.UnhandledUnreadable] != 1 {
			t.Errorf("%s: %d and dropped %v, want 400 and one unreadable", fields, got, env.Unhandled())
		}
	}
}

// The mark that the provider's own agent has the conversation is read. No other value loses the message.
func TestEvents_Standby(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{"true": true, "false": false, "null": false, `"true"`: false, "1": false, "{}": false} {
		s, _, env := openedWhatsApp(t)
		if got := event(t, s, env, "inbound", `"from":"22370000001","standby":`+value); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", value, got)
			continue
		}
		if in := env.Sink.Messages(); len(in) != 1 || in[0].Standby != want || in[0].Text != "STOP" {
			t.Errorf("%s: %+v, want standby %v", value, in, want)
		}
	}
}

// A number that the message doesn't show is not reported as shown. With a time, it is reported as a pair before the message.
func TestEvents_NumberOfAnEarlierReport(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	person := gateway.PersonID{Portfolio: "shops", ID: hidden}
	known := `"from":"22370000001","fromId":"` + hidden + `","fromSource":`
	for fields, want := range map[string]struct {
		from   string
		paired time.Time
	}{
		known + `"shown"`: {from: aissata},
		known + `"paired","fromPairedAt":"2026-11-01T09:00:00+01:00"`: {paired: at},
		known + `null`:                           {from: aissata},
		known + `["shown"]`:                      {},
		known + `{}`:                             {},
		known + `"paired"`:                       {},
		known + `"paired","fromPairedAt":"soon"`: {},
		known + `"paired","fromPairedAt":1`:      {},
		known + `"guessed","fromPairedAt":"2026-11-01T08:00:00Z"`:                               {paired: at},
		`"fromId":"` + hidden + `","fromSource":"paired","fromPairedAt":"2026-11-01T08:00:00Z"`: {},
	} {
		s, _, env := openedWhatsApp(t)
		if got := event(t, s, env, "inbound", fields); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", fields, got)
			continue
		}
		if in := env.Sink.Messages(); len(in) != 1 || in[0].From != want.from || in[0].Person != person {
			t.Errorf("%s: %+v, want from %q", fields, in, want.from)
		}
		var changes []gateway.Change
		if !want.paired.IsZero() {
			changes = []gateway.Change{{Channel: gateway.WhatsApp, Kind: gateway.PairKnown, To: ourNumber, From: aissata, Person: person, At: want.paired}}
		}
		if got := env.Sink.Changes(); !reflect.DeepEqual(got, changes) {
			t.Errorf("%s: %+v, want %+v", fields, got, changes)
		}
	}
	s, _, env := openedWhatsApp(t)
	if got := event(t, s, env, "inbound", `"from":"22370000001","fromSource":"paired"`); got != http.StatusOK || env.Sink.Messages()[0].Source != gateway.NumberPaired {
		t.Errorf("without an ID: %d, %+v, want the source paired", got, env.Sink.Messages())
	}
	s, _, env = openedWhatsApp(t)
	env.Sink.Refuse(1)
	for _, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		if got := event(t, s, env, "inbound", known+`"paired","fromPairedAt":"2030-11-01T08:00:00Z"`); got != want {
			t.Errorf("with a pair that wasn't stored at first: %d, want %d", got, want)
		}
	}
	if got := env.Sink.Changes()[0].At; !got.Equal(env.Clock.Now()) {
		t.Errorf("a time to come becomes %v, want now", got)
	}
}

func TestEvents_UnknownKinds(t *testing.T) {
	t.Parallel()
	s, _, env := openedWhatsApp(t)
	for _, fields := range []string{`"kind":"smell","from":"22370000001"`, `"kind":5,"from":"22370000001"`} {
		if got := event(t, s, env, "inbound", fields); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", fields, got)
		}
	}
	if got := event(t, s, env, "change", `"kind":"hair_changed"`); got != http.StatusOK {
		t.Errorf("an unknown change: %d, want 200", got)
	}
	if got := gatewaytest.Call(s.WebhookHandler(), signedCall(testKey(), []byte(`{"type":"weather"}`), env.Clock.Now())); got != http.StatusOK {
		t.Errorf("an unknown type: %d, want 200", got)
	}
	in := env.Sink.Messages()
	if len(in) != 2 || in[0].Type != gateway.InboundOther || in[0].Text != "STOP" || in[1].Type != gateway.InboundOther || in[1].Text != "STOP" {
		t.Errorf("stored %+v, want unsupported messages with their text", in)
	}
	if n := env.Unhandled()[gateway.UnhandledKind]; n != 4 || len(env.Sink.Changes()) > 0 {
		t.Errorf("%d counted and %+v, want 4 and no change", n, env.Sink.Changes())
	}
	if logged := env.Logged(); strings.Count(logged, "WARN") != 4 || strings.Contains(logged, "STOP") || strings.Contains(logged, "smell") {
		t.Errorf("the log is %s, want four warnings without content", logged)
	}
}

// A price of another form says nothing, and no receipt is refused because of it.
// Rules: M201.
func TestEvents_Pricing(t *testing.T) {
	t.Parallel()
	for pricing, want := range map[string]*gateway.Pricing{
		`{"billable":true,"category":"utility"}`:             {Billable: true, Category: "utility"},
		`{"billable":false,"category":"SERVICE","more":[1]}`: {Category: "service"},
		`{"billable":true,"category":"a b"}`:                 {Billable: true},
		`{"billable":true,"category":7}`:                     {Billable: true},
		`{"billable":"true","category":"utility"}`:           nil,
		`{"category":"utility"}`:                             nil,
		`{}`:                                                 nil,
		`null`:                                               nil,
		`"free"`:                                             nil,
		`[true]`:                                             nil,
	} {
		s, _, env := openedWhatsApp(t)
		if got := event(t, s, env, "receipt", `"pricing":`+pricing); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", pricing, got)
			continue
		}
		if diff := cmp.Diff(want, env.Sink.Receipts()[0].Pricing); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pricing, diff)
		}
	}
}

func TestEvents_Receipts(t *testing.T) {
	t.Parallel()
	person := gateway.PersonID{Portfolio: "shops", ID: hidden}
	for fields, want := range map[string]struct {
		recipient string
		person    gateway.PersonID
	}{
		``:                               {},
		`"recipient":"+22370000001"`:     {recipient: aissata},
		`"recipient":5,"recipientId":[]`: {},
		`"recipient":"awa","recipientId":"22370000001"`:            {},
		`"recipientId":"` + hidden + `"`:                           {person: person},
		`"recipient":"22370000001","recipientId":"` + hidden + `"`: {aissata, person},
	} {
		s, _, env := openedWhatsApp(t)
		if got := event(t, s, env, "receipt", fields); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", fields, got)
			continue
		}
		if r := env.Sink.Receipts()[0]; r.Recipient != want.recipient || r.Person != want.person {
			t.Errorf("%s: %+v, want %+v", fields, r, want)
		}
	}
}

func TestEvents_Changes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	person := gateway.PersonID{Portfolio: "shops", ID: "ML.9002"}
	change := func(kind gateway.ChangeKind, more func(*gateway.Change)) gateway.Change {
		c := gateway.Change{Channel: gateway.WhatsApp, Kind: kind, To: ourNumber, Person: person, At: at}
		more(&c)
		return c
	}
	for fields, want := range map[string]gateway.Change{
		`"id":"c1","kind":"number_changed","from":"22370000002","fromId":"ML.9002","oldNumber":"22370000001","oldId":"ML.9001","oldParentId":"ML.ENT.1"`: change(gateway.NumberChanged, func(c *gateway.Change) {
			c.ID, c.From, c.OldNumber, c.OldID, c.OldParent = "c1", "22370000002", aissata, "ML.9001", "ML.ENT.1"
		}),
		`"kind":"id_changed","fromId":"ML.9002","oldId":"ML.9001"`:    change(gateway.IDChanged, func(c *gateway.Change) { c.OldID = "ML.9001" }),
		`"kind":"pair_known","from":"22370000001","fromId":"ML.9002"`: change(gateway.PairKnown, func(c *gateway.Change) { c.From = aissata }),
		`"kind":"message_edited","fromId":"ML.9002","messageId":"m1","content":{"kind":"text","text":"Demain"}`: change(gateway.MessageEdited, func(c *gateway.Change) {
			c.MessageID, c.Content = "m1", &gateway.Inbound{Type: gateway.InboundText, Text: "Demain"}
		}),
		`"kind":"message_deleted","fromId":"ML.9002","messageId":"m1"`: change(gateway.MessageDeleted, func(c *gateway.Change) { c.MessageID = "m1" }),
		`"kind":"message_edited","fromId":"ML.9002","messageId":"m1","to":{},"channel":"","content":{"kind":7,"text":"Demain","choice":[]}`: change(gateway.MessageEdited, func(c *gateway.Change) {
			c.MessageID, c.To, c.Content = "m1", "", &gateway.Inbound{Type: gateway.InboundOther, Text: "Demain"}
		}),
		`"kind":"message_sent","fromId":"ML.9002","messageId":"m1","content":{"kind":"image","text":"Demain","replyToId":"m0"}`: change(gateway.MessageSent, func(c *gateway.Change) {
			c.MessageID, c.Content = "m1", &gateway.Inbound{Type: gateway.InboundImage, Text: "Demain", ReplyTo: gateway.Quoted{ProviderID: "m0"}}
		}),
		`"kind":"message_edited","own":true,"fromId":"ML.9002","messageId":"m1","content":{"text":"Demain"}`: change(gateway.MessageEdited, func(c *gateway.Change) {
			c.MessageID, c.Own, c.Content = "m1", true, &gateway.Inbound{Text: "Demain"}
		}),
		`"kind":"message_deleted","own":true,"fromId":"ML.9002","messageId":"m1"`:  change(gateway.MessageDeleted, func(c *gateway.Change) { c.MessageID, c.Own = "m1", true }),
		`"kind":"message_deleted","own":"yes","fromId":"ML.9002","messageId":"m1"`: change(gateway.MessageDeleted, func(c *gateway.Change) { c.MessageID = "m1" }),
		`"kind":"message_unreadable","fromId":"ML.9002"`:                           change(gateway.MessageUnreadable, func(*gateway.Change) {}),
		`"kind":"message_unreadable"`:                                              change(gateway.MessageUnreadable, func(c *gateway.Change) { c.Person = gateway.PersonID{} }),
		`"kind":"marketing_stopped","fromId":"ML.9002"`:                            change(gateway.MarketingStopped, func(*gateway.Change) {}),
		`"kind":"marketing_resumed","fromId":"ML.9002"`:                            change(gateway.MarketingResumed, func(*gateway.Change) {}),
	} {
		s, _, env := openedWhatsApp(t)
		if got := event(t, s, env, "change", fields); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", fields, got)
			continue
		}
		if got := env.Sink.Changes(); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
			t.Errorf("%s: %+v, want %+v", fields, got, want)
		}
	}
	for _, fields := range []string{
		``, `"kind":"number_changed","from":"22370000002"`, `"kind":"id_changed","oldId":"ML.9001"`, `"kind":"pair_known","from":"22370000001"`, `"kind":"pair_known","fromId":"ML.9002"`,
		`"kind":"message_edited","fromId":"ML.9002","messageId":"m1"`, `"kind":"message_edited","fromId":"ML.9002","content":{"text":"x"}`, `"kind":"message_deleted","fromId":"ML.9002"`,
		`"kind":"message_sent","messageId":"m1","content":{"text":"x"}`, `"kind":"message_sent","fromId":"ML.9002","content":{"text":"x"}`, `"kind":"message_sent","fromId":"ML.9002","messageId":"m1"`,
		`"kind":"message_deleted","messageId":"m1"`, `"kind":"marketing_stopped"`, `"kind":"message_unreadable","channel":"sms"`,
		`"kind":"message_deleted","fromId":"ML.9002","messageId":"` + strings.Repeat("m", maxID+1) + `"`,
	} {
		s, _, env := openedWhatsApp(t)
		if got := event(t, s, env, "change", fields); got != http.StatusBadRequest || len(env.Sink.Changes()) > 0 {
			t.Errorf("%s: %d and %+v, want 400", fields, got, env.Sink.Changes())
		}
	}
	s, _, env := openedWhatsApp(t)
	for _, at := range []string{`"at":null`, `"at":"soon","to":""`, `"at":"2040-01-01T00:00:00Z"`} {
		if got := event(t, s, env, "change", `"kind":"message_unreadable",`+at); got != http.StatusOK {
			t.Errorf("%s: %d, want 200", at, got)
		}
	}
	for _, c := range env.Sink.Changes() {
		if !c.At.Equal(env.Clock.Now()) {
			t.Errorf("the time is %v, want now", c.At)
		}
	}
}

// Griot names its features in every request and in every response to an event.
func TestFeatures(t *testing.T) {
	t.Parallel()
	s, f, env := openedWhatsApp(t)
	for path, r := range map[string]*http.Request{
		"stored": signedCall(testKey(), []byte(hiddenMessage), env.Clock.Now()), "invalid": signedCall(testKey(), []byte("{"), env.Clock.Now()), "unsigned": httptest.NewRequest(http.MethodPost, "/events", http.NoBody),
	} {
		rec := httptest.NewRecorder()
		s.WebhookHandler().ServeHTTP(rec, r)
		if got := rec.Header().Get(HeaderFeatures); got != "ids" {
			t.Errorf("the response to an event that is %s has the features %q, want ids", path, got)
		}
	}
	if _, err := s.Send(t.Context(), whatsApp()); err != nil {
		t.Fatal(err)
	}
	if body, err := s.OpenMedia(t.Context(), "/info", http.DefaultClient); err == nil {
		_ = body.Close()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.features) != 3 || strings.Join(f.features, " ") != "ids ids ids" {
		t.Errorf("the requests %v have the features %q, want ids in each", f.requests, f.features)
	}
}

func whatsApp() *gateway.Outbound {
	out := message()
	out.Channel = gateway.WhatsApp
	return out
}

func TestSend_ToAnID(t *testing.T) {
	t.Parallel()
	info := func(more string) string { return `{"protocol":1,"read":true` + more + `}` }
	for name, tt := range map[string]struct {
		info      string
		out       func(*gateway.Outbound)
		sent, err string
	}{
		"an ID":                    {info(`,"ids":true`), func(o *gateway.Outbound) { o.To, o.ToID = "", hidden }, `"" "123456789012345@lid"`, ""},
		"to a gateway without IDs": {info(``), func(o *gateway.Outbound) { o.To, o.ToID = "", hidden }, "", "permanent id_unsupported"},
		"a number and an ID":       {info(``), func(o *gateway.Outbound) { o.ToID = hidden }, `"22370000001" ""`, ""},
		"something else":           {info(`,"ids":true`), func(o *gateway.Outbound) { o.To, o.ToID = "", "awa.t" }, "", "permanent recipient_invalid"},
		"an ID on another channel": {info(`,"ids":true`), func(o *gateway.Outbound) { o.Channel, o.To, o.ToID = gateway.SMS, "", hidden }, "", "unreachable recipient_invalid"},
	} {
		s, f, _ := openedWhatsApp(t)
		f.info = tt.info
		out := whatsApp()
		tt.out(out)
		_, err := s.Send(t.Context(), out)
		if tt.err != "" {
			gatewaytest.WantFailure(t, err, tt.err)
			continue
		}
		if got := fmt.Sprintf("%q %q", f.delivered[0].To, f.delivered[0].ToID); err != nil || got != tt.sent {
			t.Errorf("%s: sent to %s, %v, want %s", name, got, err, tt.sent)
		}
	}
	for info, want := range map[string]string{info(`,"ids":true`): `["" "22370000001"] ["123456789012345@lid" "123456789012345@lid"]`, info(``): `["22370000001"] [""]`} {
		s, f, env := openedWhatsApp(t)
		f.info = info
		for _, to := range []string{"", aissata} {
			if err := s.MarkRead(t.Context(), &gateway.Read{Channel: gateway.WhatsApp, From: ourNumber, To: to, ToID: hidden, IDs: []string{"a"}, At: env.Clock.Now()}); err != nil {
				t.Errorf("%s: %v", info, err)
			}
		}
		var to, ids []string
		for _, mark := range f.readMarks {
			to, ids = append(to, mark.To), append(ids, mark.ToID)
		}
		if got := fmt.Sprintf("%q %q", to, ids); got != want {
			t.Errorf("%s: marked %s, want %s", info, got, want)
		}
	}
}
