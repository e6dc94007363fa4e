package outbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	people "example.com/griot/messaging/person"
)

func (w *world) owns(n int, want bool) outbox.Ownership {
	w.t.Helper()
	o, err := w.store(n).ClaimSender(w.t.Context(), sender)
	if err != nil || o.Owned != want {
		w.t.Errorf("node %d owns the sender: %v, %v, want %v", n, o.Owned, err, want)
	}
	return o
}

func (w *world) renews(n int, d time.Duration, wantFresh bool) {
	w.t.Helper()
	fresh, err := w.store(n).RenewLease(w.t.Context(), d)
	if err != nil || fresh != wantFresh {
		w.t.Errorf("node %d renews: fresh %v, %v, want %v", n, fresh, err, wantFresh)
	}
}

func (w *world) fences(n int, margin time.Duration) {
	w.t.Helper()
	if err := w.store(n).FenceExpired(w.t.Context(), margin); err != nil {
		w.t.Error(err)
	}
}

// Rules: M182.
func TestNodes_OneOwnsASender(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t))
	w.owns(0, true)
	w.owns(1, false)
	w.owns(0, true) // again
	pause := outbox.Pause{Lasts: time.Minute, Until: w.Clock.Now().Add(time.Minute)}
	for n := range 2 { // a pause from a node that does not own the sender is ignored
		if err := w.store(1-n).SetPause(t.Context(), sender, outbox.Pause{Lasts: pause.Lasts + time.Duration(1-n)*time.Hour, Until: pause.Until}); err != nil {
			t.Fatal(err)
		}
	}
	w.fences(1, 0) // its lease is still valid
	w.owns(1, false)
	w.renews(0, -time.Second, false)
	w.fences(1, time.Hour) // within the margin
	w.owns(1, false)
	w.fences(0, 0) // a node does not fence itself
	w.owns(0, true)
	w.fences(1, 0)
	w.owns(0, false)
	if o := w.owns(1, true); o.Pause.Lasts != pause.Lasts || !o.Pause.Until.Equal(pause.Until) || !o.TakenOver {
		t.Errorf("the next node finds %+v, want the pause %+v, after another node", o, pause)
	}
	w.renews(0, lease, true) // it starts again
	w.owns(0, false)
	if err := w.store(1).ReleaseLease(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o := w.owns(0, true); o.Pause.Lasts != pause.Lasts || !o.TakenOver {
		t.Errorf("after the node has left: %+v, want the pause %+v, after another node", o, pause)
	}
	w.owns(1, false) // it has no lease
	if err := w.store(0).SetPause(t.Context(), sender, outbox.Pause{}); err != nil {
		t.Fatal(err)
	}
	if err := w.store(0).ReleaseSender(t.Context(), sender); err != nil {
		t.Fatal(err)
	}
	w.renews(1, lease, true)
	if o := w.owns(1, true); o != (outbox.Ownership{Owned: true}) {
		t.Errorf("of a sender that was given back: %+v, want nothing of before", o)
	}
}

// A fenced node submits nothing, and its accepted messages wait for their sender's new node.
func TestNodes_WhoWasFencedBeginsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t))
	w.owns(0, true)
	m := w.stored(person, "waits")
	day := &outbox.SenderDay{SenderID: sender, Day: 1, Limit: 9}
	w.renews(0, -time.Second, false)
	w.fences(1, 0)
	if b := w.begin(0, outbox.EntryOf(m), day); b.Begun != nil || b.DayFull {
		t.Errorf("a fenced node begins %+v, want nothing", b)
	}
	w.counts(`SELECT count(*) FROM sender_counts`, 0)
	late := w.item("22376000002", "late", w.atOnce, keyed("k"))
	w.accept(0, false, late)
	if stored := w.Message(t, late.Message.ID); late.Begun() || stored.Status != message.Queued || stored.Version != 0 || !stored.DueAt.IsZero() {
		t.Errorf("a fenced node stores %s, version %d, due %v, want QUEUED, 0, ready", stored.Status, stored.Version, stored.DueAt)
	}
	w.owns(1, true)
	for _, id := range []string{m.ID, late.Message.ID} {
		if b := w.begin(1, outbox.EntryOf(w.Message(t, id)), nil); b.Begun == nil {
			t.Errorf("%s does not begin at the new node", id)
		}
	}
	without := outbox.New(w.DB, message.NewSweptKeys(w.Master), people.NewKey(w.Master), w.Clock.Now) // it never had a lease
	a := w.item("22376000003", "without", w.atOnce)
	if err := without.Accept(t.Context(), []*outbox.Acceptance{a}, false); err != nil || a.Begun() {
		t.Errorf("without a lease: %v, begun %v, want it stored to wait", err, a.Begun())
	}
}

