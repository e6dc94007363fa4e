package db

import (
	"context"
	"database/sql"
	"strconv"
	"sync/atomic"
	"time"
)

const listTimeout = 3 * time.Second // for a page of a list, including the wait for a slot

// lists limits the reads of lists to half of the connections, so that the lookups of
// every request always find a free one.
type lists struct {
	places  chan struct{}
	time    time.Duration
	onQuery atomic.Pointer[func(text string, args []any, page bool)] // called for each query; for tests
}

func newLists(conns int) *lists {
	return &lists{places: make(chan struct{}, max(1, conns/2)), time: listTimeout}
}

// tiers are the values of LIMIT. They are constants in the text, because PostgreSQL plans an unknown LIMIT as a tenth
// of all rows. There are only a few of them, because each text is prepared once.
var tiers = []int{1, 51, 101, 201, 501, 1001}

func tier(n int) int {
	for _, t := range tiers {
		if n <= t {
			return t
		}
	}
	return n
}

// Page reads the first n rows of a list. Its text must not have a LIMIT. Its cost can grow with the stored data, so it
// is limited: it ends with the caller's context or after three seconds, and pages of [DB.Read] use at most half of the
// connections. SQLite ignores an interruption at the moment that a query starts, so such a query runs to its end.
func (q *Query) Page(n int, scan func(*sql.Rows) error, text string, args ...any) error {
	text += " LIMIT " + strconv.Itoa(tier(n))
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
		// The driver can only interrupt a query before its first row. A materialized query has all rows before it
		// returns the first.
		text = "WITH page AS MATERIALIZED (" + text + ") SELECT * FROM page"
	}
	bounded := *q
	bounded.ctx = ctx
	if q.prepared == nil {
		return bounded.walk(n, scan, text, args)
	}
	return bounded.first(n, scan, text, args)
}

// IndexedPage works like [Query.Page] for a text whose rows an index yields in the order of the list, without a further
// condition. On SQLite, n limits the cost of such a query, so it has no deadline and doesn't wait. On PostgreSQL it is
// the same as Page, whose settings make the planner use the index.
func (q *Query) IndexedPage(n int, scan func(*sql.Rows) error, text string, args ...any) error {
	if q.prepared == nil {
		return q.Page(n, scan, text, args...)
	}
	text += " LIMIT " + strconv.Itoa(tier(n))
	q.reportQuery(text, args, true)
	return q.first(n, scan, text, args)
}

// PageSettings make PostgreSQL read an index from the start of the page. Its estimate for an average owner is wrong for
// an owner of most rows: it would read and sort all of them for one page. JIT is off because the penalties of the other
// settings raise the estimated cost, which would start compilation.
const PageSettings = `SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`

// walk calls first with [PageSettings].
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

// OnQuery sets a function that is called with every query of [Query.Page], [Query.IndexedPage], and of [Query.Each] on [DB.Read]. It is for tests of
// their plans.
func (d *DB) OnQuery(fn func(text string, args []any, page bool)) { d.lists.onQuery.Store(&fn) }

func (q *Query) reportQuery(text string, args []any, page bool) {
	if q.lists == nil {
		return
	}
	if fn := q.lists.onQuery.Load(); fn != nil {
		(*fn)(text, args, page)
	}
}
