package outbox_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/outbox"
	people "example.com/griot/messaging/person"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const (
	sender = "snd_1"
	person = "22376000001"
	lease  = time.Minute
)

// world is an account with the outboxes of the processes that use its database: one on SQLite, two on PostgreSQL.
type world struct {
	*messagingtest.World
	t      *testing.T
	stores []*outbox.Store
}

// each runs fn on each engine.
func each(t *testing.T, fn func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		t.Helper()
		fn(t, newWorld(t, d))
	})
}

func newWorld(t *testing.T, d *db.DB) *world {
	t.Helper()
	w := &world{World: messagingtest.New(t, d, "free"), t: t}
	for range 2 {
		s := newStore(t, w.World)
		if w.stores = append(w.stores, s); s.SingleNode() {
			break
		}
	}
	return w
}

func newStore(t testing.TB, w *messagingtest.World) *outbox.Store {
	t.Helper()
	s := outbox.New(w.DB, message.NewSweptKeys(w.Master), people.NewKey(w.Master), w.Clock.Now)
	if _, err := s.RenewLease(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	return s
}

// store returns the outbox of the nth process, if it exists.
func (w *world) store(n int) *outbox.Store { return w.stores[n%len(w.stores)] }

// item returns a message to accept.
func (w *world) item(to, text string, change ...func(*outbox.Acceptance)) *outbox.Acceptance {
	m := message.New(&message.Request{To: "+" + to, Address: to, Channel: gateway.SMS, Content: message.Content{Text: text}, Source: "api"}, w.Account.ID, "", w.Clock.Now())
	m.SenderID, m.From, m.Gateway, m.Status = sender, messagingtest.SMS, "fake", message.Queued
	m.Timeline = message.FirstStep(message.Step{At: db.Ms(w.Clock.Now()), Status: message.Queued, Channel: gateway.SMS, Sender: sender})
	a := &outbox.Acceptance{Message: m}
	for _, c := range change {
		c(a)
	}
	return a
}

func keyed(key string) func(*outbox.Acceptance) {
	return func(a *outbox.Acceptance) { a.Key, a.Fingerprint = key, "print" }
}

func limited(n int64) func(*outbox.Acceptance) {
	return func(a *outbox.Acceptance) { a.DailyLimit = n }
}

func capped(n int64) func(*outbox.Acceptance) {
	return func(a *outbox.Acceptance) { a.RecipientCap = n }
}

func secret(a *outbox.Acceptance) { a.Message.Sensitive = true }

func (w *world) atOnce(a *outbox.Acceptance) { a.BeginUntil = w.Clock.Now().Add(time.Minute) }

// accept stores items in the nth process.
func (w *world) accept(n int, stop bool, items ...*outbox.Acceptance) {
	w.t.Helper()
	if err := w.store(n).Accept(w.t.Context(), items, stop); err != nil {
		w.t.Fatal(err)
	}
}

// stored accepts one message and returns it as stored.
func (w *world) stored(to, text string, change ...func(*outbox.Acceptance)) *message.Message {
	w.t.Helper()
	a := w.item(to, text, change...)
	w.accept(0, false, a)
	if a.Refusal != outbox.Stored {
		w.t.Fatalf("%s to %s: refusal %d, want it stored", text, to, a.Refusal)
	}
	return w.Message(w.t, a.Message.ID)
}

// refusals returns the refusals of items, for comparison.
func refusals(items []*outbox.Acceptance) (out []outbox.Refusal) {
	for _, a := range items {
		out = append(out, a.Refusal)
	}
	return out
}

func (w *world) wants(what string, got, want any) {
	w.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// counts compares the numbers of rows.
func (w *world) counts(query string, want int, args ...any) {
	w.t.Helper()
	w.wants(query, w.Int(w.t, query, args...), want)
}

func (w *world) begin(n int, k outbox.Entry, day *outbox.SenderDay) *outbox.Begin {
	w.t.Helper()
	m := w.Message(w.t, k.ID)
	m.Version = k.Version
	b := &outbox.Begin{Message: m, Until: w.Clock.Now().Add(time.Minute), Day: day}
	if err := w.store(n).Begin(w.t.Context(), []*outbox.Begin{b}); err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w *world) apply(t *outbox.Transition) outbox.Applied {
	w.t.Helper()
	done, err := w.store(0).Apply(w.t.Context(), t)
	if err != nil {
		w.t.Fatal(err)
	}
	return done
}

// to returns a transition of a message to a status.
func (w *world) to(m *message.Message, s message.Status) *outbox.Transition {
	after := *m
	after.Status, after.DueAt = s, time.Time{}
	switch s {
	case message.Sent:
		after.SentAt = w.Clock.Now()
	case message.Failed:
		after.FailedAt = w.Clock.Now()
	case message.Canceled:
		after.CanceledAt = w.Clock.Now()
	case message.Scheduled, message.Queued, message.Sending, message.Expired, message.Delivered, message.Read, message.Sandbox:
	}
	return &outbox.Transition{Before: m, Message: &after, Steps: []message.Step{{At: db.Ms(w.Clock.Now()), Status: s, Channel: m.Channel, Sender: m.SenderID}}}
}

func ids(keys []outbox.Entry) (out []string) {
	for _, k := range keys {
		out = append(out, k.ID)
	}
	return out
}
