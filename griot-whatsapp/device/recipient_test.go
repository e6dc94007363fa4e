package device_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
)

const (
	ana      = "551187654321"  // the number at WhatsApp
	anaToday = "5511987654321" // the number that people dial
)

// sendAs sends a message and returns the reported number of its recipient.
func sendAs(t *testing.T, d *device.Device, m device.Message) (string, *device.Failure) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p, failure := d.Prepare(ctx, m)
	if failure != nil {
		return "", failure
	}
	return p.Recipient, d.Deliver(ctx, p)
}

func TestDevice_SendsToTheNumberThatWhatsAppKnows(t *testing.T) {
	s := server(t)
	d, _ := run(t, s, paired(t, s))
	for _, tt := range []struct{ name, given, canonical, lid string }{
		{"Brazil, without the 9", anaToday, ana, "200001"},
		{"Brazil, with the 9", "552112345678", "5521912345678", "200002"},
		{"Mexico, with the 1", "525512345678", "5215512345678", "200003"},
		{"Mexico, without the 1", "5213312345678", "523312345678", "200004"},
		{"Argentina, with the 9", "541123456789", "5491123456789", "200005"},
		{"Argentina, without the 9", "5493511234567", "543511234567", "200006"},
		{"Benin, before the 01", "2290197123456", "22997123456", "200007"},
		{"Benin, with the 01", "22997123457", "2290197123457", "200008"},
		{"Côte d'Ivoire, before the 07", "2250708123456", "22508123456", "200009"},
		{"Côte d'Ivoire, with the 05", "22504123456", "2250504123456", "200010"},
	} {
		s.AddUser(tt.canonical, tt.lid)
		s.AddSpelling(tt.canonical, tt.given)
		phone := phonetest.New(t, s, tt.canonical)
		for i, send := range []struct{ to, recipient string }{{tt.given, tt.canonical}, {tt.given, tt.canonical}, {tt.canonical, ""}} {
			id := device.MessageID(ours, tt.lid+strconv.Itoa(i))
			recipient, f := sendAs(t, d, device.Message{ID: id, To: device.Person{Number: send.to}, Text: "Olá", ReplyTo: &device.Quoted{ID: "3EB0Q", Text: "Oi"}})
			if f != nil || recipient != send.recipient {
				t.Fatalf("%s: to %s: recipient %q, %+v, want %q", tt.name, send.to, recipient, f, send.recipient)
			}
			got := phone.Message(t).Message.GetExtendedTextMessage()
			if want := tt.canonical + "@s.whatsapp.net"; got.GetText() != "Olá" || got.GetContextInfo().GetParticipant() != want {
				t.Errorf("%s: the phone got %v, want Olá in answer to %s", tt.name, got, want)
			}
		}
		if given, canonical := s.Lookups(tt.given), s.Lookups(tt.canonical); given != 1 || canonical != 0 {
			t.Errorf("%s: WhatsApp was asked %d times for the given number and %d for the other, want once and never", tt.name, given, canonical)
		}
	}
	phonetest.New(t, s, awa)
	for _, id := range []string{"3EB01", "3EB02"} {
		if recipient, f := sendAs(t, d, device.Message{ID: id, To: device.Person{Number: awa}, Text: "Bonjour"}); f != nil || recipient != "" {
			t.Errorf("to a number of one spelling: recipient %q, %+v, want none", recipient, f)
		}
	}
	if n := s.Lookups(awa); n != 1 {
		t.Errorf("WhatsApp was asked %d times for a number of one spelling, want once", n)
	}
}

// A person who has written needs no lookup under the number that the message came from.
func TestDevice_KnowsTheNumberOfAWriter(t *testing.T) {
	s := server(t)
	s.AddUser(ana, "200001")
	s.AddSpelling(ana, anaToday)
	d, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, ana)
	id := phone.Send(t, ours, "Oi")
	if m := next(t, h.inbound, "message"); m.From.Number != ana {
		t.Errorf("the message is from %s, want %s", m.From.Number, ana)
	}
	if recipient, f := sendAs(t, d, device.Message{ID: "3EB01", To: device.Person{Number: ana}, Text: "Olá"}); f != nil || recipient != "" || s.Lookups(ana) != 0 {
		t.Errorf("the answer: recipient %q, %+v, and %d lookups, want none", recipient, f, s.Lookups(ana))
	}
	if f := d.MarkRead(t.Context(), device.Person{Number: anaToday}, []string{id}, time.Now()); f != nil {
		t.Fatalf("marking as read under the other number: %+v", *f)
	}
	phonetest.Wait(t, phone, func(r *events.Receipt) bool { return r.Type == types.ReceiptTypeRead && r.MessageIDs[0] == id })
}

