package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/gateway"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/storetest"
)

const awaID = "100001@lid"

// toID returns a message to Awa's ID.
func toID(reference, text string, more object) object {
	m := message(reference, text, more)
	delete(m, "to")
	m["toId"] = awaID
	return m
}

// change returns the next change.
func (w *world) change() protocol.Change {
	w.t.Helper()
	return *w.next("change", func(e protocol.Event) bool { return e.Change != nil }).Change
}

// number and ID are what identifies a message's sender.
func sender(m protocol.Inbound) [3]string { return [3]string{m.From, m.FromID, m.FromSource} }

func TestGateway_PeopleWithoutANumber(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	w.whatsApp.AddUser("22370000009", "100009")
	phone := phonetest.New(t, w.whatsApp, awa)
	w.whatsApp.Identify(awa, fakewhatsapp.ByID)
	if f := w.refused(toID("msg_0", "x", nil)); f != (protocol.Failure{Class: "unreachable", Code: "first_contact"}) {
		t.Errorf("a stranger: %+v, want first_contact", f)
	}
	asked := phone.Send(t, shop, "C'est combien ?")
	if m := w.inbound(); sender(m) != [3]string{"", awaID, ""} || m.ID != asked || m.Text != "C'est combien ?" {
		t.Fatalf("the message is %+v, want one of %s only", m, awaID)
	}
	w.taken(toID("msg_1", "200 francs", object{"replyTo": object{"id": asked, "text": "C'est combien ?"}}))
	if got := phone.Message(t).Message.GetExtendedTextMessage(); got.GetText() != "200 francs" || got.GetContextInfo().GetStanzaID() != asked || got.GetContextInfo().GetParticipant() != awaID {
		t.Errorf("the phone got %v, want 200 francs in answer to %s", got, asked)
	}
	if r := w.next("receipt", func(e protocol.Event) bool { return e.Receipt != nil }).Receipt; r.Reference != "msg_1" || r.RecipientID != awaID || r.Recipient != "" {
		t.Errorf("the receipt is %+v, want msg_1 delivered to %s", r, awaID)
	}
	w.taken(toID("msg_2", "On livre ?", object{"interactive": object{"buttons": []object{{"id": "yes", "title": "Oui"}, {"id": "no", "title": "Non"}}}}))
	phone.Message(t)
	phone.Send(t, shop, "2")
	if m := w.inbound(); m.Choice == nil || m.Choice.ID != "no" || m.ReplyTo != "msg_2" {
		t.Errorf("the answer is %+v, want the choice no to msg_2", m)
	}
	if status, _ := ask[object](t, w.gateway, "POST", "/read", object{"channel": "whatsapp", "from": shop, "toId": awaID, "ids": []string{asked}, "at": time.Now()}); status != http.StatusOK {
		t.Errorf("marking as read: %d, want 200", status)
	}
	phonetest.Wait(t, phone, func(r *events.Receipt) bool {
		return r.Type == types.ReceiptTypeRead && slices.Contains(r.MessageIDs, asked)
	})
	for name, to := range map[string]object{"nobody": {}, "a device": {"toId": "100001:4@lid"}, "a number as an ID": {"toId": awa}, "a number that is none": {"to": "awa", "toId": awaID}, "a business-scoped ID": {"toId": "ML.9001"}} {
		m := message("msg_x", "x", nil)
		delete(m, "to")
		for name, value := range to {
			m[name] = value
		}
		if f := w.refused(m); f.Class != "permanent" || f.Code != "message_invalid" && f.Code != "id_unsupported" {
			t.Errorf("a message to %s: %+v, want a permanent refusal", name, f)
		}
	}
	if f := w.refused(message("msg_3", "x", nil)); f.Code != "first_contact" || w.whatsApp.Lookups(awa) != 0 {
		t.Errorf("her number, which nobody has told: %+v after %d lookups, want first_contact and none", f, w.whatsApp.Lookups(awa))
	}
	w.whatsApp.Identify(awa, fakewhatsapp.ByBoth)
	phone.Send(t, shop, "Me voici")
	if m := w.inbound(); sender(m) != [3]string{awa, awaID, ""} {
		t.Errorf("the message is %+v, want one of both", m)
	}
	for reference, m := range map[string]object{"by the number": message("msg_4", "Bonjour", nil), "by the ID": toID("msg_5", "Bonjour", nil)} {
		w.taken(m)
		if got := phonetest.Text(phone.Message(t).Message); got != "Bonjour" {
			t.Errorf("%s: the phone got %q, want Bonjour", reference, got)
		}
	}
}

