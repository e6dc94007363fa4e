package db

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
)

const (
	pingTime   = 2 * time.Second
	probePause = time.Second
)

// ErrWrites is what [DB.Ping] says while nothing can be stored.
var ErrWrites = errors.New("db: the last write failed")

// health knows whether the database answers, by a connection that nobody else
// takes, and whether it stores: a write that failed stays in mind until one of its own succeeds.
type health struct {
	conn   *sql.DB
	failed atomic.Bool

	mu     sync.Mutex      // held while a probe begins, and while ctx ends
	ctx    context.Context // ends with the database
	end    context.CancelFunc
	probes sync.WaitGroup
}

func newHealth(conn *sql.DB) *health {
	conn.SetMaxOpenConns(1)
	h := &health{conn: conn}
	h.ctx, h.end = context.WithCancel(context.Background())
	return h
}

func (h *health) close() error {
	h.mu.Lock()
	h.end()
	h.mu.Unlock()
	h.probes.Wait()
	return h.conn.Close()
}

// fail begins to probe, unless that goes on already.
func (h *health) fail(probe func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() == nil && h.failed.CompareAndSwap(false, true) {
		h.probes.Go(probe)
	}
}

// Ping asks the database for an answer, for two seconds at most. While writes fail it
// says so, though reads may go on.
func (d *DB) Ping(ctx context.Context) error {
	if d.health.failed.Load() {
		return wrap(ErrWrites)
	}
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	var one int
	return wrap(d.health.conn.QueryRowContext(ctx, `SELECT 1`).Scan(&one))
}

// wrote takes note of how a write ended.
func (d *DB) wrote(err error) {
	if d.cannotStore(err) {
		d.health.fail(d.probe)
	}
}

// probe writes a row each second until that succeeds.
func (d *DB) probe() {
	for {
		select {
		case <-d.health.ctx.Done():
			return
		case <-time.After(probePause):
		}
		err := d.Write(d.health.ctx, func(tx *Tx) error {
			_, err := tx.Exec(`INSERT INTO write_probe (id, tries) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET tries = write_probe.tries + 1`)
			return err
		})
		if !d.cannotStore(err) && d.health.ctx.Err() == nil {
			d.health.failed.Store(false)
			return
		}
	}
}

// cannotStore tells a database that stores nothing from a statement that was wrong,
// lost a race, or broke a rule, and from a caller who went away.
func (d *DB) cannotStore(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, ErrClosed) {
		return false
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return cannotStoreSQLite(lite.Code() & 0xff)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return cannotStorePostgres(pg.Code)
	}
	_, ours := errors.AsType[*Error](err)
	return ours && d.engine == Postgres // the connection's
}

// cannotStoreSQLite judges a primary result code, by SQLite's numbers.
func cannotStoreSQLite(code int) bool {
	switch code {
	case 3, 5, 6, 7, 8, 10, 11, 13, 14, 15, 23, 26: // PERM, BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, AUTH, NOTADB
		return true
	}
	return false
}

// cannotStorePostgres judges an SQLSTATE: of the connection, of resources such as the
// disk, of an operator's intervention, of the system, of PostgreSQL itself; and of a server that is a standby now.
func cannotStorePostgres(code string) bool {
	if code == "25006" {
		return true
	}
	if code == "57014" || len(code) < 2 { // 57014: a canceled query
		return false
	}
	switch code[:2] {
	case "08", "53", "57", "58", "XX":
		return true
	}
	return false
}
