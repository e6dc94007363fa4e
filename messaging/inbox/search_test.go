package inbox_test

import (
	"fmt"
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

// search reads all pages of a search, and returns the results as "phone text" and the number of pages.
func search(t *testing.T, w *messagingtest.World, q inbox.Query) (found []string, pages int) {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = inbox.DefaultLimit
	}
	for pages = 1; pages <= 100; pages++ {
		p, err := w.Inbox.Search(t.Context(), w.LiveCaller, &q)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.List {
			found = append(found, f.Conversation.Phone+" "+f.Content)
		}
		if p.Next == "" {
			return found, pages
		}
		q.Cursor = p.Next
	}
	t.Fatal("the search goes on after 100 pages")
	return nil, 0
}

// Rules: M140.
func TestSearch_FindsTextsOfAllConversations(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Run(t, w.Delivery)
		other, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Autre", Email: "autre@example.com", Plan: "business"})
		if err != nil {
			t.Fatal(err)
		}
		receive := func(from, id, text string) {
			w.Clock.Advance(time.Second)
			w.Receive(t, from, id, text)
		}
		receive(awa, "1", "Le PAIEMENT est reçu ?")
		receive(moussa, "2", "Quel paiement")
		receive(awa, "3", "100 % sûr, _vraiment_")
		w.Clock.Advance(time.Second)
		w.Submit(t, &message.Request{To: awa, Channel: gateway.WhatsApp, Content: message.Content{Text: "Paiement RECU, merci"}})
		w.Submit(t, &message.Request{To: "22376000009", Channel: gateway.WhatsApp, Content: message.Content{Text: "Paiement sans conversation"}})
		for q, want := range map[string]string{
			"paiement": awa + " Paiement RECU, merci|" + moussa + " Quel paiement|" + awa + " Le PAIEMENT est reçu ?",
			" Recu ":   awa + " Paiement RECU, merci|" + awa + " Le PAIEMENT est reçu ?",
			"REÇU":     awa + " Paiement RECU, merci|" + awa + " Le PAIEMENT est reçu ?",
			"%":        awa + " 100 % sûr, _vraiment_", "_v": awa + " 100 % sûr, _vraiment_", "colis": "",
		} {
			if got, _ := search(t, w, inbox.Query{Q: q}); strings.Join(got, "|") != want {
				t.Errorf("%q finds %q, want %q", q, got, want)
			}
			if got, pages := search(t, w, inbox.Query{Q: q, Limit: 1}); strings.Join(got, "|") != want || pages > 5 {
				t.Errorf("%q one by one finds %q on %d pages, want %q", q, got, pages, want)
			}
		}
		from, err := w.Inbox.Search(t.Context(), w.LiveCaller, &inbox.Query{Q: "reçu ?", Limit: 1})
		if err != nil || len(from.List) != 1 {
			t.Fatalf("%+v, %v", from, err)
		}
		at, err := w.Inbox.Messages(t.Context(), w.LiveCaller, from.List[0].Conversation.ID, &inbox.Query{Cursor: from.List[0].Cursor, Limit: 10})
		if err != nil || texts(at.List) != "in Le PAIEMENT est reçu ?" {
			t.Errorf("the page from what was found: %+v, %v", at, err)
		}
		p, err := w.Inbox.Search(t.Context(), ownerOf(other), &inbox.Query{Q: "paiement", Limit: 10})
		if err != nil || len(p.List) != 0 {
			t.Errorf("another account finds %v, %v; want nothing", p, err)
		}
		one, err := w.Inbox.Search(t.Context(), w.LiveCaller, &inbox.Query{Q: "paiement", Limit: 1})
		if err != nil || one.Next == "" {
			t.Fatalf("%+v, %v; want another page", one, err)
		}
		for _, q := range []inbox.Query{{Q: "autre", Limit: 1, Cursor: one.Next}, {Q: "paiement", Limit: 1, Cursor: "x"}} {
			if _, err := w.Inbox.Search(t.Context(), w.LiveCaller, &q); !isFault(err, apierror.InvalidCursor) {
				t.Errorf("the cursor of another search: %v, want invalid_cursor", err)
			}
		}
		if _, err := w.Inbox.Search(t.Context(), w.LiveCaller, &inbox.Query{Q: " ", Limit: 1}); !isFault(err, apierror.InvalidRequest) {
			t.Errorf("an empty search: %v, want invalid_request", err)
		}
	})
}

