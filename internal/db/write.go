package db

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"example.com/griot/internal/clock"
)

// Write runs fn in a transaction and returns after it is durable; nil means committed.
// fn can run more than once (see the package's rules). If ctx ends before fn has
// started, Write returns its error and fn never runs. After the start, Write waits for
// the outcome. An error of fn rolls back only the changes of fn.
func (d *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	defer d.writes.Add(1)
	if d.inspects {
		return ErrReadOnly
	}
	if d.engine == SQLite {
		return d.group.write(ctx, fn)
	}
	return d.writePostgres(ctx, fn)
}

const (
	postgresTries = 10
	postgresPause = 2 * time.Millisecond
)

func (d *DB) writePostgres(ctx context.Context, fn func(*Tx) error) error {
	pause := postgresPause
	for try := 1; ; try++ {
		err := d.transact(ctx, fn)
		if err == nil || try == postgresTries || !isUndone(err) {
			if ctx.Err() == nil {
				d.recordOutcome(err)
			}
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(rand.Int64N(int64(pause)) + 1)):
		}
		pause *= 2
	}
}

func (d *DB) transact(ctx context.Context, fn func(*Tx) error) error {
	began := clock.Running()
	ctx, cancel := context.WithTimeout(ctx, postgresWait)
	defer cancel()
	conn, err := d.writers.Conn(ctx)
	if err != nil {
		return wrap(err)
	}
	defer conn.Close()
	p, err := newPipeline(ctx, conn)
	if err != nil {
		return wrap(err)
	}
	tx, committed := &Tx{Query: Query{ctx: ctx, text: d.rebind, run: conn, pipe: p}}, false
	defer func() { tx.ended(0, committed) }()
	defer p.rollback() // rolls back after an error or a panic
	if err := fn(tx); err != nil {
		return err
	}
	d.commits.Add(1)
	if err := p.commit(); err != nil {
		return wrap(err)
	}
	committed = true
	d.metrics.Committed(1, clock.Running()-began)
	return nil
}

// isUndone reports whether err means that the transaction is rolled back, and that it can succeed if it is repeated:
// errSilent, serialization_failure, deadlock_detected, or idle_in_transaction_session_timeout. With the last one, the
// server ends a session only while it waits for a statement.
func isUndone(err error) bool {
	if errors.Is(err, errSilent) {
		return true
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01" || pg.Code == "25P03")
}
