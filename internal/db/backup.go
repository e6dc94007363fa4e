package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
)

// backupPages is the number of pages that are copied and synced at a time, 1 MiB. After each step, the context is checked.
const backupPages = 256

// Backup copies the SQLite file at from into the new file to, with SQLite's online backup, while other processes can
// write to it. The copy is a snapshot from one moment after Backup was called. Writers don't wait, and the write-ahead
// log is kept until the copy is complete.
func Backup(ctx context.Context, from, to string) (err error) {
	if _, err := os.Stat(from); err != nil {
		return fmt.Errorf("db: %w", err)
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) // SQLite would create a file that others can read
	if err != nil {
		return fmt.Errorf("db: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	pool, err := sql.Open("sqlite", (&fileURL{from}).String()+"?mode=rw&_pragma=busy_timeout(5000)&_pragma=query_only(ON)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return wrap(err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// The transaction makes all steps see one snapshot. Without it, each write of another process would restart the
	// copy.
	for _, text := range []string{`BEGIN`, `SELECT count(*) FROM sqlite_master`} {
		if _, err := conn.ExecContext(ctx, text); err != nil {
			return wrap(err)
		}
	}
	defer func() {
		_, end := conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`)
		err = errors.Join(err, wrap(end))
	}()
	if err := conn.Raw(func(c any) error { return copyPages(ctx, c, f) }); err != nil {
		return err
	}
	return f.Sync()
}

// copyPages copies the database of a connection. It syncs the copy after each step. If the whole copy were synced at
// the end, the syncs of the server's commits would wait for it, several seconds per gigabyte.
func copyPages(ctx context.Context, c any, to *os.File) error {
	source, ok := c.(interface {
		NewBackup(uri string) (*sqlite.Backup, error)
	})
	if !ok {
		return errDriver
	}
	b, err := source.NewBackup((&fileURL{to.Name()}).String())
	if err != nil {
		return wrap(err)
	}
	for more := true; more && err == nil; {
		if err = ctx.Err(); err == nil {
			more, err = b.Step(backupPages)
		}
		if err == nil {
			err = to.Sync()
		}
	}
	return errors.Join(wrap(err), wrap(b.Finish()))
}

// Check reads a whole SQLite file that no one writes to. It returns an error if the file is damaged.
func Check(ctx context.Context, path string) error {
	var answer string
	if err := ReadFile(ctx, path, `PRAGMA integrity_check(1)`, &answer); err != nil {
		return err
	}
	if answer != "ok" {
		return fmt.Errorf("db: %s is damaged: %s", path, answer)
	}
	return nil
}

// SchemaOf returns the version of the schema of a SQLite file that no one writes to.
func SchemaOf(ctx context.Context, path string) (version int64, err error) {
	err = ReadFile(ctx, path, `SELECT max(version_id) FROM goose_db_version WHERE is_applied`, &version)
	return version, err
}

// ReadFile reads one value of a SQLite file that no one writes to. It creates no other files next to it.
func ReadFile(ctx context.Context, path, query string, to any) (err error) {
	pool, err := sql.Open("sqlite", (&fileURL{path}).String()+"?mode=ro&immutable=1")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	return wrap(pool.QueryRowContext(ctx, query).Scan(to))
}
