package db_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// A backup contains the data that was committed before its start, regardless of concurrent writes, and never a part of
// a later write.
func TestBackup_OneMomentUnderWrites(t *testing.T) {
	folder := dbtest.Folder(t)
	from := filepath.Join(folder, "griot.db")
	d, err := db.Open(t.Context(), "sqlite:"+from)
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	_, err = d.Migrate(t.Context())
	must(t, err)
	// Each write stores a pair of rows in two tables.
	write := func(n int64) error {
		return d.Write(context.Background(), func(tx *db.Tx) error {
			if _, err := tx.Exec(`INSERT INTO quotas (account_id, day, used) VALUES ('a', $1, 1)`, n); err != nil {
				return err
			}
			_, err := tx.Exec(`INSERT INTO sign_up_days (day, codes) VALUES ($1, 1)`, n)
			return err
		})
	}
	var last atomic.Int64
	var mu sync.Mutex
	var committed []int64
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	enough := make(chan struct{})
	for range 8 {
		wg.Go(func() {
			for ctx.Err() == nil {
				n := last.Add(1)
				if err := write(n); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				committed = append(committed, n)
				if len(committed) == 500 {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	defer wg.Wait()
	defer stop()
	<-enough
	mu.Lock()
	before := slices.Clone(committed)
	mu.Unlock()
	to := filepath.Join(folder, "copy.db")
	must(t, db.Backup(t.Context(), from, to))
	must(t, db.Check(t.Context(), to))
	needed, err := db.SchemaNeeded(db.SQLite)
	if err != nil {
		t.Fatal(err)
	}
	if version, err := db.SchemaOf(t.Context(), to); err != nil || version != needed {
		t.Errorf("the copy has schema %d, %v, want %d", version, err, needed)
	}
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, want a file for its owner only", info.Mode(), err)
	}
	copied, err := db.Open(t.Context(), "sqlite:"+to)
	must(t, err)
	defer func() { must(t, copied.Close()) }()
	var quotas, days int
	_, err = copied.Read(t.Context()).Row(`SELECT (SELECT count(*) FROM quotas), (SELECT count(*) FROM sign_up_days)`).Scan(&quotas, &days)
	must(t, err)
	if quotas != days || quotas < len(before) {
		t.Errorf("got %d rows of one table and %d of the other, want as many of both, and at least the %d that were committed before", quotas, days, len(before))
	}
	for _, n := range before {
		found, err := copied.Read(t.Context()).Row(`SELECT 1 FROM quotas WHERE day = $1`, n).Scan(new(int))
		must(t, err)
		if !found {
			t.Errorf("row %d was committed before, and is not in the copy", n)
		}
	}
	if err := db.Backup(t.Context(), from, to); !errors.Is(err, os.ErrExist) {
		t.Errorf("over a file that is there: %v, want %v", err, os.ErrExist)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := db.Backup(ended, from, filepath.Join(folder, "none.db")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's end", err)
	}
}

func TestCheck_NamesDamage(t *testing.T) {
	folder := dbtest.Folder(t)
	from, to := filepath.Join(folder, "griot.db"), filepath.Join(folder, "copy.db")
	d, err := db.Open(t.Context(), "sqlite:"+from)
	must(t, err)
	_, err = d.Migrate(t.Context())
	must(t, errors.Join(err, db.Backup(t.Context(), from, to), d.Close()))
	b, err := os.ReadFile(to)
	must(t, err)
	for i := 8192; i < 8192+4096; i++ {
		b[i] ^= 0xff
	}
	must(t, os.WriteFile(to, b, 0o600))
	if err := db.Check(t.Context(), to); err == nil || !strings.Contains(err.Error(), "damaged") && !strings.Contains(err.Error(), "malformed") {
		t.Errorf("got %v, want that it is damaged", err)
	}
}
