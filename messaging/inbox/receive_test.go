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

// Rules: M139.
func TestReceive_DuplicatesAreStoredOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		const people, ids, times = 3, 8, 4
		var wg sync.WaitGroup
		for i := range people * ids * times {
			wg.Go(func() {
				w.Receive(t, fmt.Sprintf("2237600000%d", i%people), fmt.Sprint("wamid.", i%(people*ids)), "Bonjour")
			})
		}
		wg.Wait()
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages`); n != people*ids {
			t.Errorf("%d messages of %d", n, people*ids)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.received'`); n != people*ids {
			t.Errorf("%d events", n)
		}
		if s := state(t, w); s.Unread != people*ids || len(page(t, w, inbox.Query{}).List) != people {
			t.Errorf("state %+v", s)
		}
		checkCounts(t, w)
		before := state(t, w)
		w.Receive(t, awa, "wamid.1", "Bonjour")
		if state(t, w) != before {
			t.Error("a duplicate has changed something")
		}
	})
}

// Messages of the same second are shown as they arrive, and those with an order in that order, whenever they arrive.
// Rules: M208.
func TestReceive_OrderOfTheSameSecond(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		const n = 20
		var arrived, ordered []string
		for i := range n {
			text := fmt.Sprint("message ", i)
			w.Receive(t, awa, fmt.Sprint("wamid.", i), text)
			arrived = append([]string{"in " + text}, arrived...)
		}
		for i := range n {
			text := fmt.Sprint("message ", i)
			in := gateway.Inbound{
				ID: fmt.Sprint("wamid.ordered.", i), Gateway: "fake", Channel: gateway.WhatsApp, From: moussa, To: messagingtest.WhatsApp, Text: text,
				At: w.Clock.Now(), Order: w.Clock.Now().Add(-time.Duration(i) * time.Millisecond),
			}
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			ordered = append(ordered, "in "+text)
		}
		for phone, want := range map[string][]string{awa: arrived, moussa: ordered} {
			if got := texts(messages(t, w, conversationWith(t, w, phone).ID)); got != strings.Join(want, "; ") {
				t.Errorf("the messages of %s, newest first, are %s, want %s", phone, got, want)
			}
		}
	})
}

// Rules: M130, M154.
func TestReceive_EachType(t *testing.T) {
	for name, tc := range map[string]struct {
		in      gateway.Inbound
		preview string
	}{
		"text":      {gateway.Inbound{Text: "Bonjour"}, "Bonjour"},
		"long text": {gateway.Inbound{Text: strings.Repeat("é", 200)}, strings.Repeat("é", 120)},
		"caption":   {gateway.Inbound{Type: gateway.InboundImage, Text: "Le mien ?", MediaURL: "https://media.example/1", MIMEType: "image/jpeg"}, "Le mien ?"},
		"image":     {gateway.Inbound{Type: gateway.InboundImage, MediaURL: "https://media.example/1", MIMEType: "image/jpeg"}, "[image]"},
		"document":  {gateway.Inbound{Type: gateway.InboundDocument, FileName: "facture.pdf", MIMEType: "application/pdf"}, "facture.pdf"},
		"sticker":   {gateway.Inbound{Type: gateway.InboundSticker}, "[sticker]"},
		"location":  {gateway.Inbound{Type: gateway.InboundLocation, Text: "12.65,-8.00 Bamako"}, "12.65,-8.00 Bamako"},
		"contacts":  {gateway.Inbound{Type: gateway.InboundContacts, Text: "Moussa"}, "Moussa"},
		"reaction":  {gateway.Inbound{Type: gateway.InboundReaction, Text: "👍"}, "👍"},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "business")
				w.SetWebhook(t, "https://example.com/hook")
				in := tc.in
				in.ID, in.Gateway, in.Channel, in.From, in.To, in.At, in.DisplayName = "wamid.1", "fake", gateway.WhatsApp, awa, messagingtest.WhatsApp, messagingtest.Start, "Awa"
				if err := w.Inbox.Receive(t.Context(), in); err != nil {
					t.Fatal(err)
				}
				c := conversationWith(t, w, awa)
				if c.LastPreview != tc.preview || c.Name != "Awa" || c.Unread != 1 || !c.LastAt.Equal(messagingtest.Start) {
					t.Errorf("conversation %+v", c)
				}
				m := messages(t, w, c.ID)[0]
				want := in.Type
				if want == "" {
					want = gateway.InboundText
				}
				if m.Out || m.Type != want || m.Content != in.Text || m.MediaURL != in.MediaURL || m.MIMEType != in.MIMEType || m.FileName != in.FileName || m.Status != "" {
					t.Errorf("message %+v", m)
				}
				var body string
				if _, err := d.Read(t.Context()).Row(`SELECT body FROM webhook_events`).Scan(&body); err != nil || !strings.Contains(body, `"type":"`+string(want)+`"`) || !strings.Contains(body, m.ID) {
					t.Errorf("event %s, %v", body, err)
				}
			})
		})
	}
}

