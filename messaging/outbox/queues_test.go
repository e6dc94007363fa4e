package outbox_test

import (
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
)

func TestQueues_CountWhatWaits(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		first := w.Clock.Now()
		w.stored(person, "first")
		w.Clock.Advance(time.Minute)
		w.stored(person, "second")
		at := w.Clock.Now().Add(time.Hour)
		later := w.item(person, "later")
		later.Message.DueAt, later.Message.ScheduledAt, later.Message.Status = at, at, message.Scheduled
		w.accept(0, false, later)
		for _, tt := range []struct {
			now                time.Time
			ready, due, future int64
		}{{at.Add(-time.Second), 2, 0, 1}, {at, 2, 1, 0}} {
			got, err := outbox.Queues(t.Context(), d, tt.now)
			if err != nil || len(got) != 1 {
				t.Fatalf("got %+v, %v, want one channel", got, err)
			}
			dueSince := time.Time{}
			if tt.due > 0 {
				dueSince = at.Truncate(time.Millisecond).UTC()
			}
			if want := (outbox.Queue{Channel: later.Message.Channel, Ready: tt.ready, Due: tt.due, Later: tt.future, ReadySince: first.Truncate(time.Millisecond).UTC(), DueSince: dueSince}); got[0] != want || !got[0].Oldest().Equal(first.Truncate(time.Millisecond)) {
				t.Errorf("got %+v, want %+v", got[0], want)
			}
		}
	})
}

func TestNodes_AreListedWithTheirSenders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t))
	w.owns(0, true)
	w.renews(1, -time.Second, false)
	nodes, err := outbox.Nodes(t.Context(), w.DB, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		switch n.ID {
		case w.store(0).NodeID():
			if !n.Alive || len(n.Owned) != 1 || n.Owned[0].ID != sender {
				t.Errorf("the owner is %+v, want it alive with %s", n, sender)
			}
		case w.store(1).NodeID():
			if n.Alive || len(n.Owned) != 0 {
				t.Errorf("the other is %+v, want it gone and without senders", n)
			}
		}
	}
	if len(nodes) < 2 {
		t.Errorf("%d nodes, want 2", len(nodes))
	}
	if none, err := outbox.Nodes(t.Context(), dbtest.SQLite(t), 100); err != nil || none != nil {
		t.Errorf("on SQLite: %v, %v", none, err)
	}
}
