package inbox_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

const newAwa = "22376000009"

// renumbered returns the report that a person has another number.
func renumbered(w *messagingtest.World) gateway.Change {
	return gateway.Change{ID: "r1", Gateway: "fake", Channel: gateway.WhatsApp, Kind: gateway.NumberChanged, To: messagingtest.WhatsApp, From: newAwa, OldNumber: awa, At: w.Clock.Now()}
}

func send(t *testing.T, w *messagingtest.World, to string) error {
	t.Helper()
	caller, err := w.Directory.Authenticate(t.Context(), w.LiveKey)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Delivery.Submit(t.Context(), caller, &message.Request{To: to, Channel: gateway.WhatsApp, Content: message.Content{Text: "x"}, Source: message.SourceAPI})
	return err
}

// The conversation, the opt-out, and the limit continue under the new number, and the old number gets another owner.
// Rules: M200.
func TestChange_Numbers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business", func(s *account.Spec) { s.RecipientCap = 1 })
		w.SetWebhook(t, "https://example.com/hook")
		receiveFrom(t, w, awa, ofID(awaID), "1", "un")
		if err := send(t, w, awa); err != nil {
			t.Fatal(err)
		}
		w.Receive(t, newAwa, "2", "deux")
		w.Clock.Advance(time.Second)
		old, newer := conversationWith(t, w, awa), conversationWith(t, w, newAwa)
		c := renumbered(w)
		c.Person, c.OldID = ofID("ML.9009"), awaID
		change(t, w, c)
		list := page(t, w, inbox.Query{}).List
		if len(list) != 1 || list[0].ID != newer.ID || list[0].ID == old.ID || list[0].Phone != newAwa || list[0].ContactID != "ML.9009" || list[0].Unread != 2 {
			t.Fatalf("conversations %+v", list)
		}
		body := eventOf(t, w, "contact.number_changed")
		for _, want := range []string{`"oldNumber":"+` + awa + `","newNumber":"+` + newAwa + `","oldId":"ML.9001","newId":"ML.9009"`, `"to":"+` + messagingtest.WhatsApp + `","channel":"whatsapp","timestamp":"2026-03-04T12:00:01.000Z"`} {
			if !strings.Contains(body, want) {
				t.Errorf("event %s, want %s", body, want)
			}
		}
		if n := w.Int(t, `SELECT count(*) FROM person_aliases WHERE alias IN ($1, $2)`, awa, awaID); n != 0 {
			t.Error("the old number or ID is an alias")
		}
		for _, to := range []string{awa, newAwa, "ML.9009"} {
			if err := send(t, w, to); !errors.Is(err, apierror.RecipientLimitReached.Err()) {
				t.Errorf("to %s: %v, want the limit", to, err)
			}
		}
		checkCounts(t, w)
		changesNothing(t, w, "the same again", c)

		w.Clock.Advance(time.Second)
		w.Receive(t, awa, "3", "Bonjour, je suis nouveau")
		changesNothing(t, w, "the same again, after the old number's new owner has written", c)
		if got := texts(messages(t, w, conversationWith(t, w, awa).ID)); got != "in Bonjour, je suis nouveau" {
			t.Errorf("the new owner's conversation: %s", got)
		}
		if got := texts(messages(t, w, newer.ID)); !strings.Contains(got, "in deux") || !strings.Contains(got, "in un") {
			t.Errorf("the person's conversation: %s", got)
		}
		checkCounts(t, w)
	})
}

// A STOP by the old number holds for both. START by the new number ends it there, and a repeated report doesn't restore it.
// Rules: M200.
func TestChange_NumbersWithAnOptOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		w.Receive(t, awa, "1", "STOP")
		w.Clock.Advance(time.Second)
		c := renumbered(w)
		change(t, w, c)
		for _, to := range []string{awa, newAwa} {
			if err := send(t, w, to); !errors.Is(err, apierror.RecipientOptedOut.Err()) {
				t.Errorf("to %s: %v, want the opt-out", to, err)
			}
		}
		w.Clock.Advance(time.Second)
		w.Receive(t, newAwa, "2", "START")
		changesNothing(t, w, "the same again, after START", c)
		if err := send(t, w, newAwa); err != nil {
			t.Errorf("after START: %v", err)
		}
		if err := send(t, w, awa); !errors.Is(err, apierror.RecipientOptedOut.Err()) {
			t.Errorf("to the old number: %v, want the opt-out", err)
		}
	})
}

// People who hide their number keep their conversation with another ID, and when they then show a number.
// Rules: M200.
func TestChange_IDs(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		receiveFrom(t, w, "", ofID(awaID), "1", "un")
		before := page(t, w, inbox.Query{}).List[0]
		w.Clock.Advance(time.Second)
		c := renumbered(w)
		c.Kind, c.From, c.OldNumber, c.OldID, c.Person = gateway.IDChanged, "", "", awaID, ofID("ML.9009")
		change(t, w, c)
		changesNothing(t, w, "the same again", c)
		list := page(t, w, inbox.Query{}).List
		if len(list) != 1 || list[0].ID != before.ID || list[0].ContactID != "ML.9009" || list[0].Phone != "" {
			t.Fatalf("with another ID: %+v", list)
		}
		w.Clock.Advance(time.Second)
		c = renumbered(w)
		c.OldNumber, c.OldID = "", "ML.9009"
		change(t, w, c)
		if list = page(t, w, inbox.Query{}).List; len(list) != 1 || list[0].ID != before.ID || list[0].Phone != newAwa || list[0].ContactID != "" {
			t.Fatalf("with a number: %+v", list)
		}
		unknown := renumbered(w)
		unknown.OldNumber = moussa
		changesNothing(t, w, "a person whom the account doesn't know", unknown)
		unknown = renumbered(w)
		unknown.From, unknown.OldNumber = "", newAwa
		changesNothing(t, w, "nothing new", unknown)
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'contact.number_changed'`); n != 2 {
			t.Errorf("%d events, want 2", n)
		}
		checkCounts(t, w)
	})
}
