package db

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"
)

// Query reads committed data ([DB.Read]) or data within a transaction ([Tx]).
type Query struct {
	ctx      context.Context                                        // PostgreSQL: the caller's; SQLite: without cancellation
	caller   context.Context                                        // of [DB.Read]
	lists    *lists                                                 // of [DB.Read]
	prepared func(text string) (*statement, error)                  // SQLite
	raw      *executor                                              // SQLite: the writer's
	text     func(string) string                                    // PostgreSQL
	run      interface{ queryer }                                   // PostgreSQL: the pool, or the connection of a transaction
	pipe     *pipeline                                              // PostgreSQL: of a transaction
	begin    func(context.Context, *sql.TxOptions) (*sql.Tx, error) // PostgreSQL, of [DB.Read]
	wait     time.Duration                                          // PostgreSQL: the time limit of a query outside of a transaction
}

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Row is the first row of a query. [Row.Scan] runs the query.
type Row struct {
	q    *Query
	text string
	args []any
}

// Row returns a query of at most one row. [Row.Scan] runs it.
func (q *Query) Row(text string, args ...any) Row { return Row{q, text, args} }

// Scan runs the query and reads the row; found is false if there is none. Columns are read like [sql.Rows.Scan].
func (r Row) Scan(dest ...any) (found bool, err error) {
	if r.q.raw != nil && simple(dest) {
		found, err = r.q.raw.row(r.text, r.args, dest)
		return found, wrap(err)
	}
	if r.q.pipe != nil && simple(dest) {
		found, err = r.q.pipe.row(r.q.text(r.text), r.args, dest)
		return found, wrap(err)
	}
	rows, done, err := r.q.rows(r.text, r.args)
	if err != nil {
		return false, err
	}
	defer done()
	defer rows.Close()
	if !rows.Next() {
		return false, wrap(rows.Err())
	}
	if err := rows.Scan(dest...); err != nil {
		return false, wrap(err)
	}
	return true, wrap(rows.Close())
}

// Each calls scan for every row of the result.
func (q *Query) Each(scan func(*sql.Rows) error, text string, args ...any) error {
	q.reportQuery(text, args, false)
	return q.first(math.MaxInt, scan, text, args)
}

// rows runs a query. If there is no error, the caller must call done after it has read the result.
func (q *Query) rows(text string, args []any) (rows *sql.Rows, done context.CancelFunc, err error) {
	if q.prepared == nil {
		ctx, done := q.ctx, func() {}
		if q.pipe != nil {
			if err := q.pipe.flush(); err != nil {
				return nil, nil, wrap(err)
			}
		}
		if q.wait > 0 {
			ctx, done = context.WithTimeout(ctx, q.wait)
		}
		if rows, err = q.run.QueryContext(ctx, q.text(text), args...); err != nil {
			done()
		}
		return rows, done, wrap(err)
	}
	stmt, err := q.prepared(text)
	if err != nil {
		return nil, nil, wrap(err)
	}
	if rows, err = stmt.QueryContext(q.ctx, reorder(args, stmt.order)...); err != nil {
		stmt.done()
	}
	return rows, stmt.done, wrap(err)
}

// Tx is a transaction for reading and writing.
type Tx struct {
	Query
	after []func(committed bool) // of [Tx.AfterCommit]
}

// AfterCommit registers fn to be called after the transaction has ended: with true after it is durable, and with false
// if it was rolled back or the outcome is unknown. A closure that runs again calls AfterCommit again, so each fn is
// called once. fn must neither wait nor use the database, because on SQLite it blocks the writer.
func (t *Tx) AfterCommit(fn func(committed bool)) { t.after = append(t.after, fn) }

// ended calls the functions of [Tx.AfterCommit] after the first n.
func (t *Tx) ended(n int, committed bool) {
	for _, fn := range t.after[n:] {
		fn(committed)
	}
	t.after = t.after[:n]
}

// Exec runs a statement and returns the number of changed rows.
func (t *Tx) Exec(text string, args ...any) (changed int64, err error) {
	if t.raw != nil {
		changed, err = t.raw.exec(text, args)
		return changed, wrap(err)
	}
	if len(args) > 0 { // without arguments, a text can contain several statements
		q := &queued{text: t.text(text), args: args}
		err = t.pipe.run(q)
		return q.changed, wrap(err)
	}
	if err := t.pipe.flush(); err != nil {
		return 0, wrap(err)
	}
	res, err := t.run.ExecContext(t.ctx, t.text(text))
	if err != nil {
		return 0, wrap(err)
	}
	changed, err = res.RowsAffected()
	return changed, wrap(err)
}

// Error is a failure of the database, as opposed to an error that a closure returned.
type Error struct{ Err error }

func (e *Error) Error() string { return "db: " + e.Err.Error() }

// Unwrap returns the driver's error.
func (e *Error) Unwrap() error { return e.Err }

func wrap(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{err}
}

// Unavailable reports whether err is a failure of the database, and not the end of the caller's context.
func Unavailable(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok && !errors.Is(err, context.Canceled)
}