// A page examines a limited number of messages, and the next one continues where it ended.
func TestSearch_IsBounded(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Receive(t, awa, "1", "aiguille")
		c := conversationWith(t, w, awa)
		w.Clock.Advance(time.Hour)
		w.Exec(t, `WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
 INSERT INTO inbox_messages (id, account_id, conversation_id, direction, channel, type, content, from_address, sender_id, provider_id, revision, at)
 SELECT 'msg_0000000000000000' || (1000000000 + i), CAST($1 AS TEXT), CAST($2 AS TEXT), 'in', 'whatsapp', 'text', 'foin', CAST($3 AS TEXT), 'snd_x', 'h' || i, 1, CAST($4 AS BIGINT) + i FROM n`, w.Account.ID, c.ID, awa, db.Ms(w.Clock.Now()))
		first, err := w.Inbox.Search(t.Context(), w.LiveCaller, &inbox.Query{Q: "aiguille", Limit: 10})
		if err != nil || len(first.List) != 0 || first.Next == "" {
			t.Fatalf("the first thousand: %+v, %v; want nothing, and another page", first, err)
		}
		if got, pages := search(t, w, inbox.Query{Q: "aiguille"}); len(got) != 1 || pages != 2 {
			t.Errorf("%q on %d pages, want one message on two", got, pages)
		}
	})
}

// Rules: M140.
func TestMarkUnread(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for i := range 3 {
			w.Clock.Advance(time.Second)
			w.Receive(t, awa, fmt.Sprint(i), "Bonjour")
		}
		c := conversationWith(t, w, awa)
		mark := func(want int64, changes bool) {
			t.Helper()
			before := state(t, w)
			m, err := w.Inbox.MarkUnread(t.Context(), w.LiveCaller, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			if m.Conversation != want || m.Unread != want || m.Previous != before.Revision || (m.Revision != before.Revision) != changes || m.State != state(t, w) {
				t.Errorf("%+v, want %d unread, a change: %v", m, want, changes)
			}
			checkCounts(t, w)
		}
		mark(3, false)
		if _, err := w.Inbox.MarkRead(t.Context(), w.LiveCaller, c.ID); err != nil {
			t.Fatal(err)
		}
		mark(1, true)
		mark(1, false)
		w.Receive(t, awa, "new", "Encore")
		mark(2, false)
		if _, err := w.Inbox.MarkUnread(t.Context(), ownerOf(&account.Account{ID: "acc_none", Plan: w.Account.Plan}), c.ID); !isFault(err, apierror.ConversationNotFound) {
			t.Errorf("another account's conversation: %v, want conversation_not_found", err)
		}
		if _, err := w.Inbox.MarkRead(t.Context(), w.LiveCaller, c.ID); err != nil {
			t.Fatal(err)
		}
		mark(1, true)
		w.Clock.Advance(inbox.Retention + time.Second)
		purge(t, w)
		if s := state(t, w); s.Unread != 0 {
			t.Errorf("%d unread after the purge, want none", s.Unread)
		}
	})
}

func TestAnswered_ReturnsWhatIsQuoted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Receive(t, awa, "1", "Première")
		w.Receive(t, moussa, "2", "Ailleurs")
		c := conversationWith(t, w, awa)
		first := messages(t, w, c.ID)[0]
		elsewhere := messages(t, w, conversationWith(t, w, moussa).ID)[0]
		got, err := w.Inbox.Answered(t.Context(), w.LiveCaller, c.ID, []inbox.Message{{ReplyTo: first.ID}, {ReplyTo: elsewhere.ID}, {ReplyTo: "msg_none"}, {}})
		if err != nil || len(got) != 1 || got[first.ID].Content != "Première" {
			t.Errorf("%+v, %v; want the first message of the conversation", got, err)
		}
		another := ownerOf(&account.Account{ID: "acc_none", Plan: w.Account.Plan})
		if got, err := w.Inbox.Answered(t.Context(), another, c.ID, []inbox.Message{{ReplyTo: first.ID}}); err != nil || len(got) != 0 {
			t.Errorf("another account gets %+v, %v; want nothing", got, err)
		}
	})
}
