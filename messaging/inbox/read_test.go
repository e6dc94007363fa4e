package inbox_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/messagingtest"
)

// walk reads all pages of the conversations and returns the phones on them.
func walk(t *testing.T, w *messagingtest.World, q inbox.Query, between func()) (phones []string, pages int) {
	t.Helper()
	for pages = 1; pages <= 100; pages++ { // a cursor that led back would never end
		p := page(t, w, q)
		for _, c := range p.List {
			phones = append(phones, c.Phone)
		}
		if p.Next == "" {
			return phones, pages
		}
		q.Cursor = p.Next
		between()
	}
	t.Fatalf("the conversations go on after 100 pages, %d phones", len(phones))
	return nil, 0
}

// Rules: M128.
func TestConversations_AWalkSkipsAndRepeatsNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		const first = 23
		for i := range first { // several in the same millisecond
			if i%4 == 0 {
				w.Clock.Advance(time.Millisecond)
			}
			w.Receive(t, fmt.Sprintf("223760000%02d", i), fmt.Sprint("a", i), "x")
		}
		var wg sync.WaitGroup
		n := 0
		phones, pages := walk(t, w, inbox.Query{Limit: 5}, func() {
			for range 4 { // others write meanwhile, and those who were on a page already
				n++
				from, id := fmt.Sprintf("223770000%02d", n), fmt.Sprint(n)
				wg.Go(func() { w.Receive(t, from, "b"+id, "x") })
				wg.Go(func() { w.Receive(t, "22376000022", "c"+id, "x") })
			}
			wg.Wait()
			w.Clock.Advance(time.Millisecond)
		})
		slices.Sort(phones)
		if len(phones) != first || len(slices.Compact(phones)) != first || pages != 5 {
			t.Errorf("%d pages: %v", pages, phones)
		}
	})
}

// Rules: M129.
func TestMessages_AWalkSkipsAndRepeatsNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for i := range 23 {
			if i%4 == 0 {
				w.Clock.Advance(time.Millisecond)
			}
			w.Receive(t, awa, fmt.Sprint(i), fmt.Sprint("n ", i))
		}
		c, q := conversationWith(t, w, awa), &inbox.Query{Limit: 4}
		seen := map[string]bool{}
		for {
			p, err := w.Inbox.Messages(t.Context(), w.LiveCaller, c.ID, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range p.List {
				if seen[m.Content] {
					t.Fatalf("%q is on two pages", m.Content)
				}
				seen[m.Content] = true
			}
			if q.Cursor = p.Next; p.Next == "" {
				break
			}
			w.Clock.Advance(time.Millisecond)
			w.Receive(t, awa, "x"+p.Next, "later")
		}
		if len(seen) != 23 || seen["later"] {
			t.Errorf("got %d messages, later ones among them: %v; want 23, false", len(seen), seen["later"])
		}
	})
}

