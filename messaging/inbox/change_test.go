package inbox_test

import (
	"errors"
	"fmt"
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

// edited returns the report that a person has edited a message.
func edited(w *messagingtest.World, id, text string) gateway.Change {
	return gateway.Change{Gateway: "fake", Channel: gateway.WhatsApp, Kind: gateway.MessageEdited, To: messagingtest.WhatsApp, From: awa, MessageID: id, Content: &gateway.Inbound{Text: text}, At: w.Clock.Now()}
}

// deleted returns the report that a person has deleted a message.
func deleted(w *messagingtest.World, id string) gateway.Change {
	c := edited(w, id, "")
	c.Kind, c.Content = gateway.MessageDeleted, nil
	return c
}

func change(t *testing.T, w *messagingtest.World, c gateway.Change) {
	t.Helper()
	if err := w.Inbox.Change(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// changesNothing fails if a report changes the inbox or the events.
func changesNothing(t *testing.T, w *messagingtest.World, what string, c gateway.Change) {
	t.Helper()
	count := func() string {
		return fmt.Sprint(state(t, w), w.Int(t, `SELECT count(*) FROM webhook_events`), w.Int(t, `SELECT count(*) FROM opt_outs`))
	}
	before := count()
	change(t, w, c)
	if after := count(); after != before {
		t.Errorf("%s: got %s, want %s", what, after, before)
	}
}

func eventOf(t *testing.T, w *messagingtest.World, kind string) string {
	t.Helper()
	var body string
	if found, err := w.DB.Read(t.Context()).Row(`SELECT body FROM webhook_events WHERE type = $1`, kind).Scan(&body); err != nil || !found {
		t.Fatalf("the event %s: found %t, %v", kind, found, err)
	}
	return body
}

// Rules: M198, M199.
func TestChange_EditedMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		w.Receive(t, awa, "1", "À 8 h")
		w.Clock.Advance(time.Minute)
		before := state(t, w)
		late := edited(w, "1", "À 8 h 30")
		w.Clock.Advance(time.Minute)
		first := edited(w, "1", "À 9 h\x00\xff")
		first.Person = ofID(awaID)
		change(t, w, first)
		c := conversationWith(t, w, awa)
		m := messages(t, w, c.ID)[0]
		if m.Content != "À 9 h\uFFFD" || !m.EditedAt.Equal(first.At) || !m.DeletedAt.IsZero() || c.LastPreview != m.Content || c.Unread != 1 {
			t.Errorf("got %+v in %+v", m, c)
		}
		if state(t, w).Revision == before.Revision {
			t.Error("the revision is the same")
		}
		body := eventOf(t, w, "message.edited")
		for _, want := range []string{`"messageId":"` + m.ID + `"`, `"from":"+` + awa + `","fromId":"ML.9001"`, `"to":"+` + messagingtest.WhatsApp + `"`, `"type":"text","text":"À 9 h�"`, `"timestamp":"2026-03-04T12:02:00.000Z"`} {
			if !strings.Contains(body, want) {
				t.Errorf("event %s, want %s", body, want)
			}
		}
		checkCounts(t, w)

		changesNothing(t, w, "the same again", first)
		changesNothing(t, w, "an older edit", late)
		w.Clock.Advance(time.Minute)
		for what, spoil := range map[string]func(*gateway.Change){
			"an unknown message":  func(c *gateway.Change) { c.MessageID = "2" },
			"no message":          func(c *gateway.Change) { c.MessageID = "" },
			"another person":      func(c *gateway.Change) { c.From = moussa },
			"another person's ID": func(c *gateway.Change) { c.From, c.Person = "", ofID("ML.9002") },
			"nobody":              func(c *gateway.Change) { c.From = "" },
			"no content":          func(c *gateway.Change) { c.Content = nil },
			"no text":             func(c *gateway.Change) { c.Content = &gateway.Inbound{} },
		} {
			c := edited(w, "1", "STOP")
			spoil(&c)
			changesNothing(t, w, what, c)
		}
		change(t, w, edited(w, "1", "STOP"))
		if n := w.Int(t, `SELECT count(*) FROM opt_outs`); n != 0 {
			t.Errorf("%d opt-outs by an edit, want none", n)
		}
		foreign := edited(w, "1", "x")
		foreign.Gateway = "other"
		if err := w.Inbox.Change(t.Context(), foreign); !errors.Is(err, gateway.ErrForeign) {
			t.Errorf("from another gateway: %v, want ErrForeign", err)
		}
		foreign = edited(w, "1", "x")
		foreign.To = "22379999999"
		if err := w.Inbox.Change(t.Context(), foreign); !errors.Is(err, gateway.ErrForeign) {
			t.Errorf("to nobody's number: %v, want ErrForeign", err)
		}
	})
}

