package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

// endless finds its first rows immediately, and then searches for another one for minutes.
const endless = `WITH RECURSIVE n (i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < 300000000) SELECT i FROM n WHERE i <= $2`

func skip(*sql.Rows) error { return nil }

// A list read ends with its caller, whether or not it has found a row by then, and its connection stays usable.
func TestPage_EndsWithItsCaller(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for last := range 2 { // none and one to be found
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- d.Read(ctx).Page(200, skip, endless, 1, last) }()
			time.AfterFunc(running, cancel)
			ends(t, ended, context.Canceled)
			ended <- d.Read(ctx).Page(200, skip, endless, 1, last)
			ends(t, ended, context.Canceled)
			ctx, cancel = context.WithTimeout(t.Context(), running)
			go func() { ended <- d.Read(ctx).Page(200, skip, endless, 1, last) }()
			ends(t, ended, context.DeadlineExceeded)
			cancel()
		}
		for range 20 { // every connection is reused
			if n := count(t, d); n != 0 {
				t.Errorf("%d rows", n)
			}
		}
	})
}

// running is the time after which a query certainly runs, because SQLite ignores an interruption at the
// moment that a query starts.
const running = 300 * time.Millisecond

func ends(t *testing.T, ended <-chan error, want error) {
	t.Helper()
	select {
	case err := <-ended:
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	case <-time.After(waittest.Limit):
		t.Fatal("the query runs on")
	}
}

// A list that never ends returns an error after a while, as if the database did not respond.
func TestPage_HasAnEndOfItsOwn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		db.SetListTime(d, running)
		ended := make(chan error, 1)
		go func() { ended <- d.Read(t.Context()).Page(200, skip, endless, 1, 1) }()
		select {
		case err := <-ended:
			if !errors.Is(err, context.DeadlineExceeded) || !db.Unavailable(err) {
				t.Errorf("got %v, want that its time is over", err)
			}
		case <-time.After(waittest.Limit):
			t.Fatal("the query runs on")
		}
	})
}

// Even if many lists are read, lookups and health checks find a connection.
func TestPage_LeavesConnectionsForOthers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		var lists sync.WaitGroup
		for range 40 {
			lists.Go(func() { _ = d.Read(ctx).Page(200, skip, endless, 1, 1) })
		}
		answered := make(chan error, 1)
		go func() {
			for range 20 {
				if _, err := d.Read(t.Context()).Row(`SELECT name FROM tenants WHERE id = $1`, "a").Scan(new(string)); err != nil {
					answered <- err
					return
				}
			}
			answered <- d.Ping(t.Context())
		}()
		select {
		case err := <-answered:
			must(t, err)
		case <-time.After(waittest.Limit):
			t.Error("no connection is left")
		}
		cancel()
		lists.Wait()
	})
}

// On SQLite, an indexed page doesn't wait while lists have all of their slots.
func TestIndexedPage_DoesNotWait(t *testing.T) {
	d := dbtest.SQLite(t)
	ctx, cancel := context.WithCancel(t.Context())
	var lists sync.WaitGroup
	for range 40 {
		lists.Go(func() { _ = d.Read(ctx).Page(200, skip, endless, 1, 1) })
	}
	read := make(chan error, 1)
	go func() {
		var err error
		for range 20 {
			err = errors.Join(err, d.Read(t.Context()).IndexedPage(51, skip, `SELECT id FROM tenants WHERE id > $1 ORDER BY id`, ""))
		}
		read <- err
	}()
	select {
	case err := <-read:
		must(t, err)
	case <-time.After(waittest.Limit):
		t.Error("it waits for a place")
	}
	cancel()
	lists.Wait()
}

func TestPage_KeepsTheOrderAndTheNumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		must(t, d.Write(t.Context(), func(tx *db.Tx) error {
			for i := range 300 {
				if _, err := tx.Exec(insert, fmt.Sprintf("%03d", i*7%300), "name", i); err != nil {
					return err
				}
			}
			return nil
		}))
		for i, n := range []int{1, 2, 51, 60, 201, 300, 1500, 1, 51, 60, 1500} {
			var got []string
			read := d.Read(t.Context()).Page
			if i >= 7 {
				read = d.Read(t.Context()).IndexedPage
			}
			must(t, read(n, func(rows *sql.Rows) error {
				var id, name string
				err := rows.Scan(&id, &name)
				got = append(got, id)
				return err
			}, `SELECT id, name FROM tenants WHERE id > $1 ORDER BY id DESC`, ""))
			if want := min(n, 300); len(got) != want {
				t.Errorf("%d rows, want %d", len(got), want)
			}
			for i, id := range got {
				if want := fmt.Sprintf("%03d", 299-i); id != want {
					t.Fatalf("row %d is %s, want %s", i, id, want)
				}
			}
		}
	})
}

// Only a limited number of statements are kept; the others are prepared for each use.
func TestRead_KeepsSoManyStatements(t *testing.T) {
	d := dbtest.SQLite(t)
	for range 2 {
		for i := range 1000 {
			var n int
			if found, err := d.Read(t.Context()).Row(fmt.Sprintf(`SELECT %d`, i)).Scan(&n); err != nil || !found || n != i {
				t.Fatalf("%d: %d, %v", i, n, err)
			}
		}
	}
	if n := db.Statements(d); n != 300 {
		t.Errorf("%d statements are kept, want 300", n)
	}
}
