package db

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"example.com/griot/internal/clock"
)

// pipeline is a transaction on PostgreSQL. Statements whose results are not needed are sent together with the next one
// whose result is: BEGIN with the first, and the last queued ones with COMMIT.
type pipeline struct {
	ctx    context.Context
	conn   *pgx.Conn
	queued []*queued
	begun  bool
	asked  time.Duration // clock reading of the last send
}

// queued is a statement that has not been sent.
type queued struct {
	text    string
	args    []any
	read    func(pgx.Rows) error // nil: it has no rows, or they are not needed
	changed int64                // number of rows, after it was sent
}

// rollbackWait is the time limit of a rollback, which follows an error response of the server. A connection that
// doesn't respond within it is closed.
const rollbackWait = time.Second

// newPipeline takes the driver's connection of conn, which no one else uses until it is closed.
func newPipeline(ctx context.Context, conn *sql.Conn) (*pipeline, error) {
	p := &pipeline{ctx: ctx}
	err := conn.Raw(func(c any) error {
		std, ok := c.(*stdlib.Conn)
		if !ok {
			return errDriver
		}
		p.conn = std.Conn()
		return nil
	})
	return p, err
}

func (p *pipeline) queue(q *queued) { p.queued = append(p.queued, q) }

// run sends a statement after the queued ones, and waits for its result.
func (p *pipeline) run(q *queued) error {
	p.queue(q)
	return p.send("")
}

// flush sends the queued statements and waits for their results. Afterward, the transaction has started.
func (p *pipeline) flush() error {
	if p.begun && len(p.queued) == 0 {
		return p.check()
	}
	return p.send("")
}

// commit commits the transaction. It does nothing if no statement was run.
func (p *pipeline) commit() error {
	if !p.begun && len(p.queued) == 0 {
		return nil
	}
	return p.send("COMMIT")
}

// check returns errSilent if the server has ended the session. Without this check, the next statement would fail
// without an indication of whether it was run, which matters for a COMMIT.
func (p *pipeline) check() error {
	asked := p.asked
	p.asked = clock.Running()
	if !p.begun || p.asked-asked < silentLimit {
		return nil
	}
	if err := p.conn.PgConn().Ping(p.ctx); err != nil && p.ctx.Err() == nil {
		return errSilent
	}
	return p.ctx.Err()
}

func (p *pipeline) send(end string) error {
	if err := p.check(); err != nil {
		return err
	}
	var b pgx.Batch
	if !p.begun {
		b.Queue("BEGIN")
		if isPooled(p.conn) {
			b.Queue(setIdleLimit)
		}
	}
	for _, q := range p.queued {
		s := b.Queue(q.text, q.args...)
		if q.read == nil {
			s.Exec(func(tag pgconn.CommandTag) error {
				q.changed = tag.RowsAffected()
				return nil
			})
		} else {
			s.Query(q.read)
		}
	}
	if end != "" {
		b.Queue(end).Exec(func(tag pgconn.CommandTag) error {
			if tag.String() == "ROLLBACK" { // a statement had failed, and its error was ignored
				return pgx.ErrTxCommitRollback
			}
			return nil
		})
	}
	p.begun, p.queued = true, p.queued[:0]
	return p.conn.SendBatch(p.ctx, &b).Close()
}

// rollback ends a failed transaction. If it can't, it closes the connection, which makes the server roll back.
func (p *pipeline) rollback() {
	if p.conn.IsClosed() || p.conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), rollbackWait)
	defer cancel()
	if _, err := p.conn.Exec(ctx, "ROLLBACK"); err != nil {
		_ = p.conn.Close(ctx)
	}
}

// row reads the first row into dest, like [Row.Scan].
func (p *pipeline) row(text string, args, dest []any) (found bool, err error) {
	err = p.run(&queued{text: text, args: args, read: func(rows pgx.Rows) error {
		if found = rows.Next(); !found {
			return nil // the caller checks Rows.Err
		}
		return scanInto(rows, dest)
	}})
	return found && err == nil, err
}

// scanInto reads a row like database/sql. On its own, pgx refuses an integer for a *bool, and a text for an *int.
func scanInto(rows pgx.Rows, dest []any) error {
	places := slices.Clone(dest)
	for i, d := range dest {
		switch d.(type) {
		case *bool, *int:
			places[i] = place{d}
		}
	}
	return rows.Scan(places...)
}

// place is a destination for [assign].
type place struct{ dest any }

// Scan implements [sql.Scanner].
func (p place) Scan(v any) error { return assign(p.dest, v) }

// Scan reads the columns of a row, like [sql.Rows.Scan].
type Scan func(dest ...any) error

// Queue runs a statement. On PostgreSQL, it is sent together with the next statement whose result is needed, or with
// the commit. So its error, and the calls of each with its rows, might come only then, at the latest from [Tx.Flush].
// each is nil for a statement without rows.
func (t *Tx) Queue(each func(Scan) error, text string, args ...any) error {
	switch {
	case t.pipe != nil:
		q := &queued{text: t.text(text), args: args}
		if each != nil {
			q.read = func(rows pgx.Rows) error {
				for rows.Next() {
					if err := each(func(dest ...any) error { return scanInto(rows, dest) }); err != nil {
						return err
					}
				}
				return nil // the caller checks Rows.Err
			}
		}
		t.pipe.queue(q)
		return nil
	case each == nil:
		_, err := t.Exec(text, args...)
		return err
	}
	return t.Each(func(rows *sql.Rows) error { return each(rows.Scan) }, text, args...)
}

// Flush waits for the results of the statements of [Tx.Queue].
func (t *Tx) Flush() error {
	if t.pipe == nil {
		return nil
	}
	return wrap(t.pipe.flush())
}