// A reaction without an emoji was removed, on any gateway.
func TestReceive_AReactionThatWasTakenBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		in := gateway.Inbound{ID: "wamid.1", Gateway: "fake", Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, Type: gateway.InboundReaction, At: messagingtest.Start}
		if err := w.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if n := w.Int(t, `SELECT (SELECT count(*) FROM inbox_messages) + (SELECT count(*) FROM webhook_events) + (SELECT count(*) FROM conversations)`); n != 0 {
			t.Errorf("%d rows are stored of it", n)
		}
	})
}

func TestReceive_TimesAndNames(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		receive := func(id, name, text string, at time.Time) {
			in := gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, DisplayName: name, Text: text, At: at}
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		receive("2", "Awa", "deux", messagingtest.Start.Add(-time.Minute))
		receive("0", "\u3164 \u200b", "zéro", messagingtest.Start.Add(-2*time.Hour)) // nobody can see this name
		receive("1", "", "un, en retard", messagingtest.Start.Add(-time.Hour))
		c := conversationWith(t, w, awa)
		if c.LastPreview != "deux" || c.Name != "Awa" || c.Unread != 3 {
			t.Errorf("a late message: %+v", c)
		}
		receive("3", "Awa T.", "trois\x00, de\xff demain", messagingtest.Start.Add(time.Hour))
		if c = conversationWith(t, w, awa); c.LastPreview != "trois, de\uFFFD demain" || c.Name != "Awa T." || !c.LastAt.Equal(messagingtest.Start) {
			t.Errorf("a message of tomorrow: %+v", c)
		}
		if got := texts(messages(t, w, c.ID)); got != "in trois, de\uFFFD demain; in deux; in un, en retard; in zéro" {
			t.Errorf("got %s", got)
		}
		checkCounts(t, w)
	})
}

// Rules: M154.
func TestReceive_BySMSIsInNoConversation(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		in := gateway.Inbound{ID: "1", Gateway: "fake", Channel: gateway.SMS, From: awa, To: messagingtest.SMS, Text: "STOP", At: w.Clock.Now()}
		for range 2 {
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		if s := state(t, w); s.Unread != 0 || len(page(t, w, inbox.Query{}).List) != 0 {
			t.Errorf("state %+v", s)
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages WHERE channel = 'sms' AND conversation_id IS NULL AND content = 'STOP'`); n != 1 {
			t.Errorf("%d messages", n)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events`); n != 1 {
			t.Errorf("%d events", n)
		}
		in.To = "22379999999"
		if err := w.Inbox.Receive(t.Context(), in); !errors.Is(err, gateway.ErrForeign) {
			t.Errorf("nobody's number: %v", err)
		}
	})
}

// A sender of SMS without its country is stored and reported as it came, once, and is nobody's address.
// Rules: M195.
func TestReceive_LocalSender(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		in := gateway.Inbound{ID: "1", Gateway: "fake", Channel: gateway.SMS, Local: "70112233", To: messagingtest.SMS, Text: "STOP", OptOut: gateway.OptOutStopped, At: w.Clock.Now()}
		for range 2 {
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages WHERE from_address = 'local:70112233' AND conversation_id IS NULL`); n != 1 {
			t.Errorf("%d messages", n)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE body LIKE '%"from":"70112233"%'`); n != 1 {
			t.Errorf("%d events", n)
		}
		if n := w.Int(t, `SELECT (SELECT count(*) FROM opt_outs) + (SELECT count(*) FROM opt_out_keywords) + (SELECT count(*) FROM person_aliases)`); n != 0 {
			t.Errorf("%d rows about a person", n)
		}
		in.Channel, in.To, in.ID = gateway.WhatsApp, messagingtest.WhatsApp, "2" // WhatsApp has no such senders
		if err := w.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages`); n != 1 {
			t.Errorf("%d messages", n)
		}
	})
}

// Only the gateway of a number can report its messages.
func TestReceive_FromTheSendersGateway(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for _, name := range []string{"other", ""} {
			in := gateway.Inbound{ID: "wamid.1", Gateway: name, Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, Text: "Bonjour", At: w.Clock.Now()}
			if err := w.Inbox.Receive(t.Context(), in); !errors.Is(err, gateway.ErrForeign) {
				t.Errorf("from gateway %q: %v, want ErrForeign", name, err)
			}
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages`); n != 0 {
			t.Errorf("%d messages stored, want none", n)
		}
		w.Receive(t, awa, "wamid.1", "Bonjour") // its id was not used up
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages`); n != 1 {
			t.Errorf("%d messages stored, want 1", n)
		}
	})
}
