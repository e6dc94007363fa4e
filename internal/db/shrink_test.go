package db_test

import (
	"database/sql"
	"sync"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Shrink closes the idle connections of SQLite but one. Reading and writing go on, also with as many connections.
func TestShrink_ClosesIdleReaders(t *testing.T) {
	t.Parallel()
	d := dbtest.SQLite(t)
	must(t, d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, "a") }))
	for _, id := range []string{"b", "c"} {
		readTogether(t, d)
		if n := readers(d); n < 2 {
			t.Fatalf("%d connections of readers before Shrink, want several", n)
		}
		must(t, d.Shrink(t.Context()))
		if n := readers(d); n != 1 {
			t.Fatalf("%d connections of readers after Shrink, want 1", n)
		}
		must(t, d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, id) }))
	}
}

// On PostgreSQL, Shrink has nothing to do.
func TestShrink_OnPostgres(t *testing.T) {
	t.Parallel()
	d := dbtest.Postgres(t)
	must(t, d.Shrink(t.Context()))
	must(t, d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, "a") }))
}

// readTogether holds two results open at the same time, so that two connections are used.
func readTogether(t *testing.T, d *db.DB) {
	t.Helper()
	var both, ended sync.WaitGroup
	both.Add(2)
	for range 2 {
		ended.Go(func() {
			err := d.Read(t.Context()).Each(func(*sql.Rows) error {
				both.Done()
				both.Wait()
				return nil
			}, `SELECT 1`)
			if err != nil {
				t.Error(err)
			}
		})
	}
	ended.Wait()
}

func readers(d *db.DB) int {
	for _, p := range d.Pools() {
		if p.Name == "readers" {
			return p.OpenConnections
		}
	}
	return 0
}
