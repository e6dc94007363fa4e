package db

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	laneSize = 256
)

// ErrUndone: a statement was rolled back with those that went with it. Nothing of
// it is stored; it can be run again as a [DB.Write].
var ErrUndone = errors.New("db: rolled back with others")

// Lane carries single statements to PostgreSQL, each a whole transaction's work,
// those that wait together in one: a round trip and a commit for all. When one of
// them fails, all are rolled back.
//
// The statements of a lane lock rows of one kind, and say in which order: two
// processes that take them in different orders would wait for each other.
type Lane struct {
	db *DB

	mu      sync.Mutex
	waiting []*passenger
	running bool
}

type passenger struct {
	order, text string
	args        []any
	done        chan struct{}
	value       int64
	found       bool
	err         error
}

// Lane returns a new lane; nil on SQLite, where every Write is carried so already.
func (d *DB) Lane() *Lane {
	if d.engine != Postgres {
		return nil
	}
	return &Lane{db: d}
}

// Row runs a statement that returns at most one row, of one number, and returns it
// once it is committed. order names the row that it locks. When ctx ends before the
// statement is on its way, Row returns its error; afterwards the outcome is waited for.
//
// Errors: [ErrUndone]; any other means that it is not known whether it was committed.
func (l *Lane) Row(ctx context.Context, order, text string, args ...any) (value int64, found bool, err error) {
	if err := ctx.Err(); err != nil {
		return 0, false, err
	}
	p := &passenger{order: order, text: text, args: args, done: make(chan struct{})}
	l.board(p)
	select {
	case <-p.done:
	case <-ctx.Done():
		if l.leave(p) {
			return 0, false, ctx.Err()
		}
		<-p.done
	}
	return p.value, p.found, p.err
}

func (l *Lane) board(p *passenger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, p)
	if !l.running {
		l.running = true
		go l.run()
	}
}

// leave reports whether p was still waiting.
func (l *Lane) leave(p *passenger) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, p)
	if i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	}
	return i >= 0
}

// run carries batch after batch until nobody waits.
func (l *Lane) run() {
	for batch := l.next(); len(batch) > 0; batch = l.next() {
		slices.SortStableFunc(batch, func(a, b *passenger) int { return cmp.Compare(a.order, b.order) })
		err := l.carry(batch)
		for _, p := range batch {
			if err != nil {
				p.value, p.found, p.err = 0, false, err
			}
			l.db.writes.Add(1)
			close(p.done)
		}
	}
}

func (l *Lane) next() []*passenger {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(len(l.waiting), laneSize)
	batch := slices.Clone(l.waiting[:n])
	l.waiting = slices.Delete(l.waiting, 0, n)
	l.running = n > 0
	return batch
}

// carry runs a batch in one implicit transaction: it is committed where its last answer has been read.
func (l *Lane) carry(batch []*passenger) error {
	ctx, cancel := context.WithTimeout(context.Background(), postgresWait)
	defer cancel()
	conn, err := l.db.writers.Conn(ctx)
	if err != nil {
		return wrap(err)
	}
	err = conn.Raw(func(c any) error {
		own, ok := c.(*stdlib.Conn)
		if !ok {
			return driver.ErrSkip
		}
		var b pgx.Batch
		for _, p := range batch {
			b.Queue(p.text, p.args...)
		}
		answers := own.Conn().SendBatch(ctx, &b)
		for _, p := range batch {
			err := answers.QueryRow().Scan(&p.value)
			if p.found = err == nil; err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return errors.Join(err, answers.Close())
			}
		}
		return answers.Close()
	})
	err = errors.Join(err, conn.Close())
	switch {
	case err == nil:
		l.db.commits.Add(1)
		return nil
	case refused(err):
		l.db.wrote(err)
		return ErrUndone
	}
	err = wrap(err)
	l.db.wrote(err)
	return err
}

// Unheard reports whether nobody knows if the [DB.Write] that returned err was committed.
func Unheard(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok && !refused(err)
}

// refused: the server has found an error in the batch, and so has not committed it.
// What ends the connection says nothing about a commit that it met on its way.
func refused(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.SeverityUnlocalized == "ERROR"
}
