package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
)

// ErrReadOnly is returned by Write on a database that [Inspect] has opened.
var ErrReadOnly = errors.New("db: the database is opened to be read only")

const inspectConns = 4

// Inspect opens a database for reading, even if another process has it open. It takes no lock, migrates nothing,
// and creates no file.
func Inspect(ctx context.Context, url string) (*DB, error) {
	path, lite := strings.CutPrefix(url, "sqlite:")
	if !lite {
		return inspectPostgres(ctx, url)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("db: %w", err)
	}
	address := (&fileURL{path}).String() + "?mode=rw&_pragma=busy_timeout(5000)&_pragma=query_only(ON)" // a reader of a write-ahead log writes its index
	readers, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, err
	}
	pings, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, errors.Join(err, readers.Close())
	}
	d := &DB{engine: SQLite, wal: wal{path: path + "-wal", limit: walLimit, interval: walInterval}, readers: readers, lists: newLists(inspectConns), health: newHealth(pings), inspects: true}
	d.stmts.db = readers
	if err := readers.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("db: open %s: %w", path, err), d.Close())
	}
	return d, nil
}

func inspectPostgres(ctx context.Context, url string) (*DB, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	config.ConnectTimeout = pingTimeout
	config.RuntimeParams["default_transaction_read_only"] = "on"
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(inspectConns)
	d := &DB{engine: Postgres, config: config, readers: pool, writers: pool, lists: newLists(inspectConns), health: newHealth(stdlib.OpenDB(*config)), inspects: true}
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(connectError(err), d.Close())
	}
	return d, nil
}

// FreeDisk returns the number of bytes that can still be written to the disk of a SQLite file. The file
// doesn't need to exist.
func FreeDisk(url string) (free int64, known bool) {
	path, lite := strings.CutPrefix(url, "sqlite:")
	if !lite {
		return 0, false
	}
	return freeBytes(filepath.Dir(path))
}

// ErrLocked is returned by [CheckLock] while another program holds the lock of writers.
var ErrLocked = errors.New("db: another program is writing, and does not end")

const lockPause = 20 * time.Millisecond

// CheckLock returns [ErrLocked] if a writer of a SQLite file can't get the lock before ctx ends. Writes and commits of
// other programs in that time are not an error. CheckLock writes nothing.
func CheckLock(ctx context.Context, url string) (err error) {
	path := strings.TrimPrefix(url, "sqlite:")
	pool, err := sql.Open("sqlite", (&fileURL{path}).String()+"?mode=rw&_pragma=busy_timeout(0)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	always := context.WithoutCancel(ctx) // the steps themselves don't wait
	conn, err := pool.Conn(always)
	if err != nil {
		return wrap(err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	first, err := dataVersion(always, conn)
	if err != nil {
		return wrap(err)
	}
	for {
		_, err := conn.ExecContext(always, `BEGIN IMMEDIATE`)
		if err == nil {
			_, err = conn.ExecContext(always, `ROLLBACK`)
			return wrap(err)
		}
		if lite, ok := errors.AsType[*sqlite.Error](err); !ok || lite.Code()&0xff != 5 { // BUSY
			return wrap(err)
		}
		if now, err := dataVersion(always, conn); err != nil || now != first { // another program has committed
			return wrap(err)
		}
		select {
		case <-ctx.Done():
			return ErrLocked
		case <-time.After(lockPause):
		}
	}
}

// dataVersion returns a number that changes with each commit of another connection.
func dataVersion(ctx context.Context, conn *sql.Conn) (version int64, err error) {
	err = conn.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version)
	return version, err
}
