package db_test

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/waittest"
)

// A long reader prevents the write-ahead log from being reset. The program logs this, and also the end.
func TestRun_ALargeWriteAheadLogIsLoggedWithItsReason(t *testing.T) {
	path := t.TempDir() + "/x.db"
	d := migrated(t, "sqlite:"+path)
	db.SetWAL(d, 70<<20, 5*time.Millisecond)
	other, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer func() { _ = other.Close() }()
	backup, err := other.Conn(t.Context())
	must(t, err)
	begin := func(text string) {
		_, err := backup.ExecContext(t.Context(), text)
		must(t, err)
	}
	begin("BEGIN")
	var n int
	must(t, backup.QueryRowContext(t.Context(), "SELECT count(*) FROM tenants").Scan(&n))
	ctx, cancel := context.WithCancel(t.Context())
	log := &lines{}
	var running sync.WaitGroup
	running.Go(func() { must(t, d.Run(ctx, slog.New(slog.NewTextHandler(log, nil)))) })
	large := strings.Repeat("x", 1<<20)
	write := func(times int) {
		for range times {
			must(t, d.Write(t.Context(), func(tx *db.Tx) error {
				if _, err := tx.Exec(`DELETE FROM tenants`); err != nil {
					return err
				}
				_, err := tx.Exec(insert, "big", large, 1)
				return err
			}))
		}
	}
	write(90) // beyond the 64 MB to which it is truncated
	log.wait(t, "level=WARN", "large", "a long reader")
	begin("ROLLBACK")
	must(t, backup.Close())
	waittest.Until(t, func() error {
		if log.has("small again") {
			return nil
		}
		write(30)
		return fmt.Errorf("it is large for ever: %s", log)
	})
	cancel()
	running.Wait()
}

// Without readers, the write-ahead log is restarted again and again, and stays short.
func TestWrite_KeepsTheWriteAheadLogShort(t *testing.T) {
	path := t.TempDir() + "/x.db"
	d := migrated(t, "sqlite:"+path)
	large := strings.Repeat("x", 1<<20)
	for range 60 {
		must(t, d.Write(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.Exec(`DELETE FROM tenants`); err != nil {
				return err
			}
			_, err := tx.Exec(insert, "big", large, 1)
			return err
		}))
	}
	info, err := os.Stat(path + "-wal")
	must(t, err)
	if most := int64(24 << 20); info.Size() > most {
		t.Errorf("after 60 writes of 1 MiB, the log has %d bytes, more than %d", info.Size(), most)
	}
}

// The part of the write-ahead log that a long reader has held is copied into the database after the reader ends,
// without a write.
func TestWrite_ALongLogIsCopiedBesideWrites(t *testing.T) {
	path := t.TempDir() + "/x.db"
	d := migrated(t, "sqlite:"+path)
	size := func() int64 {
		info, err := os.Stat(path)
		must(t, err)
		return info.Size()
	}
	other, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer func() { _ = other.Close() }()
	reader, err := other.Begin()
	must(t, err)
	var n int
	must(t, reader.QueryRow("SELECT count(*) FROM tenants").Scan(&n))
	before, large := size(), strings.Repeat("x", 1<<20)
	for n := range 30 {
		must(t, d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(insert, fmt.Sprint("big", n), large, 1)
			return err
		}))
	}
	if now := size(); now > before+10<<20 {
		t.Fatalf("the database grew from %d to %d bytes although a reader needs the log", before, now)
	}
	must(t, reader.Rollback())
	waittest.Until(t, func() error {
		if now := size(); now < before+30<<20 {
			return fmt.Errorf("the database grew from %d to %d bytes only", before, now)
		}
		return nil
	})
}

// lines is a log for concurrent use.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) has(all ...string) bool {
	for _, line := range strings.Split(l.String(), "\n") {
		found := true
		for _, s := range all {
			found = found && strings.Contains(line, s)
		}
		if found {
			return true
		}
	}
	return false
}

func (l *lines) wait(t *testing.T, all ...string) {
	t.Helper()
	waittest.Until(t, func() error {
		if !l.has(all...) {
			return fmt.Errorf("no line has %q:\n%s", all, l)
		}
		return nil
	})
}
