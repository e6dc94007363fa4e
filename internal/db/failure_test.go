package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/waittest"
)

// counted returns a database that counts, and a function that reports whether a scrape has a line.
func counted(t *testing.T, d *db.DB) (has func(line string) bool) {
	t.Helper()
	m := metrics.New(metrics.Options{Now: clock.System})
	d.CountBy(m.Database)
	return func(line string) bool {
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		return strings.Contains(w.Body.String(), "\n"+line+"\n")
	}
}

func TestWrite_CountsAFullDisk(t *testing.T) {
	d := dbtest.SQLite(t)
	has := counted(t, d)
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		if err := tx.Each(func(*sql.Rows) error { return nil }, `PRAGMA max_page_count = 1`); err != nil { // no page more than there are
			return err
		}
		_, err := tx.Exec(insert, "full", strings.Repeat("x", 1<<20), 1)
		return err
	})
	if !db.Unavailable(err) || !has(`griot_database_write_failures_total{reason="disk_full"} 1`) {
		t.Errorf("%v, and the metric does not say disk_full", err)
	}
}

// A statement that waits for another session's lock is visible while it waits.
func TestLockWaiters_SeeWhoWaits(t *testing.T) {
	if _, known, err := dbtest.SQLite(t).LockWaiters(t.Context()); known || err != nil {
		t.Errorf("SQLite: known %v, %v", known, err)
	}
	url := dbtest.PostgresURL(t)
	d := migrated(t, url)
	has := counted(t, d)
	must(t, d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, "a") }))
	if !has("griot_database_commits_total 1") {
		t.Error("the commit was not counted")
	}
	release := dbtest.Lock(t, url, "tenants")
	written := make(chan error, 1)
	go func() { written <- d.Write(context.Background(), func(tx *db.Tx) error { return add(tx, "b") }) }()
	waittest.Until(t, func() error {
		n, known, err := d.LockWaiters(t.Context())
		if err != nil || !known || n != 1 {
			return errors.Join(err, fmt.Errorf("%d wait (known %v), want 1", n, known))
		}
		return nil
	})
	release()
	must(t, <-written)
	if n, _, err := d.LockWaiters(t.Context()); err != nil || n != 0 {
		t.Errorf("afterward %d wait, %v", n, err)
	}
}
