package gateway_test

import (
	"testing"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/gateway"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/storetest"
)

// report returns the next message or change.
func (w *world) report() protocol.Event {
	w.t.Helper()
	return w.next("message or change", func(e protocol.Event) bool { return e.Inbound != nil || e.Change != nil })
}

// What the owner writes on the phone is reported as the owner's, if the setting asks for it. What Griot has sent, notes to
// oneself, and messages to groups are not.
func TestGateway_OwnMessages(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.OwnMessages, c.FirstContact = true, true }, storetest.Limits)
	w.whatsApp.AddGroup(fakewhatsapp.Group{ID: "12036300001", Name: "Parents", Members: []string{awa, shop}, Admins: map[string]bool{}})
	customer := phonetest.New(t, w.whatsApp, awa)
	owner := phonetest.New(t, w.whatsApp, shop)
	asked := customer.Send(t, shop, "C'est combien ?")
	if m := w.inbound(); m.ID != asked {
		t.Fatalf("the message is %+v", m)
	}
	typed := owner.SendMessage(t, awa, &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{
		Text: proto.String("STOP"), ContextInfo: &waE2E.ContextInfo{StanzaID: proto.String(asked), Participant: proto.String(awa + "@s.whatsapp.net")},
	}})
	if c := w.report().Change; c == nil || c.Kind != "message_sent" || c.MessageID != typed || c.From != awa || c.To != shop || c.Own || c.At.IsZero() || *c.Content != (protocol.Content{Kind: "text", Text: "STOP", ReplyToID: asked}) {
		t.Errorf("the report is %+v, want STOP by the owner", c)
	}
	chat := types.NewJID(awa, types.DefaultUserServer)
	owner.SendMessage(t, awa, owner.Client.BuildEdit(chat, typed, &waE2E.Message{Conversation: proto.String("200 francs")}))
	if c := w.report().Change; c == nil || c.Kind != "message_edited" || !c.Own || c.MessageID != typed || c.From != awa || c.Content.Text != "200 francs" {
		t.Errorf("the report is %+v, want an edit by the owner", c)
	}
	owner.SendMessage(t, awa, owner.Client.BuildRevoke(chat, types.EmptyJID, typed))
	if c := w.report().Change; c == nil || c.Kind != "message_deleted" || !c.Own || c.MessageID != typed {
		t.Errorf("the report is %+v, want a deletion by the owner", c)
	}
	owner.SendMessage(t, awa, &waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Key: &waCommon.MessageKey{ID: proto.String(asked)}, Text: proto.String("👍")}})
	if c := w.report().Change; c == nil || c.Kind != "message_sent" || *c.Content != (protocol.Content{Kind: "reaction", Text: "👍", ReplyToID: asked}) {
		t.Errorf("the report is %+v, want a reaction by the owner", c)
	}

	w.taken(message("msg_1", "Votre code est 123456", nil))
	if _, err := owner.Client.SendMessage(t.Context(), chat, &waE2E.Message{Conversation: proto.String("Votre code est 123456")}, whatsmeow.SendRequestExtra{ID: device.MessageID(shop, "msg_1")}); err != nil {
		t.Fatal(err)
	}
	for _, to := range []types.JID{types.NewJID("12036300001", types.GroupServer), types.NewJID(shop, types.DefaultUserServer)} {
		if _, err := owner.Client.SendMessage(t.Context(), to, &waE2E.Message{Conversation: proto.String("privé")}); err != nil {
			t.Fatal(err)
		}
	}
	last := owner.Send(t, awa, "À demain")
	if c := w.report().Change; c == nil || c.MessageID != last || c.Content.Text != "À demain" {
		t.Errorf("the report is %+v, want only the last message", c)
	}
}

// Without the setting, nothing of it is reported.
func TestGateway_OwnMessagesAreOff(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	customer := phonetest.New(t, w.whatsApp, awa)
	owner := phonetest.New(t, w.whatsApp, shop)
	customer.Send(t, shop, "un")
	w.inbound()
	owner.Send(t, awa, "privé")
	id := customer.Send(t, shop, "deux")
	if e := w.report(); e.Inbound == nil || e.Inbound.ID != id {
		t.Errorf("the report is %+v, want deux", e)
	}
}