func TestDevice_Lookups(t *testing.T) {
	s := server(t)
	d, _ := run(t, s, paired(t, s))
	for i, tt := range []struct {
		name     string
		faults   fakewhatsapp.Faults
		reported bool // the recipient's number is reported
		want     *device.Failure
	}{
		{"WhatsApp fails", fakewhatsapp.Faults{Refuse: map[fakewhatsapp.Query]int{fakewhatsapp.Lookups: 500}}, false, &device.Failure{Class: device.Temporary, Code: "lookup_failed", ProviderCode: "500"}},
		{"WhatsApp is asked too often", fakewhatsapp.Faults{Refuse: map[fakewhatsapp.Query]int{fakewhatsapp.Lookups: 429}}, false, &device.Failure{Class: device.RateLimited, Code: "slow_down", ProviderCode: "429", RetryAfter: 60}},
		{"the answer has no number", fakewhatsapp.Faults{HideNumbers: true}, false, nil},
		{"the answer has no id", fakewhatsapp.Faults{HideIDs: true}, true, nil},
	} {
		digit := strconv.Itoa(i)
		canonical, given := "55118765432"+digit, "551198765432"+digit
		s.AddUser(canonical, "20000"+digit)
		s.AddSpelling(canonical, given)
		phone := phonetest.New(t, s, canonical)
		want := ""
		if tt.reported {
			want = canonical
		}
		s.Set(tt.faults)
		id := device.MessageID(ours, tt.name)
		recipient, f := sendAs(t, d, device.Message{ID: id, To: device.Person{Number: given}, Text: "x"})
		if (f == nil) != (tt.want == nil) || f != nil && *f != *tt.want || recipient != want {
			t.Errorf("%s: recipient %q, %+v, want %q, %+v", tt.name, recipient, f, want, tt.want)
		}
		if f != nil { // the failure is not cached, so the next attempt asks again
			s.Set(fakewhatsapp.Faults{})
			want = canonical
		}
		before := s.Lookups(given)
		if recipient, again := sendAs(t, d, device.Message{ID: id, To: device.Person{Number: given}, Text: "x"}); again != nil || recipient != want {
			t.Errorf("%s: the second time: recipient %q, %+v, want %q", tt.name, recipient, again, want)
		}
		if asked := s.Lookups(given) > before; asked != (f != nil) {
			t.Errorf("%s: WhatsApp was asked again: %v, want %v", tt.name, asked, f != nil)
		}
		phonetest.Wait(t, phone, func(m *events.Message) bool { return m.Info.ID == id })
		s.Set(fakewhatsapp.Faults{})
	}
	if f := send(t, d, device.Message{ID: "3EB01", To: device.Person{Number: "5511999999999"}, Text: "x"}); f == nil || *f != (device.Failure{Class: device.Unreachable, Code: "not_on_whatsapp"}) {
		t.Errorf("to nobody: %+v, want not_on_whatsapp", f)
	}
}

