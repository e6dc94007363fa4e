package gateway_test

import (
	"net/http"
	"testing"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/gateway"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/storetest"
)

const (
	ana      = "551187654321"  // the number at WhatsApp
	anaToday = "5511987654321" // the number that people dial
)

func to(number, reference string, more object) object {
	m := message(reference, "Olá", more)
	m["to"] = number
	return m
}

// Both spellings of a number are the same person, who is not a stranger after a message and can answer a question.
func TestGateway_ReportsTheRecipientsNumber(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	w.whatsApp.AddUser(ana, "200001")
	w.whatsApp.AddSpelling(ana, anaToday)
	phone := phonetest.New(t, w.whatsApp, ana)

	for _, number := range []string{ana, anaToday} {
		if f := w.refused(to(number, "msg_0", nil)); f != (protocol.Failure{Class: "unreachable", Code: "first_contact"}) {
			t.Errorf("the stranger %s: %+v, want first_contact", number, f)
		}
		if n := w.whatsApp.Lookups(number); n != 0 {
			t.Errorf("WhatsApp was asked %d times for the stranger %s, want never", n, number)
		}
	}
	phone.Send(t, shop, "Oi")
	if m := w.inbound(); m.From != ana {
		t.Fatalf("the message is from %s, want %s", m.From, ana)
	}

	w.whatsApp.Set(fakewhatsapp.Faults{Refuse: map[fakewhatsapp.Query]int{fakewhatsapp.Lookups: 500}})
	if f := w.refused(to(anaToday, "msg_1", nil)); f != (protocol.Failure{Class: "temporary", Code: "lookup_failed", ProviderCode: "500"}) {
		t.Errorf("a failed lookup: %+v, want lookup_failed", f)
	}
	w.whatsApp.Set(fakewhatsapp.Faults{})
	buttons := object{"interactive": object{"buttons": []object{{"id": "yes", "title": "Sim"}, {"id": "no", "title": "Não"}}}}
	accepted := w.taken(to(anaToday, "msg_1", buttons))
	if accepted.Recipient != ana {
		t.Errorf("the recipient is %q, want %s", accepted.Recipient, ana)
	}
	if got := phone.Message(t); got.Info.ID != accepted.ProviderID {
		t.Errorf("the phone got %s, want %s", got.Info.ID, accepted.ProviderID)
	}
	if r := w.next("receipt", func(e protocol.Event) bool { return e.Receipt != nil }).Receipt; r.Reference != "msg_1" || r.Status != "delivered" {
		t.Errorf("the receipt is %+v, want msg_1 delivered", r)
	}
	if again := w.taken(to(anaToday, "msg_1", nil)); again != accepted {
		t.Errorf("the second time: %+v, want %+v", again, accepted)
	}
	if status, a := ask[protocol.Accepted](t, w.gateway, "GET", "/messages/msg_1", nil); status != http.StatusOK || a != accepted {
		t.Errorf("asked for: %d %+v, want %+v", status, a, accepted)
	}
	phone.Send(t, shop, "2")
	if m := w.inbound(); m.Choice == nil || m.Choice.ID != "no" || m.ReplyTo != "msg_1" {
		t.Errorf("the answer is %+v, want the choice no to msg_1", m)
	}
	if n := w.whatsApp.Lookups(anaToday); n != 1 { // after the failed one
		t.Errorf("WhatsApp was asked %d times, want once", n)
	}

	status, raw := ask[object](t, w.gateway, "POST", "/send", to(ana, "msg_2", nil))
	if _, reported := raw["recipient"]; status != http.StatusOK || reported {
		t.Errorf("under the number that WhatsApp knows: %d %v, want no recipient", status, raw)
	}

	bia := "552187654321" // only her area code is different
	w.whatsApp.AddUser(bia, "200002")
	if f := w.refused(to(bia, "msg_3", nil)); f != (protocol.Failure{Class: "unreachable", Code: "first_contact"}) {
		t.Errorf("a stranger whose number is alike: %+v, want first_contact", f)
	}
	if f := w.refused(to("5531987654321", "msg_4", nil)); f != (protocol.Failure{Class: "unreachable", Code: "not_on_whatsapp"}) {
		t.Errorf("nobody, whose number is alike: %+v, want not_on_whatsapp", f)
	}
}

// During a timelock, messages are sent to people who have written, regardless of the spelling of their number.
func TestGateway_KnowsWritersOnATimelock(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.FirstContact = true }, storetest.Limits)
	w.whatsApp.AddUser(ana, "200001")
	w.whatsApp.AddSpelling(ana, anaToday)
	phone := phonetest.New(t, w.whatsApp, ana)
	phone.Send(t, shop, "Oi")
	w.inbound()
	phonetest.New(t, w.whatsApp, awa)
	w.whatsApp.Set(fakewhatsapp.Faults{AckError: 463})
	if f := w.refused(message("msg_1", "x", nil)); f.Code != device.ReachOutTimelock {
		t.Errorf("refused with %+v, want reach_out_timelock", f)
	}
	w.whatsApp.Set(fakewhatsapp.Faults{})
	w.await(device.Restricted)
	if a := w.taken(to(anaToday, "msg_2", nil)); a.Recipient != ana {
		t.Errorf("the recipient is %q, want %s", a.Recipient, ana)
	}
	if got := phonetest.Text(phone.Message(t).Message); got != "Olá" {
		t.Errorf("the phone got %q, want Olá", got)
	}
}

// The new numbering plans of Benin and Côte d'Ivoire have added two digits, and WhatsApp knows many people by their old
// number. They are no strangers under the new one. A lookup that shows only their ID is enough.
func TestGateway_KnowsWritersByTheirOldNumber(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	for i, tt := range []struct {
		name, today, old string
		faults           fakewhatsapp.Faults
		recipient        string
	}{
		{"Benin", "2290197123456", "22997123456", fakewhatsapp.Faults{}, "22997123456"},
		{"Côte d'Ivoire", "2250708123456", "22508123456", fakewhatsapp.Faults{}, "22508123456"},
		{"Benin, with the number hidden", "2290197123457", "22997123457", fakewhatsapp.Faults{HideNumbers: true}, ""},
	} {
		w.whatsApp.AddUser(tt.old, "40000"+string(rune('0'+i)))
		w.whatsApp.AddSpelling(tt.old, tt.today)
		phone := phonetest.New(t, w.whatsApp, tt.old)
		phone.Send(t, shop, "Bonjour")
		if m := w.inbound(); m.From != tt.old {
			t.Fatalf("%s: the message is from %s, want %s", tt.name, m.From, tt.old)
		}
		w.whatsApp.Set(tt.faults)
		if a := w.taken(to(tt.today, "msg_"+tt.today, nil)); a.Recipient != tt.recipient {
			t.Errorf("%s: the recipient is %q, want %q", tt.name, a.Recipient, tt.recipient)
		}
		if got := phonetest.Text(phone.Message(t).Message); got != "Olá" {
			t.Errorf("%s: the phone got %q, want Olá", tt.name, got)
		}
		if r := w.next("receipt", func(e protocol.Event) bool { return e.Receipt != nil }).Receipt; r.RecipientID != "40000"+string(rune('0'+i))+"@lid" {
			t.Errorf("%s: the receipt is %+v, want one with the ID", tt.name, r)
		}
		w.whatsApp.Set(fakewhatsapp.Faults{})
	}
}
