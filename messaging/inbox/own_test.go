package inbox_test

import (
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/person"
)

// typed returns the report that the owner of the number has written to Awa on another device.
func typed(w *messagingtest.World, id, text string) gateway.Change {
	c := edited(w, id, text)
	c.Kind = gateway.MessageSent
	return c
}

// A message that the owner has written on the phone is one of the account's, once. It is no keyword, no event, and
// nothing unread.
// Rules: M209.
func TestOwn_IsShown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		changesNothing(t, w, "without a conversation", typed(w, "9", "Bonjour"))
		w.Receive(t, awa, "1", "C'est combien ?")
		c := conversationWith(t, w, awa)
		events, before := w.Int(t, `SELECT count(*) FROM webhook_events`), state(t, w)
		w.Clock.Advance(time.Minute)
		answer := typed(w, "2", "STOP")
		answer.Content.ReplyTo.ProviderID = "1"
		change(t, w, answer)
		list := messages(t, w, c.ID)
		if m := list[0]; len(list) != 2 || !m.Out || !m.FromPhone || m.Content != "STOP" || m.Type != gateway.InboundText || m.Status != "" || m.ReplyTo != list[1].ID || !m.At.Equal(answer.At) || list[1].FromPhone {
			t.Errorf("got %+v", list)
		}
		c = conversationWith(t, w, awa)
		if c.LastPreview != "STOP" || !c.LastOut || c.Unread != 1 || state(t, w).Revision == before.Revision {
			t.Errorf("the conversation is %+v", c)
		}
		if n := w.Int(t, `SELECT count(*) FROM opt_outs`) + w.Int(t, `SELECT count(*) FROM webhook_events`) - events; n != 0 {
			t.Errorf("%d opt-outs and events, want none", n)
		}
		checkCounts(t, w)
		changesNothing(t, w, "the same again", answer)
		other := typed(w, "3", "Bonjour")
		other.From = moussa
		changesNothing(t, w, "to somebody else", other)
		removed := typed(w, "4", "")
		removed.Content.Type = gateway.InboundReaction
		changesNothing(t, w, "a withdrawn reaction", removed)

		w.Clock.Advance(time.Minute)
		in := gateway.Inbound{ID: "5", Gateway: "fake", Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, Type: gateway.InboundReaction, Text: "👍", ReplyTo: gateway.Quoted{ProviderID: "2"}, At: w.Clock.Now()}
		if err := w.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if list := messages(t, w, c.ID); list[0].Content != "👍" || list[0].ReplyTo != list[1].ID {
			t.Errorf("the reaction is %+v, want one to the owner's message", list[0])
		}
	})
}

// What Griot has sent itself isn't shown once more when its copy comes back, also if the inbox doesn't show it at all.
// Rules: M209.
func TestOwn_OnlyWhatGriotHasNotSent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Receive(t, awa, "1", "Bonjour")
		if err := w.DB.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO provider_refs (gateway, provider_id, ref, at) VALUES ('fake', '2', 'msg_1', 1)`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		changesNothing(t, w, "the copy of a code", typed(w, "2", "Votre code est 123456"))
		foreign := typed(w, "3", "Bonjour")
		foreign.Gateway = "other"
		if err := w.Inbox.Change(t.Context(), foreign); err == nil {
			t.Error("another gateway's report was taken")
		}
	})
}

// The owner can edit and delete such a message, but the person can't, and vice versa.
// Rules: M209.
func TestOwn_EditsAndDeletions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		w.Receive(t, awa, "1", "C'est combien ?")
		w.Clock.Advance(time.Minute)
		change(t, w, typed(w, "2", "100 francs"))
		c := conversationWith(t, w, awa)
		events := w.Int(t, `SELECT count(*) FROM webhook_events`)
		w.Clock.Advance(time.Minute)
		own := func(c gateway.Change) gateway.Change {
			c.Own = true
			return c
		}
		changesNothing(t, w, "by the person", edited(w, "2", "1 franc"))
		changesNothing(t, w, "the person's", own(edited(w, "1", "Merci")))
		another := own(edited(w, "2", "1 franc"))
		another.From = moussa
		changesNothing(t, w, "in another conversation", another)
		change(t, w, own(edited(w, "2", "200 francs")))
		if m, c := messages(t, w, c.ID)[0], conversationWith(t, w, awa); m.Content != "200 francs" || m.EditedAt.IsZero() || c.LastPreview != "200 francs" {
			t.Errorf("got %+v in %+v, want 200 francs", m, c)
		}
		change(t, w, own(deleted(w, "2")))
		if m, c := messages(t, w, c.ID)[0], conversationWith(t, w, awa); m.Content != "" || m.DeletedAt.IsZero() || c.LastPreview != "[deleted]" {
			t.Errorf("got %+v in %+v, want it deleted", m, c)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events`) - events; n != 0 {
			t.Errorf("%d events, want none", n)
		}
	})
}

// An export of the person has the owner's messages, and an erasure deletes them.
// Rules: M209.
func TestOwn_ExportAndErasure(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Receive(t, awa, "1", "C'est combien ?")
		w.Clock.Advance(time.Minute)
		change(t, w, typed(w, "2", "100 francs"))
		c := conversationWith(t, w, awa)
		read := w.DB.Read(t.Context())
		p := &person.Person{AccountID: w.Account.ID, Address: awa, Forms: []string{awa}}
		list, _, err := inbox.PersonPage(read, p, c.ID, "", 10)
		if err != nil || len(list) != 2 || !list[0].FromPhone || list[0].Content != "100 francs" || list[1].FromPhone {
			t.Errorf("the export has %+v, %v", list, err)
		}
		if err := w.DB.Write(t.Context(), func(tx *db.Tx) error {
			received, more, err := inbox.EraseConversation(tx, p)
			if err == nil && (received != 1 || more) {
				t.Errorf("%d received messages were erased, more: %v", received, more)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages`) + w.Int(t, `SELECT count(*) FROM conversations`); n != 0 {
			t.Errorf("%d rows remain", n)
		}
	})
}
