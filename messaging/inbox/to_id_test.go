package inbox_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
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
	"example.com/griot/messaging/person"
)

const awaID = "ML.9001"

// receiveFrom simulates a message from a person with a number, an ID, or both.
func receiveFrom(t *testing.T, w *messagingtest.World, number string, of gateway.PersonID, id, text string) {
	t.Helper()
	in := gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.WhatsApp, From: number, Person: of, To: messagingtest.WhatsApp, Text: text, At: w.Clock.Now()}
	if err := w.Inbox.Receive(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

func ofID(id string) gateway.PersonID { return gateway.PersonID{Portfolio: "p", ID: id} }

// reply sends a reply in a conversation.
func reply(t *testing.T, w *messagingtest.World, c *inbox.Conversation) (*message.Message, error) {
	t.Helper()
	caller, err := w.Directory.Authenticate(t.Context(), w.LiveKey)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Inbox.Reply(t.Context(), caller, c.ID, "Oui", inbox.ReplyOptions{Source: message.SourceInbox})
	if err != nil {
		t.Fatal(err)
	}
	res, err := w.Delivery.Submit(t.Context(), caller, r)
	if err != nil {
		return nil, err
	}
	return res.Message, nil
}

// 1,000 people with nothing but an ID write at once: each has a conversation, a limit, and an opt-out of their own.
// Rules: M196.
func TestReceive_AThousandPeopleWithoutANumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business", func(s *account.Spec) { s.RecipientCap = 1 })
		const people = 1000
		id := func(i int) string {
			if i%2 == 0 {
				return fmt.Sprint("ML.", 9000+i)
			}
			return fmt.Sprint(9000+i, "@lid")
		}
		var wg sync.WaitGroup
		next := make(chan int)
		for range 64 { // calls of gateways at once; the messages of one account are stored one after another
			wg.Go(func() {
				for i := range next {
					receiveFrom(t, w, "", ofID(id(i)), fmt.Sprint("wamid.", i), "Bonjour")
				}
			})
		}
		for i := range people {
			next <- i
		}
		close(next)
		wg.Wait()
		if n := w.Int(t, `SELECT count(DISTINCT contact_id) FROM conversations WHERE phone = '' AND contact_id = person`); n != people {
			t.Fatalf("%d conversations, want %d", n, people)
		}
		checkCounts(t, w)
		found := page(t, w, inbox.Query{Q: "ML.9500"}) // among the first 500
		list := append(found.List, page(t, w, inbox.Query{Q: "ML.9500", Cursor: found.Next}).List...)
		if len(list) != 1 || list[0].Phone != "" || list[0].ContactID != "ML.9500" {
			t.Fatalf("the search finds %+v", list)
		}
		receiveFrom(t, w, "", ofID("ML.9500"), "stop", "STOP")
		if _, err := reply(t, w, &list[0]); !errors.Is(err, apierror.RecipientOptedOut.Err()) {
			t.Errorf("to the one who has opted out: %v", err)
		}
		if n := w.Int(t, `SELECT count(*) FROM opt_outs`); n != 1 {
			t.Errorf("%d opt-outs, want 1", n)
		}
		for _, i := range []int{0, 1, 2, 3, 998, 999} {
			for _, want := range []*apierror.Kind{nil, apierror.RecipientLimitReached} {
				_, err := w.Delivery.Submit(t.Context(), w.LiveCaller, &message.Request{To: id(i), Channel: gateway.WhatsApp, Content: message.Content{Text: "x"}, Source: message.SourceAPI})
				if want == nil && err != nil || want != nil && !errors.Is(err, want.Err()) {
					t.Errorf("to %s: %v, want %v", id(i), err, want)
				}
			}
		}
		if n := w.Int(t, `SELECT count(*) FROM inbox_messages WHERE from_address = ''`) + w.Int(t, `SELECT count(*) FROM recipient_counts WHERE recipient = ''`) + w.Int(t, `SELECT count(*) FROM conversations WHERE person = ''`); n != 0 {
			t.Errorf("%d rows without an address", n)
		}
	})
}