// A person who hides the number edits by ID what they wrote by ID or by number, once the account has joined both.
// Rules: M198.
func TestChange_ByTheID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		receiveFrom(t, w, "", ofID(awaID), "1", "un")
		w.Clock.Advance(time.Second)
		receiveFrom(t, w, awa, ofID(awaID), "2", "deux")
		w.Clock.Advance(time.Second)
		for _, id := range []string{"1", "2"} {
			c := edited(w, id, "changé")
			c.From, c.Person = "", ofID(awaID)
			change(t, w, c)
		}
		if got := texts(messages(t, w, conversationWith(t, w, awa).ID)); got != "in changé; in changé" {
			t.Errorf("got %s", got)
		}
	})
}

// Rules: M198, M199.
func TestChange_DeletedMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		w.Receive(t, awa, "1", "un")
		w.Clock.Advance(time.Minute)
		in := gateway.Inbound{
			ID: "2", Gateway: "fake", Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, At: w.Clock.Now(), Type: gateway.InboundImage, Text: "Le mien", FileName: "secret.png", MIMEType: "image/png", MediaData: "x",
			Choice: gateway.Choice{ID: "a", Title: "b"}, Response: `{"size":42}`,
		}
		if err := w.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		c := conversationWith(t, w, awa)
		caption := edited(w, "2", "")
		change(t, w, caption)
		if m := messages(t, w, c.ID)[0]; m.Content != "" || m.MediaID == "" || m.Type != gateway.InboundImage || m.EditedAt.IsZero() {
			t.Errorf("without its caption: %+v", m)
		}
		change(t, w, deleted(w, "1"))
		if c = conversationWith(t, w, awa); c.LastPreview != "secret.png" {
			t.Errorf("after the deletion of an earlier message: %+v", c)
		}
		changesNothing(t, w, "an edit after the deletion", edited(w, "1", "encore"))
		w.Clock.Advance(time.Minute)
		changesNothing(t, w, "a later edit after the deletion", edited(w, "1", "encore"))
		gone := deleted(w, "2")
		change(t, w, gone)
		changesNothing(t, w, "the same again", gone)
		c = conversationWith(t, w, awa)
		m := messages(t, w, c.ID)[0]
		if !m.DeletedAt.Equal(gone.At) || m.Content != "" || m.MediaID != "" || m.MediaMissing != "" || m.MIMEType != "" || m.FileName != "" || m.Choice != (gateway.Choice{}) || m.Response != "" || m.Type != gateway.InboundImage {
			t.Errorf("deleted: %+v", m)
		}
		if c.LastPreview != "[deleted]" || c.Unread != 2 {
			t.Errorf("conversation %+v", c)
		}
		if err := inbox.SweepMedia(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if n := w.Int(t, `SELECT (SELECT count(*) FROM inbox_media) + (SELECT count(*) FROM inbox_media_chunks)`); n != 0 {
			t.Errorf("%d rows of the attachment stay", n)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.deleted' AND body NOT LIKE '%"text":%'`); n != 2 {
			t.Errorf("%d events of deletions without a text, want 2", n)
		}
		checkCounts(t, w)
	})
}

// An edit leaves the preview of a newer message, in either direction.
func TestChange_NotTheNewest(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Receive(t, awa, "1", "un")
		w.Clock.Advance(time.Second)
		if _, err := reply(t, w, conversationWith(t, w, awa)); err != nil {
			t.Fatal(err)
		}
		change(t, w, edited(w, "1", "uno"))
		if c := conversationWith(t, w, awa); c.LastPreview != "Oui" || !c.LastOut {
			t.Errorf("conversation %+v", c)
		}
	})
}

// However often and in whatever order a provider reports an edit and a deletion, each is applied at most once.
// Rules: M198.
func TestChange_ReportedAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		w.Receive(t, awa, "1", "un")
		w.Clock.Advance(time.Second)
		var wg sync.WaitGroup
		for i := range 24 {
			c := edited(w, "1", "deux")
			if i%2 == 1 {
				c = deleted(w, "1")
			}
			wg.Go(func() {
				if err := w.Inbox.Change(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.deleted'`); n != 1 {
			t.Errorf("%d events of one deletion", n)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.edited'`); n > 1 {
			t.Errorf("%d events of one edit", n)
		}
		if m := messages(t, w, conversationWith(t, w, awa).ID)[0]; m.DeletedAt.IsZero() || m.Content != "" {
			t.Errorf("got %+v", m)
		}
		checkCounts(t, w)
	})
}

// Without an endpoint, there is no event. A message that is in no conversation is changed all the same.
func TestChange_WithoutAnEndpointAndByAnotherChannel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		in := gateway.Inbound{ID: "1", Gateway: "fake", Channel: gateway.SMS, From: awa, To: messagingtest.SMS, Text: "un", At: w.Clock.Now()}
		if err := w.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		c := deleted(w, "1")
		c.Channel, c.To, c.At = gateway.SMS, messagingtest.SMS, w.Clock.Now().Add(time.Hour)
		change(t, w, c)
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages WHERE content = '' AND deleted_at = $1`, db.Ms(w.Clock.Now())); n != 1 {
			t.Errorf("%d messages deleted, want 1", n)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events`); n != 0 {
			t.Errorf("%d events", n)
		}
	})
}
