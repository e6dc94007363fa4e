package device_test

import (
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
)

const awaID = "100001@lid" // without the device of her phone

// A person whose number WhatsApp hides can write and is answered like any other. What a message shows is not mixed with
// what is known from earlier ones.
func TestDevice_PeopleWithoutANumber(t *testing.T) {
	s := server(t)
	d, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	s.Identify(awa, fakewhatsapp.ByID)
	stop := phone.Send(t, ours, "STOP")
	if m := next(t, h.inbound, "message"); m.ID != stop || m.Text != "STOP" || m.From != (device.Person{ID: awaID}) || m.Known != "" {
		t.Fatalf("the message is %+v, want STOP from %s without a number", m, awaID)
	}
	id := device.MessageID(ours, "msg_1")
	if f := send(t, d, device.Message{ID: id, To: device.Person{ID: awaID}, Text: "Entendu", ReplyTo: &device.Quoted{ID: stop, Text: "STOP"}}); f != nil {
		t.Fatalf("the answer failed: %+v", *f)
	}
	got := phone.Message(t).Message.GetExtendedTextMessage()
	if of := got.GetContextInfo(); got.GetText() != "Entendu" || of.GetStanzaID() != stop || of.GetParticipant() != awaID {
		t.Errorf("the phone got %v, want Entendu in answer to %s of %s", got, stop, awaID)
	}
	if r := next(t, h.receipts, "receipt"); r.MessageIDs[0] != id || r.From != (device.Person{ID: awaID}) {
		t.Errorf("the receipt is %+v, want one of %s from %s", r, id, awaID)
	}
	if f := d.MarkRead(t.Context(), device.Person{ID: awaID}, []string{stop}, time.Now()); f != nil {
		t.Errorf("marking as read failed: %+v", *f)
	}
	phonetest.Wait(t, phone, func(r *events.Receipt) bool { return r.Type == types.ReceiptTypeRead && r.MessageIDs[0] == stop })
	if len(h.pairs) > 0 {
		t.Errorf("the pair %+v is reported, which nobody has told", <-h.pairs)
	}

	s.Identify(awa, fakewhatsapp.ByBoth)
	phone.Send(t, ours, "Me voici")
	both := device.Person{Number: awa, ID: awaID}
	if m := next(t, h.inbound, "message"); m.From != both || m.Known != "" {
		t.Errorf("the message is %+v, want one from %+v", m, both)
	}
	if p := next(t, h.pairs, "pair"); p != both {
		t.Errorf("the pair is %+v, want %+v", p, both)
	}
	s.Identify(awa, fakewhatsapp.ByID)
	phone.Send(t, ours, "Cachée")
	if m := next(t, h.inbound, "message"); m.From != (device.Person{ID: awaID}) || m.Known != awa {
		t.Errorf("the message is %+v, want one from %s, whose number is known", m, awaID)
	}
	s.Identify(awa, fakewhatsapp.ByNumber)
	phone.Send(t, ours, "Ancien")
	if m := next(t, h.inbound, "message"); m.From != (device.Person{Number: awa}) {
		t.Errorf("the message is %+v, want one from %s without the ID that only the map has", m, awa)
	}
	if len(h.pairs) > 0 {
		t.Errorf("the pair %+v is reported again", <-h.pairs)
	}
}

// An unreadable message is reported. Its sender repeats it, and then it comes under the same ID.
func TestDevice_ReportsUnreadableMessages(t *testing.T) {
	s := server(t)
	_, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	phone.Send(t, ours, "un")
	next(t, h.inbound, "message")
	s.Identify(awa, fakewhatsapp.ByID)
	s.Garble(awa)
	id := phone.Send(t, ours, "deux")
	if m := next(t, h.unreadable, "unreadable message"); m.ID != id || m.From != (device.Person{ID: awaID}) || m.Known != awa || m.Kind != "unavailable" || m.At.IsZero() || !m.may {
		t.Errorf("the unreadable message is %+v, want one of %s that might come", m, awaID)
	}
	if m := next(t, h.inbound, "message"); m.ID != id || m.Text != "deux" || !m.Again {
		t.Errorf("the message is %+v, want deux with %s", m, id)
	}
	if len(h.unreadable) > 0 {
		t.Error("the readable message is reported, too")
	}
}

// A message that WhatsApp gives only to phones is reported.
func TestDevice_ReportsUnavailableMessages(t *testing.T) {
	s := server(t)
	_, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	for kind, may := range map[string]bool{"view_once": false, "": true} {
		s.Withhold(awa, kind)
		id := phone.Send(t, ours, "un")
		if m := next(t, h.unreadable, "unreadable message"); m.ID != id || m.From != (device.Person{Number: awa, ID: awaID}) || m.Kind != "unavailable" || m.may != may {
			t.Errorf("the message of the type %q is %+v, want %s of %s, which might come: %v", kind, m, id, awa, may)
		}
	}
	phone.Send(t, ours, "deux")
	if m := next(t, h.inbound, "message"); m.Text != "deux" || m.Again {
		t.Errorf("the next message is %+v, want deux", m)
	}
}

// What was reported as unreadable is withdrawn if it is no message of a person. An edit isn't reported at all.
func TestDevice_WithdrawsUnreadableMessages(t *testing.T) {
	s := server(t)
	_, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	written := phone.Send(t, ours, "un")
	next(t, h.inbound, "message")
	s.Garble(awa)
	id := phone.SendMessage(t, ours, &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{
		Type: waE2E.ProtocolMessage_EPHEMERAL_SETTING.Enum(), EphemeralExpiration: proto.Uint32(86400),
	}})
	if m := next(t, h.unreadable, "unreadable message"); m.ID != id {
		t.Errorf("the unreadable message is %+v, want %s", m, id)
	}
	if got := next(t, h.withdrawn, "withdrawal"); got != id {
		t.Errorf("%s is withdrawn, want %s", got, id)
	}
	s.Garble(awa)
	phone.SendMessage(t, ours, phone.Client.BuildEdit(types.NewJID(ours, types.DefaultUserServer), written, &waE2E.Message{Conversation: proto.String("Lundi")}))
	if r := next(t, h.revisions, "edit"); r.Text != "Lundi" || len(h.unreadable) > 0 {
		t.Errorf("the edit is %+v, and %d messages are reported", r, len(h.unreadable))
	}
}
