package db

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"
)

const listTimeout = 3 * time.Second // for a page of a list, with the wait for its place

// lists bounds the reads of lists: they have half of the connections at most, so
// that the lookups which every request needs always find one.
type lists struct {
	places  chan struct{}
	time    time.Duration
	onQuery atomic.Pointer[func(text string, args []any, page bool)] // of each query; for tests
}

func newLists(conns int) *lists {
	return &lists{places: make(chan struct{}, max(1, conns/2)), time: listTimeout}
}

// tiers are the numbers that stand behind LIMIT. They are constants, for a plan that
// is made before the number is known takes it for a tenth of everything; and they
// are few, since a text is prepared once for each.
var tiers = []int{1, 51, 101, 201, 501, 1001}

func tier(n int) int {
	for _, t := range tiers {
		if n <= t {
			return t
		}
	}
	return n
}

// Page reads the first n rows of a list, whose text has no LIMIT of its own. What
// it costs may grow with what is stored, so it has an end: the caller's context, and
// three seconds; and on [DB.Read] not more of them run at once than half of the connections.
func (q *Query) Page(n int, scan func(*sql.Rows) error, text string, args ...any) error {
	text = fmt.Sprint(text, " LIMIT ", tier(n))
	if q.lists == nil {
		return q.first(n, scan, text, args)
	}
	q.reportQuery(text, args, true)
	ctx, cancel := context.WithTimeout(q.caller, q.lists.time)
	defer cancel()
	select {
	case q.lists.places <- struct{}{}:
		defer func() { <-q.lists.places }()
	case <-ctx.Done():
		return wrap(ctx.Err())
	}
	if q.prepared != nil {
		// The driver interrupts a query that has no first row yet, and none that looks for
		// its second: this way, all rows are there before the first comes.
		text = "WITH page AS MATERIALIZED (" + text + ") SELECT * FROM page"
	}
	bounded := *q
	bounded.ctx = ctx
	if q.prepared == nil {
		return bounded.walk(n, scan, text, args)
	}
	return bounded.first(n, scan, text, args)
}

// PageSettings make PostgreSQL walk along an index, from the place where a page begins.
// Its estimate for all owners of rows is wrong for one that has most of them: it would
// read and sort all that the owner has, for one page. Penalties count as costs, for which it would compile.
const PageSettings = `SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`

// walk is first under [PageSettings].
func (q *Query) walk(n int, scan func(*sql.Rows) error, text string, args []any) error {
	tx, err := q.begin(q.ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return wrap(err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	if _, err := tx.ExecContext(q.ctx, PageSettings); err != nil {
		return wrap(err)
	}
	q.run = tx
	return q.first(n, scan, text, args)
}

// first calls scan for the first n rows.
func (q *Query) first(n int, scan func(*sql.Rows) error, text string, args []any) error {
	rows, done, err := q.rows(text, args)
	if err != nil {
		return err
	}
	defer done()
	defer rows.Close()
	for i := 0; i < n && rows.Next(); i++ {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return wrap(rows.Err())
}

// OnQuery has fn called with every query of [Query.Page], and of [Query.Each] on [DB.Read]; for tests of their plans.
func (d *DB) OnQuery(fn func(text string, args []any, page bool)) { d.lists.onQuery.Store(&fn) }

func (q *Query) reportQuery(text string, args []any, page bool) {
	if q.lists == nil {
		return
	}
	if fn := q.lists.onQuery.Load(); fn != nil {
		(*fn)(text, args, page)
	}
}
