package erasure_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

const awaID = "ML.90017731"

// receiveFrom simulates a message from a person with a number, an ID, or both.
func (w *world) receiveFrom(t *testing.T, number, id, text string) {
	t.Helper()
	in := gateway.Inbound{ID: fmt.Sprint(number, id, text), Gateway: "fake", Channel: gateway.WhatsApp, From: number, Person: gateway.PersonID{Portfolio: "p", ID: id, Username: "awa.traore"}, To: messagingtest.WhatsApp, Text: text + " " + secret, At: w.Clock.Now()}
	if err := w.Inbox.Receive(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	w.refresh(t)
}

func whatsApp(to string) *message.Request {
	return &message.Request{To: to, Channel: gateway.WhatsApp, Content: message.Content{Text: secret}, Source: message.SourceAPI}
}

// A person with an ID alone is exported and erased by it.
// Rules: M197.
func TestErase_ByID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.receiveFrom(t, "", awaID, "Bonjour")
		w.receiveFrom(t, "", "ML.90017732", "Bonjour") // another person
		w.Submit(t, whatsApp(awaID))
		w.Clock.Advance(time.Second)
		in := gateway.Inbound{ID: "stop", Gateway: "fake", Channel: gateway.WhatsApp, Person: gateway.PersonID{ID: awaID}, To: messagingtest.WhatsApp, Text: "STOP", At: w.Clock.Now()}
		if err := w.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		w.refresh(t)
		if out, text := w.export(t, awaID); len(out["messages"].([]any)) != 1 || len(out["received"].([]any)) != 2 || len(out["conversations"].([]any)) != 1 || len(out["optOuts"].([]any)) != 1 || !strings.Contains(text, `"contactId":"ML.90017731"`) || strings.Contains(text, "90017732") {
			t.Errorf("exported %s", text)
		}
		e := w.erase(t, awaID)
		if found := w.places(t, awaID); len(found) > 0 || e.Messages != 1 || e.Received != 2 {
			t.Errorf("the ID is still in %q after %+v", found, e)
		}
		if !w.refused(t, whatsApp(awaID)) || w.refused(t, whatsApp("ML.90017732")) {
			t.Error("the opt-out does not hold for the one person")
		}
		w.Clock.Advance(time.Minute)
		in.ID, in.Text, in.At = "start", "START", w.Clock.Now()
		if err := w.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		w.refresh(t)
		if w.refused(t, whatsApp(awaID)) {
			t.Error("START does not end the opt-out of the erased person")
		}
	})
}

// A pair is erased by either half, with what was stored under the other. Its opt-out holds for both halves.
// Rules: M197.
func TestErase_ByEitherHalfOfAPair(t *testing.T) {
	for name, by := range map[string]string{"the number": "+" + awa, "the ID": awaID} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newWorld(t, d)
				w.Submit(t, whatsApp(awaID))
				w.receiveFrom(t, "", awaID, "un")
				w.Submit(t, whatsApp(awa))
				w.receiveFrom(t, awa, "", "deux")
				w.receiveFrom(t, awa, awaID, "trois")
				w.Clock.Advance(time.Second)
				w.receive(t, gateway.WhatsApp, awa, "STOP")
				if out, text := w.export(t, by); len(out["messages"].([]any)) != 2 || len(out["received"].([]any)) != 4 {
					t.Errorf("exported %s", text)
				}
				e := w.erase(t, by)
				for _, text := range []string{awa, awaID, "awa.traore", secret} {
					if found := w.places(t, text); len(found) > 0 {
						t.Errorf("%s is still in %q", text, found)
					}
				}
				if e.Messages != 2 || e.Received != 4 {
					t.Errorf("erased %+v", e)
				}
				for _, to := range []string{awa, awaID} {
					if !w.refused(t, whatsApp(to)) {
						t.Errorf("the opt-out does not hold for %s", to)
					}
				}
			})
		})
	}
}

// An erasure of the new number covers the conversation from before the change, and the event of the change.
// Rules: M200.
func TestErase_AfterTheNumberChanged(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		const newAwa = "22376000077"
		w.receive(t, gateway.WhatsApp, awa, "Bonjour "+secret)
		c := gateway.Change{Gateway: "fake", Channel: gateway.WhatsApp, Kind: gateway.NumberChanged, To: messagingtest.WhatsApp, From: newAwa, OldNumber: awa, At: w.Clock.Now()}
		if err := w.Inbox.Change(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		w.refresh(t)
		if e := w.erase(t, newAwa); e.Received != 1 || e.Events != 1 {
			t.Errorf("erased %+v, want the message and the event of the change", e)
		}
		if found := w.places(t, newAwa); len(found) > 0 {
			t.Errorf("the number is still in %q", found)
		}
	})
}
