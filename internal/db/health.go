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
	pingTimeout = 2 * time.Second
	probePause  = time.Second
)

// ErrWrites is returned by [DB.Ping] while nothing can be stored.
var ErrWrites = errors.New("db: the last write failed")

// health checks whether the database responds, on its own connection, and whether it can store data. After a write that
// could not be stored, it reports a failure until the probe's own write succeeds.
type health struct {
	conn   *sql.DB
	failed atomic.Bool

	mu     sync.Mutex      // held while a probe starts, and while ctx ends
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

// fail starts the probe, unless one is running.
func (h *health) fail(probe func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() == nil && h.failed.CompareAndSwap(false, true) {
		h.probes.Go(probe)
	}
}

// Ping makes a query, with a timeout of two seconds. While writes fail it returns [ErrWrites], although reads
// might work.
func (d *DB) Ping(ctx context.Context) error {
	if d.health.failed.Load() {
		return wrap(ErrWrites)
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	var one int
	return wrap(d.health.conn.QueryRowContext(ctx, `SELECT 1`).Scan(&one))
}

// recordOutcome starts the probe after a write that could not be stored.
func (d *DB) recordOutcome(err error) {
	if d.cannotStore(err) {
		d.metrics.NotStored(whyNotStored(err))
		d.health.fail(d.probe)
	}
}

// probe writes a row each second until it succeeds.
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

// cannotStore reports whether err means that the database can't store anything now. That isn't the case for a wrong
// statement, a lost race, a broken constraint, or a canceled caller.
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
	_, wrapped := errors.AsType[*Error](err)
	return wrapped && d.engine == Postgres // a failure of the connection
}

// cannotStoreSQLite reports whether a primary result code of SQLite means that nothing can be stored.
func cannotStoreSQLite(code int) bool {
	switch code {
	case 3, 5, 6, 7, 8, 10, 11, 13, 14, 15, 23, 26: // PERM, BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, AUTH, NOTADB
		return true
	}
	return false
}

// cannotStorePostgres reports whether an SQLSTATE means that nothing can be stored: the classes of connections (08),
// resources such as the disk (53), an operator's intervention (57), the system (58), and internal errors (XX), and
// 25006, which a server returns after it became a standby.
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