// busyUntil continues a transaction until goOn is closed, because an idle transaction would be ended. It closes begun first.
func busyUntil(tx *db.Tx, begun, goOn chan struct{}) error {
	select {
	case <-begun: // the transaction runs again
	default:
		close(begun)
	}
	for {
		select {
		case <-goOn:
			return nil
		default:
			if _, err := tx.Exec(`SELECT pg_sleep($1)`, 0.1); err != nil {
				return err
			}
		}
	}
}

// A node that writes is not fenced until its commit, and its renewals do not wait for writes.
func TestNodes_AFenceWaitsForWhatIsBeingWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t))
	w.owns(0, true)
	w.renews(0, -time.Second, false)
	outbox.SetFenceWait(w.store(1), waittest.Limit)
	inside, goOn := make(chan struct{}), make(chan struct{})
	a := w.item(person, "x", w.atOnce)
	a.AlsoStore = func(tx *db.Tx, _ *message.Message) error { return busyUntil(tx, inside, goOn) }
	accepted, fenced := make(chan error, 1), make(chan error, 1)
	go func() { accepted <- w.store(0).Accept(t.Context(), []*outbox.Acceptance{a}, false) }()
	waittest.Receive(t, inside)
	w.renews(0, -time.Second, false)
	go func() { fenced <- w.store(1).FenceExpired(t.Context(), 0) }()
	w.WaitForInt(t, 1, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
	select {
	case err := <-fenced:
		t.Errorf("the fence did not wait: %v", err)
	default:
	}
	close(goOn)
	for name, c := range map[string]chan error{"accepting": accepted, "fencing": fenced} {
		if err := waittest.Receive(t, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.wants("it began before the fence", a.Begun(), true)
	w.owns(1, true)
	keys, err := w.store(1).InFlight(t.Context(), sender)
	w.wants("in flight for the next node", fmt.Sprint(ids(keys), err), fmt.Sprint([]string{a.Message.ID}, " <nil>"))
}

// A row that stays locked does not keep a node in its fence for longer than its own lease lasts. The next fence
// handles the remaining nodes.
func TestNodes_AFenceGivesUpOnALockedRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t))
	w.owns(0, true)
	w.renews(0, -time.Second, false)
	holds, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- w.DB.Write(context.Background(), func(tx *db.Tx) error {
			var n int
			if _, err := tx.Row(`SELECT count(*) FROM (SELECT 1 FROM nodes FOR KEY SHARE) AS n`).Scan(&n); err != nil {
				return err
			}
			return busyUntil(tx, holds, goOn)
		})
	}()
	waittest.Receive(t, holds)
	ctx, fence := waittest.Context(t), w.store(1)
	if err := fence.FenceExpired(ctx, 0); err == nil || ctx.Err() != nil {
		t.Errorf("with a locked row the fence ended with %v, want an error", err)
	}
	if wait := outbox.FenceWait(fence); wait > 4*time.Second {
		t.Errorf("a fence waits for %v, want 4 s at most", wait)
	}
	w.owns(1, false)
	close(goOn)
	if err := waittest.Receive(t, ended); err != nil {
		t.Fatal(err)
	}
	w.fences(1, 0)
	w.owns(1, true)
}

// A commit without a response is an error, and the same key shows whether the message was stored.
func TestAccept_ACommitWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t))
	w.Write(t, func(tx *db.Tx) error {
		for _, text := range []string{
			`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`,
			`CREATE CONSTRAINT TRIGGER cut_at_commit AFTER INSERT ON messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.content LIKE '%cut%') EXECUTE FUNCTION cut()`,
		} {
			if _, err := tx.Exec(text); err != nil {
				return err
			}
		}
		return nil
	})
	const many = 8
	errs, items := make([]error, many), make([]*outbox.Acceptance, many)
	waittest.Together(many, func(n int) {
		items[n] = w.item(fmt.Sprintf("2237610%04d", n), "cut", keyed(fmt.Sprint(n)), w.atOnce)
		errs[n] = w.store(0).Accept(t.Context(), items[n:n+1], false)
	})
	for n, err := range errs {
		if !db.OutcomeUnknown(err) {
			t.Errorf("item %d: %v, want an error that says that nobody knows", n, err)
		}
	}
	w.Write(t, func(tx *db.Tx) error { _, err := tx.Exec(`DROP TRIGGER cut_at_commit ON messages`); return err })
	waittest.Together(many, func(n int) {
		again := w.item(fmt.Sprintf("2237610%04d", n), "cut", keyed(fmt.Sprint(n)), w.atOnce)
		if err := w.store(1).Accept(t.Context(), []*outbox.Acceptance{again}, false); err != nil || again.Refusal != outbox.Stored {
			t.Errorf("item %d again: %v, refusal %d, want it stored", n, err, again.Refusal)
		}
	})
	w.counts(`SELECT count(*) FROM messages`, many)
	w.counts(`SELECT used FROM quotas`, many)
}
