package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"griot/internal/db"
	"griot/internal/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const insert = `INSERT INTO tenants (id, name, created_at) VALUES ($1, $2, $3)`

func count(t *testing.T, d *db.DB) int {
	t.Helper()
	var n int
	if _, err := d.Read(t.Context()).Row(`SELECT count(*) FROM tenants`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func add(tx *db.Tx, id string) error {
	_, err := tx.Exec(insert, id, "name", 1)
	return err
}

func TestWrite_CommitsWhatManyCallersWrite(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var wg sync.WaitGroup
		for i := range 300 {
			wg.Go(func() {
				if err := d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, fmt.Sprint(i)) }); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := count(t, d); n != 300 {
			t.Fatalf("%d rows, want 300", n)
		}
		if w, c := d.Stats(); w != 300 || (d.Engine() == db.SQLite && c >= w) {
			t.Errorf("%d writes in %d commits: no group was formed", w, c)
		}
	})
}

var errRefused = errors.New("refused")

// block makes the writer busy, so that what is written meanwhile meets in one batch.
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
	receive(t, in)
	return func() {
		close(out)
		if err := receive(t, done); err != nil {
			t.Error(err)
		}
	}
}

// receive returns what comes by a channel.
func receive[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(30 * time.Second):
		t.Error("nothing came")
	}
	return v
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
					t.Error(err)
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
		if err := receive(t, done); !errors.Is(err, context.Canceled) || db.Unavailable(err) {
			t.Errorf("got %v, want the context's own error", err)
		}
		release()
		if n := count(t, d); n != 0 {
			t.Errorf("a cancelled write left %d rows", n)
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

func TestWrite_IsReadBackInsideAndOutside(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		must(t, d.Write(t.Context(), func(tx *db.Tx) error {
			must(t, add(tx, "a"))
			var name string
			if ok, err := tx.Row(`SELECT name FROM tenants WHERE id = $1`, "a").Scan(&name); !ok || err != nil || name != "name" {
				t.Errorf("own row unseen: %v %v %q", ok, err, name)
			}
			return add(tx, "b")
		}))
		var ids []string
		must(t, d.Read(t.Context()).Each(func(r *sql.Rows) error {
			var id string
			err := r.Scan(&id)
			ids = append(ids, id)
			return err
		}, `SELECT id FROM tenants WHERE (created_at, id) > ($2, $1) ORDER BY id`, "", 0))
		if len(ids) != 2 || ids[0] != "a" {
			t.Errorf("got %v", ids)
		}
		if ok, err := d.Read(t.Context()).Row(`SELECT id FROM tenants WHERE id = $1`, "zz").Scan(new(string)); ok || err != nil {
			t.Errorf("an absent row: %v, %v", ok, err)
		}
	})
}

func TestRead_CannotWrite(t *testing.T) {
	d := dbtest.SQLite(t)
	if _, err := d.Read(t.Context()).Row(`INSERT INTO tenants (id, name, created_at) VALUES ('r', 'r', 1) RETURNING id`).Scan(new(string)); err == nil {
		t.Error("a reader wrote")
	}
}

func TestClose_FinishesWhatWaitsAndRefusesWhatComesAfter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	url := "sqlite:" + file
	d, err := db.Open(t.Context(), url)
	must(t, err)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is for everybody: %v %v", info, err)
	}
	_, err = d.Migrate(t.Context())
	must(t, err)
	if _, err := db.Open(t.Context(), url); !errors.Is(err, db.ErrInUse) {
		t.Errorf("a second process may open the file: %v", err)
	}
	release := block(t, d)
	const writes = 50
	var stored atomic.Int64
	var begun, ended sync.WaitGroup
	begun.Add(writes)
	for i := range writes {
		ended.Go(func() {
			begun.Done()
			switch err := d.Write(context.Background(), func(tx *db.Tx) error { return add(tx, fmt.Sprint(i)) }); {
			case err == nil:
				stored.Add(1)
			case !errors.Is(err, db.ErrClosed):
				t.Errorf("a write that met Close: %v", err)
			}
		})
	}
	begun.Wait()
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	release()
	must(t, receive(t, closed))
	ended.Wait()
	if err := d.Write(t.Context(), func(tx *db.Tx) error { return nil }); !errors.Is(err, db.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	d, err = db.Open(t.Context(), url)
	must(t, err)
	defer func() { must(t, d.Close()) }()
	if n, want := count(t, d), int(stored.Load()); n != want || want == 0 {
		t.Errorf("%d rows, want those of the %d writes that were answered, and some", n, want)
	}
}

func TestMigrate_SeveralNodesMayStartTogether(t *testing.T) {
	url := dbtest.PostgresURL(t)
	var nodes sync.WaitGroup
	var mu sync.Mutex
	applied := map[int64]int{}
	for range 4 {
		nodes.Go(func() {
			d, err := db.Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = d.Close() }()
			versions, err := d.Migrate(t.Context())
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, v := range versions {
				applied[v]++
			}
		})
	}
	nodes.Wait()
	if applied[1] == 0 {
		t.Errorf("the first migration was not applied: %v", applied)
	}
	for version, times := range applied {
		if times != 1 {
			t.Errorf("migration %d was applied %d times", version, times)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestArguments_StandWhereTheyAreAskedFor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		err := d.Write(ctx, func(tx *db.Tx) error {
			if _, err := tx.Exec(`CREATE TABLE things (a TEXT, b BIGINT, c BIGINT)`); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO things (b, a, c) VALUES ($2, $1, $3)`, "x", 7, nil); err != nil {
				return err
			}
			n, err := tx.Exec(`UPDATE things SET c = $2, b = b + $2 WHERE a = $1 AND b > $2`, "x", int64(5))
			if err == nil && n != 1 {
				err = fmt.Errorf("%d rows", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var a string
		var b, c int64
		if _, err := d.Read(ctx).Row(`SELECT a, b, c FROM things WHERE c = $2 AND a = $1 AND b > $2`, "x", 5).Scan(&a, &b, &c); err != nil || a != "x" || b != 12 || c != 5 {
			t.Errorf("%q %d %d, %v", a, b, c, err)
		}
		if err := d.Write(ctx, func(tx *db.Tx) error {
			_, err := tx.Exec(`UPDATE things SET c = $2 WHERE a = $1 AND b > $2`, "x")
			return err
		}); err == nil {
			t.Error("a missing argument was made up")
		}
	})
}
