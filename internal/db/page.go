package db

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

const listTime = 3 * time.Second // for a page of a list, with the wait for its place

// lists bounds the reads of lists: they have half of the connections at most, so
// that the lookups which every request needs always find one.
type lists struct {
	places chan struct{}
	time   time.Duration
	told   func(text string, args []any) // of each query; for tests
}

func newLists(conns int) *lists {
	return &lists{places: make(chan struct{}, max(1, conns/2)), time: listTime}
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
	if q.lists.told != nil {
		q.lists.told(text, args)
	}
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
	return bounded.first(n, scan, text, args)
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

// Told calls fn with every query of [Query.Page] from now on; for tests of their plans.
func (d *DB) Told(fn func(text string, args []any)) { d.lists.told = fn }