// Neither a message nor a pair is lost when the gateway ends.
func TestGateway_KeepsPairs(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	started := time.Now().Add(-time.Second)
	phone.Send(t, shop, "Bonjour")
	if m := w.inbound(); sender(m) != [3]string{awa, awaID, ""} || !m.FromPairedAt.IsZero() {
		t.Fatalf("the message is %+v, want one of both", m)
	}
	w.whatsApp.Identify(awa, fakewhatsapp.ByID)
	w.away.Store(true)
	phone.Send(t, shop, "Cachée")
	phonetest.Until(t, "the message to be stored", func() bool {
		n, err := w.store.Waiting(t.Context())
		return n > 0 && err == nil
	})
	w.stop()
	phone.Send(t, shop, "Plus tard")
	w.away.Store(false)
	w.gateway, w.stop = w.run()
	for texts := map[string]bool{}; !texts["Cachée"] || !texts["Plus tard"]; { // in any order
		m := w.inbound()
		if m.Text == "Bonjour" { // its end was not stored
			continue
		}
		if texts[m.Text] = true; sender(m) != [3]string{awa, awaID, "paired"} || m.FromPairedAt.Before(started) || m.FromPairedAt.After(time.Now().Add(time.Second)) {
			t.Errorf("%+v, want a message of %s, whose number is known since a moment", m, awaID)
		}
	}
	if f := w.settled(message("msg_1", "Bonsoir", nil)); f != (protocol.Failure{}) {
		t.Errorf("the answer: %+v, want it taken", f)
	}
	if got := phonetest.Text(phone.Message(t).Message); got != "Bonsoir" {
		t.Errorf("the phone got %q, want Bonsoir", got)
	}
}

// What WhatsApp tells about a person who has written without a number is told to Griot.
func TestGateway_TellsPairs(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.FirstContact = true }, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	w.whatsApp.Identify(awa, fakewhatsapp.ByID)
	phone.Send(t, shop, "Bonjour")
	w.inbound()
	w.taken(message("msg_1", "Promotion !", nil)) // to her number, about which the gateway asks WhatsApp
	if c := w.change(); c.Kind != "pair_known" || c.From != awa || c.FromID != awaID || c.To != shop || c.Channel != "whatsapp" || c.At.IsZero() {
		t.Errorf("the change is %+v, want the pair of %s", c, awa)
	}
}

// An unreadable message is a change, once a minute for a person. It is a message only when it can be read.
func TestGateway_ReportsUnreadableMessages(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	w.whatsApp.Identify(awa, fakewhatsapp.ByID)
	phone.Send(t, shop, "un")
	w.inbound()
	w.whatsApp.Garble(awa)
	id := phone.Send(t, shop, "deux")
	for change, repeated := false, false; !change || !repeated; { // events are sent at the same time, so they come in any order
		switch e := w.next("change and message", func(e protocol.Event) bool { return e.Inbound != nil || e.Change != nil }); {
		case e.Change != nil:
			if c := e.Change; c.Kind != "message_unreadable" || c.FromID != awaID || c.To != shop || c.At.IsZero() {
				t.Errorf("the change is %+v, want an unreadable message of %s", c, awaID)
			}
			change = true
		default:
			if m := e.Inbound; m.ID != id || m.Text != "deux" {
				t.Errorf("the message is %+v, want deux with %s", m, id)
			}
			repeated = true
		}
	}
	second := time.Now().Unix() // WhatsApp's times are in seconds, and a report's name contains one
	phonetest.Until(t, "the next second", func() bool { return time.Now().Unix() > second })
	w.whatsApp.Garble(awa)
	phone.Send(t, shop, "trois")
	if e := w.next("event", func(e protocol.Event) bool { return e.Inbound != nil || e.Change != nil }); e.Inbound == nil || e.Inbound.Text != "trois" {
		t.Errorf("the next event is %+v, want trois", e)
	}
	phonetest.Until(t, "all events to be taken", func() bool {
		n, err := w.store.Waiting(t.Context())
		return n == 0 && err == nil
	})
	for len(w.events) > 0 {
		if e := <-w.events; e.Change != nil {
			t.Errorf("a second change within the minute: %+v", e.Change)
		}
	}
	rec := httptest.NewRecorder()
	w.gateway.Probes().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	if want := `griot_whatsapp_unhandled_total{reason="unreadable"} 2`; !strings.Contains(rec.Body.String(), want) {
		t.Errorf("/metrics has no %s", want)
	}
}

