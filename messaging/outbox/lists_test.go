package outbox_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
)

func TestLists(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		list := func(keys []outbox.Entry, err error) []string {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			return ids(keys)
		}
		store, now := w.store(0), w.Clock.Now()
		var many []string
		for n := range 5 {
			many = append(many, w.stored(person, fmt.Sprint("many ", n)).ID)
		}
		other := w.stored("22376000002", "other").ID
		code := w.stored(person, "code", secret).ID
		later := w.stored("22376000003", "later", func(a *outbox.Acceptance) {
			a.Message.Status, a.Message.ScheduledAt, a.Message.DueAt = message.Scheduled, now.Add(time.Minute), now.Add(time.Minute)
		}).ID
		sooner := w.stored("22376000003", "sooner", func(a *outbox.Acceptance) {
			a.Message.Status, a.Message.ScheduledAt, a.Message.DueAt = message.Scheduled, now.Add(time.Second), now.Add(time.Second)
		}).ID
		elsewhere := w.stored(person, "of another sender", func(a *outbox.Acceptance) { a.Message.SenderID = "snd_2" }).ID

		w.wants("ready", list(store.Ready(t.Context(), sender, nil, math.MinInt64, 100)), append(append([]string{code}, many...), other))
		w.wants("the first three", list(store.Ready(t.Context(), sender, nil, math.MinInt64, 3)), []string{code, many[0], many[1]})
		w.wants("without one person's", list(store.Ready(t.Context(), sender, []string{person, "nobody"}, math.MinInt64, 3)), []string{code, other})
		w.wants("of another sender", list(store.Ready(t.Context(), "snd_2", nil, math.MinInt64, 3)), []string{elsewhere})
		w.wants("due", list(store.Due(t.Context(), sender, 10)), []string{})
		senders, err := store.Senders(t.Context())
		slices.Sort(senders)
		w.wants("senders", fmt.Sprint(senders, err), "[snd_1 snd_2] <nil>")

		begun := w.begin(0, outbox.EntryOf(w.Message(t, other)), nil)
		if begun.Begun == nil {
			t.Fatal("it did not begin")
		}
		w.wants("in flight", list(store.InFlight(t.Context(), sender)), []string{other})
		w.wants("ready, without what began", list(store.Ready(t.Context(), sender, nil, math.MinInt64, 100)), append([]string{code}, many...))
		w.Clock.Advance(2 * time.Minute)
		w.wants("due, by their times, then as they were accepted", list(store.Due(t.Context(), sender, 10)), []string{sooner, other, later})
		w.wants("the first due", list(store.Due(t.Context(), sender, 1)), []string{sooner})
		w.wants("in flight once it is due", list(store.InFlight(t.Context(), sender)), []string{})
		n, err := store.Backlog(t.Context(), w.Clock.Now())
		w.wants("under way", fmt.Sprint(n, err), "10 <nil>")
	})
}

// Messages that one process was submitting, or submitting again, are due for the next process immediately. A retry keeps its time.
func TestReclaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t)) // on PostgreSQL, another process might be submitting it
	begun, unknown := w.stored(person, "begun", w.atOnce), w.stored(person, "unknown", w.atOnce)
	retried := w.to(w.stored(person, "retried", w.atOnce), message.Queued)
	retried.Message.DueAt = w.Clock.Now().Add(time.Minute)
	w.apply(retried)
	w.stored(person, "ready")
	looked := w.to(unknown, message.Sending)
	looked.Message.UnknownAt, looked.Message.DueAt = w.Clock.Now(), w.Clock.Now().Add(time.Minute)
	w.apply(looked)
	if err := w.store(0).MakeInFlightDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys, err := w.store(0).Due(t.Context(), sender, 10)
	w.wants("due", fmt.Sprint(ids(keys), err), fmt.Sprint([]string{begun.ID, unknown.ID}, " <nil>"))
}
