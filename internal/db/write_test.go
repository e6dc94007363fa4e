package db_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

func TestWrite_CommitsWhatManyCallersWrite(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		release := block(t, d)
		var wg, begun sync.WaitGroup
		begun.Add(300)
		for i := range 300 {
			wg.Go(func() {
				begun.Done()
				if err := d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, fmt.Sprint(i)) }); err != nil {
					t.Error(err)
				}
			})
		}
		begun.Wait()
		release()
		wg.Wait()
		if n := count(t, d); n != 300 {
			t.Fatalf("%d rows, want 300", n)
		}
		if w, c := d.Stats(); w < 300 || (d.Engine() == db.SQLite && c >= w) {
			t.Errorf("%d writes in %d commits: no group was formed", w, c)
		}
	})
}

var errRefused = errors.New("refused")

// block makes the writer busy, so that concurrent writes are in one batch.
func block(t *testing.T, d *db.DB) (release func()) {
	t.Helper()
	if d.Engine() != db.SQLite {
		return func() {}
	}
	in, out := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- d.Write(context.Background(), func(*db.Tx) error {
			close(in)
			<-out
			return nil
		})
	}()
	waittest.Receive(t, in)
	return func() {
		close(out)
		if err := waittest.Receive(t, done); err != nil {
			t.Error(err)
		}
	}
}

func TestAfterCommit_TellsEachRunWhatBecameOfIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var mu sync.Mutex
		told := map[string][]bool{}
		write := func(id string, end error) error {
			return d.Write(context.Background(), func(tx *db.Tx) error {
				tx.AfterCommit(func(committed bool) {
					mu.Lock()
					defer mu.Unlock()
					told[id] = append(told[id], committed)
				})
				if id == "panics" {
					panic("oops")
				}
				return errors.Join(add(tx, id), end)
			})
		}
		release := block(t, d)
		var wg sync.WaitGroup
		for _, id := range []string{"a", "refused", "b", "panics", "c"} {
			wg.Go(func() {
				defer func() {
					if p := recover(); (p != nil) != (id == "panics") {
						t.Errorf("%s: panic %v", id, p)
					}
				}()
				var end error
				if id == "refused" {
					end = errRefused
				}
				if err := write(id, end); !errors.Is(err, end) {
					t.Errorf("%s: %v", id, err)
				}
			})
		}
		release()
		wg.Wait()
		mu.Lock()
		defer mu.Unlock()
		for id, got := range told { // on SQLite, the whole batch runs again with savepoints
			want := id != "refused" && id != "panics"
			if last := got[len(got)-1]; last != want || len(got) > 2 || len(got) == 2 && got[0] {
				t.Errorf("%s was told %v", id, got)
			}
		}
		if len(told) != 5 {
			t.Errorf("%d were told", len(told))
		}
	})
}

func TestWrite_ARefusalOrPanicUndoesNobodyElsesWork(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		release := block(t, d)
		var wg sync.WaitGroup
		var ok, refused, panicked atomic.Int64
		for i := range 90 {
			wg.Go(func() {
				defer func() {
					if recover() != nil {
						panicked.Add(1)
					}
				}()
				err := d.Write(context.Background(), func(tx *db.Tx) error {
					if err := add(tx, fmt.Sprint(i)); err != nil {
						return err
					}
					switch i % 3 {
					case 1:
						return errRefused
					case 2:
						panic("bug")
					}
					return nil
				})
				switch {
				case err == nil:
					ok.Add(1)
				case errors.Is(err, errRefused):
					refused.Add(1)
				default:
					t.Errorf("got %v, want no error or %v", err, errRefused)
				}
			})
		}
		release()
		wg.Wait()
		if ok.Load() != 30 || refused.Load() != 30 || panicked.Load() != 30 {
			t.Errorf("ok %d, refused %d, panicked %d: want 30 each", ok.Load(), refused.Load(), panicked.Load())
		}
		if n := count(t, d); n != 30 {
			t.Errorf("%d rows, want the 30 of those who succeeded", n)
		}
	})
}

func TestWrite_AConflictFailsItsCallerOnly(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		release := block(t, d)
		var wg sync.WaitGroup
		var ok, failed atomic.Int64
		for range 20 {
			wg.Go(func() {
				if err := d.Write(context.Background(), func(tx *db.Tx) error { return add(tx, "same") }); err != nil {
					failed.Add(1)
				} else {
					ok.Add(1)
				}
			})
		}
		release()
		wg.Wait()
		if ok.Load() != 1 || failed.Load() != 19 || count(t, d) != 1 {
			t.Errorf("ok %d, failed %d, rows %d", ok.Load(), failed.Load(), count(t, d))
		}
	})
}

func TestWrite_ACancelledCallerDoesNotRun(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, cancel := context.WithCancel(context.Background())
		release := block(t, d)
		done := make(chan error)
		if d.Engine() == db.Postgres {
			cancel()
		}
		go func() { done <- d.Write(ctx, func(tx *db.Tx) error { return add(tx, "x") }) }()
		cancel()
		if err := waittest.Receive(t, done); !errors.Is(err, context.Canceled) || db.Unavailable(err) {
			t.Errorf("got %v, want the context's own error", err)
		}
		release()
		if n := count(t, d); n != 0 {
			t.Errorf("a canceled write left %d rows", n)
		}
	})
}

func TestWrite_ACommitThatFailsIsReturnedToEveryCaller(t *testing.T) {
	// COMMIT itself checks a deferred foreign key.
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		must(t, d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`CREATE TABLE children (parent TEXT REFERENCES tenants (id) DEFERRABLE INITIALLY DEFERRED)`)
			return err
		}))
		release := block(t, d)
		var wg sync.WaitGroup
		var failed atomic.Int64
		for i := range 10 {
			wg.Go(func() {
				err := d.Write(context.Background(), func(tx *db.Tx) error {
					_, err := tx.Exec(`INSERT INTO children (parent) VALUES ($1)`, fmt.Sprint("absent", i))
					return err
				})
				if db.Unavailable(err) {
					failed.Add(1)
				}
			})
		}
		release()
		wg.Wait()
		if failed.Load() != 10 {
			t.Errorf("%d of 10 callers got the error of the failed commit", failed.Load())
		}
		must(t, d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, "after") }))
		if n := count(t, d); n != 1 {
			t.Errorf("%d rows after the failure, want the one written since", n)
		}
	})
}