// A message whose content doesn't come is a message without content: at once if WhatsApp gives it only to phones.
func TestGateway_UnavailableMessages(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.ContentWait = 200 * time.Millisecond }, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	w.whatsApp.Withhold(awa, "view_once")
	id := phone.Send(t, shop, "une fois")
	if e := w.next("event", func(protocol.Event) bool { return true }); e.Inbound == nil || e.Inbound.ID != id || e.Inbound.Kind != "unavailable" || e.Inbound.From != awa || e.Inbound.Text != "" {
		t.Errorf("the first event is %+v, want a message without its content", e)
	}
	w.whatsApp.Withhold(awa, "")
	id = phone.Send(t, shop, "deux")
	if m := w.inbound(); m.ID != id || m.Kind != "unavailable" || m.FromID != awaID {
		t.Errorf("the message is %+v, want %s without its content", m, id)
	}
	w.taken(message("msg_1", "Pouvez-vous répéter ?", nil)) // a person has written
	phone.Message(t)
}

// An older Griot gets what it accepts. The rest waits until it is replaced.
func TestGateway_OldGriot(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	other := phonetest.New(t, w.whatsApp, moussaOf(w))
	w.old.Store(true)
	for i, text := range []string{"un", "deux"} {
		phone.Send(t, shop, text)
		if m := w.inbound(); m.From != awa || m.Text != text {
			t.Errorf("the message is %+v, want %s from %s", m, text, awa)
		}
		if i == 0 { // the map is enough
			w.whatsApp.Identify(awa, fakewhatsapp.ByID)
		}
	}
	w.whatsApp.Identify(moussa, fakewhatsapp.ByID)
	for range 20 { // more than are sent at the same time
		other.Send(t, shop, "Cachée")
	}
	phone.Send(t, shop, "trois")
	if m := w.inbound(); m.Text != "trois" {
		t.Errorf("the message is %+v, want trois after those that wait", m)
	}
	phonetest.Until(t, "the others to wait", func() bool {
		n, err := w.store.Waiting(t.Context())
		return n == 20 && err == nil
	})
	if n := len(w.rejected); n > 0 {
		t.Errorf("Griot had to refuse %d messages, want none", n)
	}
	w.stop()
	w.gateway, w.stop = w.run() // it knows nothing of Griot yet
	w.await(device.Connected)
	if n := len(w.rejected); n > 0 {
		t.Errorf("after a restart, Griot had to refuse %d messages, want none", n)
	}

	// One node of Griot is new, and the load balancer sends the events to the old one.
	info := func(done func() bool) func() bool { // Griot asks again and again
		return func() bool {
			ask[protocol.Info](t, w.gateway, "GET", "/info", nil)
			return done()
		}
	}
	phonetest.Until(t, "the old node to refuse one", info(func() bool { return len(w.rejected) > 0 }))
	if e := <-w.rejected; e.Inbound.FromID != "100002@lid" {
		t.Errorf("the old node got %+v, want one of those that wait", e)
	}
	w.old.Store(false)
	phonetest.Until(t, "all to be brought", info(func() bool {
		n, err := w.store.Waiting(t.Context())
		return n == 0 && err == nil
	}))
	for range 20 {
		if m := w.inbound(); sender(m) != [3]string{"", "100002@lid", ""} {
			t.Errorf("the message is %+v, want one without a number", m)
		}
	}
}

const moussa = "22370000002"

// moussaOf adds Moussa and returns his number.
func moussaOf(w *world) string {
	w.whatsApp.AddUser(moussa, "100002")
	return moussa
}

// Edited and deleted messages are changes with the ID of the message.
func TestGateway_EditsAndDeletions(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	chat := types.NewJID(shop, types.DefaultUserServer)
	written := phone.Send(t, shop, "Demain")
	w.inbound()
	edit := phone.SendMessage(t, shop, phone.Client.BuildEdit(chat, written, &waE2E.Message{Conversation: proto.String("Lundi")}))
	if c := w.change(); c.ID != edit || c.Kind != "message_edited" || c.MessageID != written || c.From != awa || c.To != shop || c.Content == nil || *c.Content != (protocol.Content{Kind: "text", Text: "Lundi"}) || c.At.IsZero() {
		t.Errorf("the change is %+v, want the new text of %s", c, written)
	}
	revoke := phone.SendMessage(t, shop, phone.Client.BuildRevoke(chat, types.EmptyJID, written))
	if c := w.change(); c.ID != revoke || c.Kind != "message_deleted" || c.MessageID != written || c.From != awa || c.Content != nil {
		t.Errorf("the change is %+v, want the deletion of %s", c, written)
	}
}