// The conversation goes on when the number becomes known, by the ID and by the number, and ends for the ID when the pair is withdrawn.
// Rules: M197.
func TestReceive_FromTheIDToThePairAndBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		of := ofID(awaID)
		of.Username = "awa.t"
		receiveFrom(t, w, "", of, "1", "un")
		list := page(t, w, inbox.Query{Q: "@AWA.T"}).List
		if len(list) != 1 || list[0].Username != "awa.t" || list[0].Phone != "" {
			t.Fatalf("conversations %+v", list)
		}
		before := list[0].ID
		m, err := reply(t, w, &list[0])
		if err != nil || m.To != awaID || m.ConversationID != before {
			t.Fatalf("the reply %+v, %v", m, err)
		}
		w.Clock.Advance(time.Second)
		receiveFrom(t, w, awa, of, "2", "deux")
		receiveFrom(t, w, awa, gateway.PersonID{}, "3", "trois")
		c := conversationWith(t, w, awa)
		if c.ID != before || c.ContactID != awaID || c.Username != "awa.t" || c.Phone != awa || c.Unread != 3 {
			t.Fatalf("with the number: %+v", c)
		}
		if m, err = reply(t, w, c); err != nil || m.To != "+"+awa || m.ConversationID != before {
			t.Errorf("the reply goes to %+v, %v", m, err)
		}
		of.Username = ""
		receiveFrom(t, w, awa, of, "4", "STOP")
		if c = conversationWith(t, w, awa); c.Username != "" {
			t.Errorf("the username is still %q", c.Username)
		}
		checkCounts(t, w)
		w.Clock.Advance(time.Second)
		receiveFrom(t, w, "", of, "5", "cinq") // the pair was withdrawn
		list = page(t, w, inbox.Query{}).List
		if len(list) != 2 || list[0].ContactID != awaID || list[0].Phone != "" || list[0].Unread != 1 || list[1].ID != before || list[1].ContactID != "" {
			t.Fatalf("after the pair: %+v", list)
		}
		for i := range list {
			if _, err := reply(t, w, &list[i]); !errors.Is(err, apierror.RecipientOptedOut.Err()) {
				t.Errorf("STOP does not hold for %q: %v", list[i].Address(), err)
			}
		}
		w.Clock.Advance(time.Minute)
		receiveFrom(t, w, "", of, "6", "START")
		if _, err := reply(t, w, &list[0]); err != nil {
			t.Errorf("to the ID after its START: %v", err)
		}
		if _, err := reply(t, w, &list[1]); !errors.Is(err, apierror.RecipientOptedOut.Err()) {
			t.Errorf("to the number after the START of the ID: %v", err)
		}
		checkCounts(t, w)
	})
}

// A person who had a conversation under each half has one.
// Rules: M197.
func TestReceive_TwoConversationsBecomeOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		receiveFrom(t, w, "", ofID(awaID), "1", "un")
		w.Clock.Advance(time.Second)
		receiveFrom(t, w, awa, gateway.PersonID{}, "2", "deux")
		w.Clock.Advance(time.Second)
		receiveFrom(t, w, "", ofID(awaID), "3", "trois")
		w.Clock.Advance(time.Second)
		receiveFrom(t, w, awa, ofID(awaID), "4", "quatre")
		list := page(t, w, inbox.Query{}).List
		if len(list) != 1 || list[0].Unread != 4 || list[0].ContactID != awaID || list[0].Phone != awa {
			t.Fatalf("conversations %+v", list)
		}
		if got := texts(messages(t, w, list[0].ID)); got != "in quatre; in trois; in deux; in un" {
			t.Errorf("got %s", got)
		}
		checkCounts(t, w)
	})
}

// Deliveries of the first message with both halves are concurrent, on PostgreSQL in several transactions.
func TestReceive_ThePairIsJoinedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		receiveFrom(t, w, "", ofID(awaID), "0", "zéro")
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { receiveFrom(t, w, awa, ofID(awaID), fmt.Sprint("m", i), "Bonjour") })
		}
		wg.Wait()
		if list := page(t, w, inbox.Query{}).List; len(list) != 1 || list[0].Unread != 21 {
			t.Errorf("conversations %+v", list)
		}
		if d.Engine() == db.Postgres {
			if n := w.Int(t, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n > 0 {
				t.Errorf("%d deadlocks", n)
			}
		}
		checkCounts(t, w)
	})
}

// A message with neither a number nor an ID is nobody's. What isn't an ID isn't kept as one.
func TestReceive_WithoutAnAddress(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		receiveFrom(t, w, "", gateway.PersonID{}, "1", "un")
		receiveFrom(t, w, "", gateway.PersonID{ID: "awa.t", Username: "awa.t"}, "2", "deux")
		if n := w.Int(t, `SELECT (SELECT count(*) FROM inbox_messages) + (SELECT count(*) FROM conversations)`); n != 0 {
			t.Errorf("%d rows", n)
		}
		receiveFrom(t, w, awa, gateway.PersonID{ID: "awa.t"}, "3", "trois")
		if c := conversationWith(t, w, awa); c.ContactID != "" {
			t.Errorf("the ID %q was kept", c.ContactID)
		}
	})
}

