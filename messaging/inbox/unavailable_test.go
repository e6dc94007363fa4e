package inbox_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/messagingtest"
)

// from returns a message from Awa with the ID 1.
func from(w *messagingtest.World, t gateway.InboundType, text string) gateway.Inbound {
	return gateway.Inbound{ID: "1", Gateway: "fake", Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, Type: t, Text: text, At: w.Clock.Now()}
}

func arrives(t *testing.T, w *messagingtest.World, in gateway.Inbound) {
	t.Helper()
	if err := w.Inbox.Receive(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

func events(t *testing.T, w *messagingtest.World) int {
	t.Helper()
	return w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.received'`)
}

// A message without its content gets it when it comes, once, and is unread again.
// Rules: M207.
func TestUnavailable_GetsItsContent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		arrives(t, w, from(w, gateway.InboundUnavailable, ""))
		c := conversationWith(t, w, awa)
		if m := messages(t, w, c.ID); len(m) != 1 || m[0].Type != gateway.InboundUnavailable || c.LastPreview != "[unavailable]" || c.Unread != 1 || events(t, w) != 1 {
			t.Fatalf("got %+v in %+v with %d events", m, c, events(t, w))
		}
		id := messages(t, w, c.ID)[0].ID
		if _, err := w.Inbox.MarkRead(t.Context(), w.LiveCaller, c.ID); err != nil {
			t.Fatal(err)
		}
		read := state(t, w)
		w.Clock.Advance(time.Minute)
		late := from(w, gateway.InboundText, "Le code est 4182")
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if err := w.Inbox.Receive(t.Context(), late); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		c = conversationWith(t, w, awa)
		m := messages(t, w, c.ID)
		if len(m) != 1 || m[0].ID != id || m[0].Type != gateway.InboundText || m[0].Content != late.Text || c.LastPreview != late.Text || c.Unread != 1 || events(t, w) != 2 {
			t.Errorf("got %+v in %+v with %d events", m, c, events(t, w))
		}
		if after := state(t, w); after.Revision == read.Revision || after.Unread != 1 {
			t.Errorf("the state is %+v after %+v", after, read)
		}
		var body string
		if _, err := w.DB.Read(t.Context()).Row(`SELECT body FROM webhook_events WHERE type = 'message.received' ORDER BY id DESC LIMIT 1`).Scan(&body); err != nil || !strings.Contains(body, `"messageId":"`+id+`"`) || !strings.Contains(body, late.Text) {
			t.Errorf("the second event is %s, %v", body, err)
		}
		before := state(t, w)
		arrives(t, w, from(w, gateway.InboundUnavailable, ""))
		arrives(t, w, from(w, gateway.InboundText, "Autre chose"))
		if after := state(t, w); after != before || events(t, w) != 2 {
			t.Errorf("repeated: %+v, want %+v", after, before)
		}
	})
}

// An attachment and a keyword that come late have the same effect as others.
// Rules: M207.
func TestUnavailable_LateContentHasItsEffect(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		without := from(w, gateway.InboundUnavailable, "")
		without.MediaLost = gateway.MediaUnavailable // the attachment comes with the content
		arrives(t, w, without)
		picture := from(w, gateway.InboundImage, "STOP")
		picture.MediaData, picture.MIMEType = "\x89PNG\r\n\x1a\n", "image/png"
		arrives(t, w, picture)
		m := messages(t, w, conversationWith(t, w, awa).ID)
		if len(m) != 1 || m[0].Content != "STOP" || m[0].MediaID == "" || m[0].MIMEType != "image/png" {
			t.Errorf("got %+v", m)
		}
		if n := w.Int(t, `SELECT count(*) FROM opt_outs`); n != 1 {
			t.Errorf("%d opt-outs, want 1", n)
		}
	})
}

// Only the author gives a message its content, and a deleted one gets none.
// Rules: M207.
func TestUnavailable_OnlyFromItsAuthor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		arrives(t, w, from(w, gateway.InboundUnavailable, ""))
		other := from(w, gateway.InboundText, "Je suis Awa")
		other.From = moussa
		arrives(t, w, other)
		hidden := other
		hidden.From, hidden.Person = "", ofID("ML.9999")
		arrives(t, w, hidden)
		c := conversationWith(t, w, awa)
		if m := messages(t, w, c.ID); len(m) != 1 || m[0].Type != gateway.InboundUnavailable {
			t.Errorf("got %+v", m)
		}
		receiveFrom(t, w, awa, gateway.PersonID{}, "2", "Bonjour")
		change(t, w, deleted(w, "1"))
		arrives(t, w, from(w, gateway.InboundText, "Trop tard"))
		if m := messages(t, w, c.ID); len(m) != 2 || m[1].Content+m[0].Content != "Bonjour" || m[0].DeletedAt.IsZero() == m[1].DeletedAt.IsZero() {
			t.Errorf("after the deletion: %+v", m)
		}
		if p, err := w.Inbox.Conversations(t.Context(), w.LiveCaller, &inbox.Query{Limit: inbox.MaxLimit}); err != nil || len(p.List) != 1 {
			t.Errorf("%d conversations, %v, want Awa's", len(p.List), err)
		}
	})
}

// A delivery without the content that is faster takes nothing away.
func TestUnavailable_AtOnceWithItsContent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for i := range 20 {
			var group sync.WaitGroup
			for _, in := range []gateway.Inbound{from(w, gateway.InboundUnavailable, ""), from(w, gateway.InboundText, "Bonjour")} {
				in.ID = strconv.Itoa(i)
				group.Go(func() {
					if err := w.Inbox.Receive(t.Context(), in); err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages WHERE content = 'Bonjour' AND type = 'text'`); n != 20 {
			t.Errorf("%d of 20 messages have their content", n)
		}
		if c := conversationWith(t, w, awa); c.Unread != 20 {
			t.Errorf("%d are unread, want 20", c.Unread)
		}
	})
}