// Nobody has a number only if WhatsApp says so. Any other incomplete response is a failure for now.
func TestDevice_NobodyHasANumberIfWhatsAppSaysSo(t *testing.T) {
	s := server(t)
	d, _ := run(t, s, paired(t, s))
	nobody, failed := device.Failure{Class: device.Unreachable, Code: "not_on_whatsapp"}, device.Failure{Class: device.Temporary, Code: "lookup_failed"}
	for i, tt := range []struct {
		name   string
		faults fakewhatsapp.Faults
		exists bool
		want   device.Failure
	}{
		{"said", fakewhatsapp.Faults{}, false, nobody},
		{"said without an address", fakewhatsapp.Faults{Lookup: fakewhatsapp.Unidentified}, false, nobody},
		{"the number is left out", fakewhatsapp.Faults{Lookup: fakewhatsapp.LeftOut}, true, failed},
		{"nothing is said about the number", fakewhatsapp.Faults{Lookup: fakewhatsapp.Unsaid}, true, failed},
		{"an error for the number", fakewhatsapp.Faults{Lookup: fakewhatsapp.RefusedOne}, true, device.Failure{Class: device.RateLimited, Code: "slow_down", ProviderCode: "429", RetryAfter: 60}},
		{"nobody, but nothing is said", fakewhatsapp.Faults{Lookup: fakewhatsapp.Unsaid}, false, failed},
	} {
		number := "2237100010" + strconv.Itoa(i)
		if tt.exists {
			s.AddUser(number, "30010"+strconv.Itoa(i))
			phonetest.New(t, s, number)
		}
		s.Set(tt.faults)
		if _, f := sendAs(t, d, device.Message{ID: device.MessageID(ours, number), To: device.Person{Number: number}, Text: "x"}); f == nil || *f != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, f, tt.want)
		}
		s.Set(fakewhatsapp.Faults{})
		if !tt.exists {
			continue
		}
		if _, f := sendAs(t, d, device.Message{ID: device.MessageID(ours, number), To: device.Person{Number: number}, Text: "x"}); f != nil {
			t.Errorf("%s: the second time: %+v, want none", tt.name, *f)
		}
	}
}

// A hosted person's message shows the number and the ID, which belong together from then on.
func TestDevice_HostedPeopleWrite(t *testing.T) {
	s := server(t)
	d, h := run(t, s, paired(t, s))
	phone := phonetest.New(t, s, awa)
	s.Host(awa)
	both := device.Person{Number: awa, ID: awaID}
	phone.Send(t, ours, "Bonjour")
	if m := next(t, h.inbound, "message"); m.From != both {
		t.Errorf("the message is %+v, want one from %+v", m, both)
	}
	if p := next(t, h.pairs, "pair"); p != both {
		t.Errorf("the pair is %+v, want %+v", p, both)
	}
	if recipient, f := sendAs(t, d, device.Message{ID: "3EB01", To: device.Person{Number: awa}, Text: "Oui"}); f != nil || recipient != "" || s.Lookups(awa) != 0 {
		t.Errorf("the answer: recipient %q, %+v, and %d lookups, want none", recipient, f, s.Lookups(awa))
	}
	phonetest.Wait(t, phone, func(m *events.Message) bool { return m.Info.ID == "3EB01" })
	s.Identify(awa, fakewhatsapp.ByID)
	phone.Send(t, ours, "Cachée")
	if m := next(t, h.inbound, "message"); m.From != (device.Person{ID: awaID}) || m.Known != awa {
		t.Errorf("the message is %+v, want one from %s, whose number is known", m, awaID)
	}
}

// The addresses of people whose messages a service of Meta stores are numbers and IDs like any other.
func TestDevice_FindsHostedPeople(t *testing.T) {
	s := server(t)
	d, h := run(t, s, paired(t, s))
	for i, faults := range []fakewhatsapp.Faults{{}, {HideIDs: true}, {HideNumbers: true}} {
		digit := strconv.Itoa(i)
		canonical, given, id := "55118765430"+digit, "551198765430"+digit, "20010"+digit+"@lid"
		s.AddUser(canonical, "20010"+digit)
		s.AddSpelling(canonical, given)
		phone := phonetest.New(t, s, canonical)
		s.Host(canonical)
		s.Set(faults)
		want := canonical
		if faults.HideNumbers {
			want = ""
		}
		if recipient, f := sendAs(t, d, device.Message{ID: "3EB0" + digit, To: device.Person{Number: given}, Text: "Olá"}); f != nil || recipient != want {
			t.Errorf("%+v: recipient %q, %+v, want %q", faults, recipient, f, want)
		}
		phonetest.Wait(t, phone, func(m *events.Message) bool { return m.Info.ID == "3EB0"+digit })
		if found, f := d.Find(t.Context(), given); f != nil || found.Number != want || found.Number == "" && found.ID != id {
			t.Errorf("%+v: found %+v, %+v, want %q or %s", faults, found, f, want, id)
		}
		if want == "" {
			continue
		}
		if p := next(t, h.pairs, "pair"); p != (device.Person{Number: canonical, ID: id}) {
			t.Errorf("%+v: the pair is %+v, want %s and %s", faults, p, canonical, id)
		}
		s.Set(fakewhatsapp.Faults{})
	}
}
