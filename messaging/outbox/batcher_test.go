package outbox_test

import (
	"fmt"
	"sync"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/outbox"
)

// blockWrites starts a transaction that no acceptance can pass until release is called.
func (w *world) blockWrites() (release func()) {
	w.t.Helper()
	blocked, over, ended := make(chan bool), make(chan bool), make(chan error, 1)
	var once sync.Once
	go func() {
		ended <- w.DB.Write(w.t.Context(), func(tx *db.Tx) error {
			if w.DB.Engine() == db.Postgres {
				if _, err := tx.Exec(`LOCK TABLE messages IN EXCLUSIVE MODE`); err != nil {
					return err
				}
			}
			once.Do(func() { close(blocked) })
			<-over
			return nil
		})
	}()
	waittest.Receive(w.t, blocked)
	return func() {
		w.t.Helper()
		close(over)
		if err := waittest.Receive(w.t, ended); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) waiting(want int) {
	w.t.Helper()
	waittest.Until(w.t, func() error {
		if n, writing := outbox.Waiting(w.store(0)); n != want || !writing {
			return fmt.Errorf("%d acceptances wait (a batch is being written: %v), want %d", n, writing, want)
		}
		return nil
	})
}

func TestAccept_BatchesDelayNoOther(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const batches, rows, singles = 12, 40, 600
		release := w.blockWrites()
		var work sync.WaitGroup
		batch := func() {
			var items []*outbox.Acceptance
			for range rows {
				items = append(items, w.item(person, "in bulk"))
			}
			work.Go(func() {
				if err := w.store(0).Accept(outbox.InBulk(t.Context()), items, false); err != nil {
					t.Error(err)
				}
			})
		}
		batch()
		w.waiting(0) // it is being written
		for range batches {
			batch()
		}
		w.waiting(batches)
		for range singles {
			work.Go(func() { w.accept(0, false, w.item(person, "single")) })
		}
		w.waiting(batches + singles)
		release()
		work.Wait()
		w.counts(`SELECT count(*) FROM messages WHERE content LIKE '%in bulk%' AND seq < (SELECT min(seq) FROM messages WHERE content LIKE '%single%')`, rows)
		var between int
		if _, err := w.DB.Read(t.Context()).Row(`SELECT count(*) FROM messages WHERE content LIKE '%in bulk%' AND seq > (SELECT min(seq) FROM messages WHERE content LIKE '%single%')
			AND seq < (SELECT max(seq) FROM messages WHERE content LIKE '%single%')`).Scan(&between); err != nil || between == 0 || between > 4*rows {
			t.Errorf("%d messages in bulk were stored between %d single ones (%v), want 1 to %d", between, singles, err, 4*rows)
		}
	})
}
