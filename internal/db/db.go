package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"example.com/griot/internal/metrics"
)

// Engine is one of the two databases.
type Engine string

// The two engines.
const (
	SQLite   Engine = "sqlite"
	Postgres Engine = "postgres"
)

const (
	postgresConns = 32
	postgresWait  = 10 * time.Second // for a query or a transaction, including its connection; after that, the database counts as unreachable
	lockMark      = "/*lock*/"
	lockPostgres  = "FOR UPDATE SKIP LOCKED"
)

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine  Engine
	config  *pgx.ConnConfig // PostgreSQL
	readers *sql.DB         // PostgreSQL: also the writers
	writers *sql.DB         // SQLite: the writer's connection
	lock    *Lock
	group   *group // SQLite: the group commit
	lists   *lists
	health  *health
	wal     wal
	stmts   stmtCache
	texts   sync.Map // PostgreSQL: query text -> text with its locks
	writes  atomic.Int64
	commits atomic.Int64
	metrics *metrics.Database // nil: not counted

	migrateWait uint64 // PostgreSQL: seconds between two attempts to get the lock of migrations

	inspects bool // opened by Inspect: there is no writer
}

// Open opens "sqlite:PATH" or a "postgres://" URL. It locks a SQLite file, so a second
// process that opens it gets [ErrInUse].
func Open(ctx context.Context, url string) (*DB, error) {
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		return openSQLite(ctx, path)
	}
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return openPostgres(ctx, url)
	}
	return nil, errors.New(`db: a database is "sqlite:PATH" or "postgres://..."`)
}

func openSQLite(ctx context.Context, path string) (*DB, error) {
	lock, err := LockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	if err := private(path); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	d := &DB{engine: SQLite, lock: lock, wal: wal{path: path + "-wal", limit: walLimit, interval: walInterval}}
	// FULL makes a commit durable before it is acknowledged. secure_delete overwrites deleted data with zeros. For
	// measurements of the other settings, see docs/decisions/0002-sqlite.md.
	const common = "_pragma=busy_timeout(5000)&_pragma=temp_store(MEMORY)&_pragma=foreign_keys(ON)"
	const writer = "&_pragma=cache_size(-8192)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(0)&_pragma=journal_size_limit(67108864)&_pragma=secure_delete(ON)"
	escaped := (&fileURL{path}).String()
	if d.writers, err = sql.Open("sqlite", escaped+"?"+common+writer); err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	d.writers.SetMaxOpenConns(1)
	d.writers.SetConnMaxIdleTime(0)
	if err := d.writers.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("db: open %s: %w", path, err), d.writers.Close(), lock.Release())
	}
	const reader = "&_pragma=cache_size(-4096)&_pragma=query_only(ON)"
	if d.readers, err = sql.Open("sqlite", escaped+"?"+common+reader); err != nil {
		return nil, errors.Join(err, d.writers.Close(), lock.Release())
	}
	pings, err := sql.Open("sqlite", escaped+"?"+common+reader)
	if err != nil {
		return nil, errors.Join(err, d.readers.Close(), d.writers.Close(), lock.Release())
	}
	conns := sqliteReaders()
	d.readers.SetMaxOpenConns(conns)
	d.readers.SetMaxIdleConns(conns)
	d.lists, d.health, d.stmts.db = newLists(conns), newHealth(pings), d.readers
	d.group = newGroup(d)
	return d, nil
}

// sqliteReaders returns the number of connections for reading.
func sqliteReaders() int { return max(4, runtime.GOMAXPROCS(0)) }

// private creates the file so that only its owner can read or write it. SQLite gives its side files the same
// permissions.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("db: %w", err)
	}
	return f.Close()
}

func openPostgres(ctx context.Context, url string) (*DB, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > postgresWait {
		config.ConnectTimeout = postgresWait
	}
	config.DialFunc = keepalive.DialContext
	pool := openPool(config)
	pool.SetMaxOpenConns(postgresConns)
	pool.SetMaxIdleConns(postgresConns)
	if err := pool.PingContext(ctx); err != nil {
		return nil, errors.Join(connectError(err), pool.Close())
	}
	return &DB{engine: Postgres, config: config, readers: pool, writers: pool, lists: newLists(postgresConns), health: newHealth(stdlib.OpenDB(*config)), migrateWait: migrateWait}, nil
}

// Engine returns the engine of the database.
func (d *DB) Engine() Engine { return d.engine }

// CountBy sets the metrics for writes. It must be called before the first one.
func (d *DB) CountBy(m *metrics.Database) { d.metrics = m }

// Stats returns the number of Writes that have ended and the number of their commits.
func (d *DB) Stats() (writes, commits int64) { return d.writes.Load(), d.commits.Load() }

// Close finishes the queued Writes and closes the database.
func (d *DB) Close() error {
	healthy := d.health.close()
	if d.engine == Postgres {
		return errors.Join(healthy, d.readers.Close())
	}
	if d.inspects && d.engine == SQLite {
		d.stmts.close()
		return errors.Join(healthy, d.readers.Close())
	}
	d.group.close()
	d.stmts.close()
	return errors.Join(healthy, d.readers.Close(), d.writers.Close(), d.lock.Release())
}

// Read returns a reader. Each of its queries sees the data that was committed when it started.
func (d *DB) Read(ctx context.Context) *Query {
	if d.engine == Postgres {
		return &Query{ctx: ctx, caller: ctx, lists: d.lists, text: d.rebind, run: d.readers, begin: d.readers.BeginTx, wait: postgresWait}
	}
	// For a context that can be canceled, the driver starts a goroutine with each query. Lookups are short, so they use
	// a context that can't be canceled.
	return &Query{ctx: context.WithoutCancel(ctx), caller: ctx, lists: d.lists, prepared: d.stmts.get}
}

func (d *DB) rebind(text string) string {
	if !strings.Contains(text, lockMark) {
		return text
	}
	if t, ok := d.texts.Load(text); ok {
		return t.(string) //nolint:forcetypeassert // only strings are stored
	}
	t := strings.ReplaceAll(text, lockMark, lockPostgres)
	d.texts.Store(text, t)
	return t
}

// fileURL converts a path to the driver's "file:" URL.
type fileURL struct{ path string }

func (u *fileURL) String() string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23").Replace(u.path)
}
