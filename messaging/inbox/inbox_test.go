package inbox_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/messagingtest"
)

// ownerOf returns the caller of an account's live key.
func ownerOf(a *account.Account) *account.Caller {
	return &account.Caller{Account: a, Kind: account.Live}
}

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	awa    = "22376000001"
	moussa = "22376000002"
)

// page reads the first page of an account's conversations.
func page(t *testing.T, w *messagingtest.World, q inbox.Query) *inbox.Conversations {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = inbox.DefaultLimit
	}
	p, err := w.Inbox.Conversations(t.Context(), w.LiveCaller, &q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// conversationWith returns the conversation with a number.
func conversationWith(t *testing.T, w *messagingtest.World, phone string) *inbox.Conversation {
	t.Helper()
	list := page(t, w, inbox.Query{Q: phone}).List
	if len(list) != 1 {
		t.Fatalf("%d conversations with %s", len(list), phone)
	}
	return &list[0]
}

// messages reads the first page of a conversation.
func messages(t *testing.T, w *messagingtest.World, id string) []inbox.Message {
	t.Helper()
	p, err := w.Inbox.Messages(t.Context(), w.LiveCaller, id, &inbox.Query{Limit: inbox.MaxLimit})
	if err != nil {
		t.Fatal(err)
	}
	return p.List
}

func state(t *testing.T, w *messagingtest.World) inbox.State {
	t.Helper()
	s, err := w.Inbox.State(t.Context(), w.LiveCaller)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func isFault(err error, k *apierror.Kind) bool { return errors.Is(err, k.Err()) }

// checkCounts recounts the counters that the tables store.
func checkCounts(t *testing.T, w *messagingtest.World) {
	t.Helper()
	for what, query := range map[string]string{
		"conversations whose unread count is wrong": `SELECT count(*) FROM conversations c WHERE c.unread <> (SELECT count(*) FROM inbox_messages m WHERE m.conversation_id = c.id AND m.direction = 'in' AND m.revision > c.read_to)`,
		"accounts whose unread count is wrong":      `SELECT count(*) FROM inbox_states s WHERE s.unread <> (SELECT COALESCE(sum(c.unread), 0) FROM conversations c WHERE c.account_id = s.account_id)`,
		"conversations at the wrong place":          `SELECT count(*) FROM conversations c WHERE c.last_at <> (SELECT COALESCE(max(m.at), 0) FROM inbox_messages m WHERE m.conversation_id = c.id)`,
		"messages of no conversation":               `SELECT count(*) FROM inbox_messages m WHERE m.conversation_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM conversations c WHERE c.id = m.conversation_id)`,
		"messages that share a revision":            `SELECT count(*) FROM (SELECT account_id FROM inbox_messages WHERE revision > 0 GROUP BY account_id, revision HAVING count(*) > 1) twice`,
	} {
		if n := w.Int(t, query); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
}

// texts returns messages as "in text" or "out text STATUS".
func texts(list []inbox.Message) string {
	var out []string
	for _, m := range list {
		if m.Out {
			out = append(out, fmt.Sprintf("out %s %s", m.Content, m.Status))
		} else {
			out = append(out, "in "+m.Content)
		}
	}
	return strings.Join(out, "; ")
}