// receiveMany creates conversations without messages, faster than real messages could.
func receiveMany(t *testing.T, w *messagingtest.World, n int, name func(i int) string) {
	t.Helper()
	w.Write(t, func(tx *db.Tx) error {
		for i := range n {
			_, err := tx.Exec(`INSERT INTO conversations (id, account_id, person, phone, sender_id, name, last_at, last_preview, unread, read_to) VALUES ($1, $2, $3, $3, $4, $5, $6, 'x', 0, 0)`,
				id.Conversation+id.New(messagingtest.Start.Add(time.Duration(i))), w.Account.ID, fmt.Sprintf("2238%07d", i), "snd_x", name(i), db.Ms(messagingtest.Start)-int64(i))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Rules: M127, M128.
func TestConversations_Filter(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		receiveMany(t, w, 1201, func(i int) string {
			if i%600 == 550 || i == 1200 {
				return "Awa TRAORÉ"
			}
			return fmt.Sprint("Contact ", i)
		})
		for q, want := range map[string]struct{ found, pages int }{
			"":           {1201, 25},
			"  ":         {1201, 25},
			"traoré":     {3, 3}, // 501 to 1000 has one, 1001 and on two; the first page is empty
			"AWA tr":     {3, 3},
			"0000550":    {1, 3},
			"+2238":      {1201, 25},
			"(22) 38-00": {1201, 25},
			"contact 7":  {111, 4},
			"nobody":     {0, 3},
			"+":          {0, 3},
			"%":          {0, 3},
		} {
			phones, pages := walk(t, w, inbox.Query{Q: q, Limit: 50}, func() {})
			if len(phones) != want.found || pages != want.pages {
				t.Errorf("%q: %d found on %d pages, want %v", q, len(phones), pages, want)
			}
		}
		if p := page(t, w, inbox.Query{Q: "traoré"}); len(p.List) != 0 || p.Next == "" {
			t.Errorf("the first page has %d and leads to %q", len(p.List), p.Next)
		}
		if p := page(t, w, inbox.Query{Q: "2238", Limit: 100}); len(p.List) != 100 || p.Next == "" {
			t.Errorf("a page has %d and leads to %q", len(p.List), p.Next)
		}
	})
}

// A name is found regardless of the case, accents, and Unicode form of the name and the query, and a number in any format.
// Rules: M127.
func TestConversations_FilterFoldsAccents(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		for i, name := range []string{"A\u00efssata Kon\u00e9", "Ai\u0308ssata Kone\u0301", "Jos\u00e9 \u0130nal", "\u039f\u03b4\u03c5\u03c3\u03c3\u03ad\u03b1\u03c2", "مُحَمَّد"} {
			in := gateway.Inbound{ID: fmt.Sprint(i), Gateway: "fake", Channel: gateway.WhatsApp, From: fmt.Sprintf("2237600010%d", i), To: messagingtest.WhatsApp, DisplayName: name, Text: "x", At: w.Clock.Now()}
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		for q, want := range map[string]int{
			"aissata": 2, "AÏSSATA": 2, "Ai\u0308ssata": 2, "a\u00efssata kon\u00e9": 2, "kone": 2, "KONE\u0301": 2, " koné ": 2,
			"jose": 1, "JOSE\u0301 inal": 1, "ΟΔΥΣΣΕΑΣ": 1, "οδυσσεας": 1, "محمد": 1,
			"+223 (0)76\u201100\u201101\u201100": 1, "٢٢٣٧٦": 5, "aissata7": 0, "koné x": 0,
		} {
			if found, _ := walk(t, w, inbox.Query{Q: q, Limit: 50}, func() {}); len(found) != want {
				t.Errorf("%+q finds %v, want %d", q, found, want)
			}
		}
	})
}

// Rules: M128.
func TestCursors_AreTheListsOwn(t *testing.T) {
	d := dbtest.SQLite(t)
	w := messagingtest.New(t, d, "business")
	other, err := w.Directory.Create(t.Context(), &account.Spec{Name: "Other", Email: "other@example.com", Plan: "pro"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		w.Receive(t, awa, fmt.Sprint("a", i), "x")
		w.Receive(t, moussa, fmt.Sprint("m", i), "x")
	}
	cursor := page(t, w, inbox.Query{Limit: 1}).Next
	filtered := page(t, w, inbox.Query{Limit: 1, Q: "223"}).Next
	inA, err := w.Inbox.Messages(t.Context(), w.LiveCaller, conversationWith(t, w, awa).ID, &inbox.Query{Limit: 1})
	if err != nil || cursor == "" || filtered == "" || inA.Next == "" {
		t.Fatalf("%q %q %v", cursor, filtered, err)
	}
	flipped := []byte(cursor)
	flipped[3] ^= 1
	for name, tc := range map[string]struct {
		caller    *account.Caller
		cursor, q string
	}{
		"another account": {ownerOf(other), cursor, ""},
		"another filter":  {w.LiveCaller, cursor, "223"},
		"no filter":       {w.LiveCaller, filtered, ""},
		"of messages":     {w.LiveCaller, inA.Next, ""},
		"changed":         {w.LiveCaller, string(flipped), ""},
		"cut":             {w.LiveCaller, cursor[1:], ""},
		"longer":          {w.LiveCaller, cursor + "A", ""},
		"padded":          {w.LiveCaller, cursor + "=", ""},
		"with a newline":  {w.LiveCaller, cursor[:5] + "\n" + cursor[5:], ""},
		"no base64":       {w.LiveCaller, "é", ""},
		"nonsense":        {w.LiveCaller, strings.Repeat("A", 80), ""},
		"far too long":    {w.LiveCaller, strings.Repeat("A", 100_000), ""},
	} {
		if _, err := w.Inbox.Conversations(t.Context(), tc.caller, &inbox.Query{Cursor: tc.cursor, Q: tc.q, Limit: 5}); !isFault(err, apierror.InvalidCursor) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, tc := range map[string]struct{ id, cursor string }{"another conversation": {conversationWith(t, w, moussa).ID, inA.Next}, "of conversations": {conversationWith(t, w, awa).ID, cursor}} {
		if _, err := w.Inbox.Messages(t.Context(), w.LiveCaller, tc.id, &inbox.Query{Cursor: tc.cursor, Limit: 5}); !isFault(err, apierror.InvalidCursor) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.Inbox.Conversations(t.Context(), w.LiveCaller, &inbox.Query{Cursor: cursor, Limit: 100}); err != nil {
		t.Errorf("with another limit: %v", err)
	}
	for _, id := range []string{"", "x", id.Conversation + id.New(w.Clock.Now()), conversationWith(t, w, awa).ID + "\x00"} {
		if _, err := w.Inbox.Messages(t.Context(), w.LiveCaller, id, &inbox.Query{Limit: 5}); !isFault(err, apierror.ConversationNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := w.Inbox.Messages(t.Context(), ownerOf(other), conversationWith(t, w, awa).ID, &inbox.Query{Limit: 5}); !isFault(err, apierror.ConversationNotFound) {
		t.Errorf("another account's: %v", err)
	}
}

func FuzzCursor(f *testing.F) {
	w := messagingtest.New(f, dbtest.SQLite(f), "business")
	for i := range 2 {
		w.Receive(f, fmt.Sprint("2237600000", i), fmt.Sprint(i), "x")
	}
	p, err := w.Inbox.Conversations(f.Context(), w.LiveCaller, &inbox.Query{Limit: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(p.Next)
	f.Add("AQ")
	f.Fuzz(func(t *testing.T, cursor string) {
		_, err := w.Inbox.Conversations(t.Context(), w.LiveCaller, &inbox.Query{Cursor: cursor, Limit: 1})
		if good := cursor == p.Next || cursor == ""; good != (err == nil) || !good && !isFault(err, apierror.InvalidCursor) {
			t.Fatalf("%q: %v", cursor, err)
		}
	})
}
