package db_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

// A database that another process has open can be read, and nothing is written to it.
func TestInspect_ReadsBesideItsOwnerAndWritesNothing(t *testing.T) {
	inspect := func(t *testing.T, url string, owner *db.DB) {
		t.Helper()
		must(t, owner.Write(t.Context(), func(tx *db.Tx) error { return add(tx, "a") }))
		d, err := db.Inspect(t.Context(), url)
		must(t, err)
		defer func() { must(t, d.Close()) }()
		if n := count(t, d); n != 1 {
			t.Errorf("%d rows, want 1", n)
		}
		if err := d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, "b") }); !errors.Is(err, db.ErrReadOnly) {
			t.Errorf("a write: %v, want %v", err, db.ErrReadOnly)
		}
		if has, needs, err := d.Schema(t.Context()); err != nil || has != needs || has == 0 {
			t.Errorf("schema %d of %d, %v", has, needs, err)
		}
		if problems, err := d.Durability(t.Context()); err != nil {
			t.Errorf("durability: %v, %v", problems, err)
		} else if len(problems) > 0 && d.Engine() == db.SQLite {
			t.Errorf("durability: %v, want no problem", problems)
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		url := "sqlite:" + filepath.Join(dbtest.Folder(t), "griot.db")
		owner := opened(t, url)
		inspect(t, url, owner)
		if free, known := db.FreeDisk(url); !known || free <= 0 {
			t.Errorf("free %d, %v", free, known)
		}
	})
	t.Run("postgres", func(t *testing.T) {
		url := dbtest.PostgresURL(t)
		inspect(t, url, opened(t, url))
	})
}

func opened(t *testing.T, url string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	_, err = d.Migrate(t.Context())
	must(t, err)
	return d
}

func TestInspect_MakesNoFile(t *testing.T) {
	path := filepath.Join(dbtest.Folder(t), "none.db")
	if _, err := db.Inspect(t.Context(), "sqlite:"+path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that there is none", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}

// Settings that can lose acknowledged data are reported.
func TestDurability_NamesWhatLosesCommits(t *testing.T) {
	url := dbtest.PostgresURL(t)
	d := opened(t, url)
	must(t, d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`)
		return err
	}))
	later, err := db.Inspect(t.Context(), url)
	must(t, err)
	defer func() { must(t, later.Close()) }()
	problems, err := later.Durability(t.Context())
	must(t, err)
	found := false
	for _, p := range problems {
		found = found || p == db.DurabilityProblem{Setting: "synchronous_commit", Value: "off", Want: "on"}
	}
	if !found {
		t.Errorf("got %v, want synchronous_commit", problems)
	}

	path := filepath.Join(dbtest.Folder(t), "griot.db")
	must(t, opened(t, "sqlite:"+path).Close())
	other, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	var mode string
	must(t, errors.Join(other.QueryRowContext(t.Context(), `PRAGMA journal_mode = DELETE`).Scan(&mode), other.Close()))
	lite, err := db.Inspect(t.Context(), "sqlite:"+path)
	must(t, err)
	defer func() { must(t, lite.Close()) }()
	if problems, err := lite.Durability(t.Context()); err != nil || len(problems) != 1 || problems[0].Value != "delete" {
		t.Errorf("got %v, %v, want journal_mode", problems, err)
	}
}

// A lock that is held is reported, and alternating writers don't count as a lock.
func TestCheckLock(t *testing.T) {
	path := filepath.Join(dbtest.Folder(t), "griot.db")
	url := "sqlite:" + path
	d := opened(t, url)
	check := func(within time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		return db.CheckLock(ctx, url)
	}
	must(t, check(waittest.Limit))
	other, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer func() { _ = other.Close() }()
	other.SetMaxOpenConns(1)
	_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	must(t, err)
	if err := check(200 * time.Millisecond); !errors.Is(err, db.ErrLocked) {
		t.Errorf("got %v, want %v", err, db.ErrLocked)
	}
	_, err = other.ExecContext(t.Context(), "ROLLBACK")
	must(t, err)
	must(t, d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, "after") }))
	must(t, check(waittest.Limit))
}