// A reply is recognized whether the person was addressed by the number or by the ID.
func TestReceive_RepliesAcrossThePair(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		toID := w.Submit(t, &message.Request{To: awaID, Channel: gateway.WhatsApp, Content: message.Content{Text: "x"}, Source: message.SourceAPI}).Message
		answer := func(number string, of gateway.PersonID, id string, to gateway.Quoted) string {
			t.Helper()
			in := gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.WhatsApp, From: number, Person: of, To: messagingtest.WhatsApp, Text: "Oui", ReplyTo: to, At: w.Clock.Now()}
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			var replyTo string
			if _, err := d.Read(t.Context()).Row(`SELECT COALESCE(reply_to, '') FROM inbox_messages WHERE provider_id = $1`, id).Scan(&replyTo); err != nil {
				t.Fatal(err)
			}
			return replyTo
		}
		if got := answer("", ofID(awaID), "1", gateway.Quoted{Ref: toID.ID}); got != toID.ID {
			t.Errorf("from the ID, it replies to %q", got)
		}
		if got := answer(awa, ofID(awaID), "2", gateway.Quoted{Ref: toID.ID}); got != toID.ID {
			t.Errorf("from the pair, it replies to %q", got)
		}
		if got := answer("", ofID("ML.9002"), "3", gateway.Quoted{Ref: toID.ID}); got != "" {
			t.Errorf("from another person, it replies to %q", got)
		}
		if got := answer(awa, ofID(awaID), "4", gateway.Quoted{ProviderID: "1"}); !strings.HasPrefix(got, "msg_") {
			t.Errorf("the pair replies to its earlier message %q", got)
		}
		if got := answer("", ofID("ML.9002"), "5", gateway.Quoted{ProviderID: "1"}); got != "" {
			t.Errorf("another person replies to it as %q", got)
		}
	})
}

// Events name the number or the ID in from, and the ID and the username beside it.
// Rules: M195.
func TestReceive_EventsOfPeopleWithAnID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.SetWebhook(t, "https://example.com/hook")
		for id, tc := range map[string]struct {
			number string
			of     gateway.PersonID
			want   string
		}{
			"1": {"", gateway.PersonID{ID: "123@lid"}, `"from":"123@lid","fromId":"123@lid","displayName":null`},
			"2": {awa, gateway.PersonID{ID: awaID, Username: "awa.t"}, `"from":"+22376000001","fromId":"ML.9001","fromUsername":"awa.t","displayName":null`},
			"3": {moussa, gateway.PersonID{}, `"from":"+22376000002","displayName":null`},
		} {
			receiveFrom(t, w, tc.number, tc.of, id, "texte "+id)
			var body string
			if _, err := d.Read(t.Context()).Row(`SELECT body FROM webhook_events WHERE body LIKE $1`, "%texte "+id+"%").Scan(&body); err != nil || !strings.Contains(body, tc.want) {
				t.Errorf("event %s, %v, want %s", body, err, tc.want)
			}
		}
	})
}

// The gateway gets a read receipt's number and ID, as far as they are known.
// Rules: M196.
func TestReads_OfAPersonWithAnID(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		g := &reader{}
		w.Inbox = w.NewInbox(func(o *inbox.Options) { o.Gateway = func(string) gateway.Sender { return g } })
		receiveFrom(t, w, "", ofID(awaID), "1", "un")
		for _, want := range []gateway.Read{{ToID: awaID}, {To: awa, ToID: awaID}} {
			if _, err := w.Inbox.MarkRead(t.Context(), w.LiveCaller, page(t, w, inbox.Query{}).List[0].ID); err != nil {
				t.Fatal(err)
			}
			notify(t, w)
			if last := g.notified[len(g.notified)-1]; last.To != want.To || last.ToID != want.ToID {
				t.Errorf("read to %q and %q, want %q and %q", last.To, last.ToID, want.To, want.ToID)
			}
			receiveFrom(t, w, awa, ofID(awaID), "2", "deux")
		}
	})
}

// A withdrawn pair ends in every account that had joined it.
// Rules: M197.
func TestSeparate_InEachAccount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		receiveFrom(t, w, awa, ofID(awaID), "1", "STOP")
		w.Exec(t, `INSERT INTO person_aliases (account_id, alias, person) VALUES ('other', $1, $2)`, awaID, awa)
		for range 2 {
			w.Write(t, func(tx *db.Tx) error {
				_, err := person.SeparateAll(tx, awaID, awa)
				return err
			})
		}
		if n := w.Int(t, `SELECT count(*) FROM person_aliases`); n != 0 {
			t.Errorf("%d pairs are left", n)
		}
		if c := conversationWith(t, w, awa); c.ContactID != "" {
			t.Errorf("the conversation still has the ID %s", c.ContactID)
		}
		if n := w.Int(t, `SELECT count(*) FROM opt_outs WHERE person IN ($1, $2)`, awa, awaID); n != 2 {
			t.Errorf("%d opt-outs, want one for each half", n)
		}
	})
}
