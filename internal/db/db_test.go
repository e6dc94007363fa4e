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

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
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
	must(t, waittest.Receive(t, closed))
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
	t.Parallel()
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
			db.SetMigrateWait(d, 1)
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
	if applied[100] == 0 {
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
