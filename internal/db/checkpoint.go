package db

import (
	"context"
	"time"
)

const (
	checkpointPages = 4000        // pages of 4 KiB that are written before the write-ahead log is copied into the database
	checkpointAgain = time.Second // after which that is tried again if a reader needs the log
	checkpointRest  = 400         // pages for which writes wait: what a busy writer adds while the log is copied beside it
)

// checkpoint copies the write-ahead log into the database once enough has been written, so that the next transaction begins the log
// anew. It runs between two transactions: SQLite itself would do so within a commit, whose callers would wait for it. And while a reader
// such as a backup needs the log, SQLite would try again in each commit, and sort the whole log each time.
func (g *group) checkpoint() {
	g.written += g.raw.written()
	if g.written < checkpointPages || g.copying.Load() {
		return
	}
	if left, err := copyLog(&Query{ctx: context.Background(), prepared: g.stmt, raw: &g.raw}); err == nil && left == 0 {
		g.written = 0
		return
	}
	g.copying.Store(true)
	g.copies.Go(g.copyBeside)
}

// copyBeside copies the log beside the writer once no reader needs it any more, until the writer can copy the rest at once: a reader
// that goes on for minutes leaves a log of hundreds of megabytes. It ends when copying fails, because then the writer tries again, and
// when the writer ends.
func (g *group) copyBeside() {
	defer g.copying.Store(false)
	for {
		select {
		case <-g.ended:
			return
		case <-time.After(checkpointAgain):
		}
		if left, err := copyLog(g.db.Read(context.Background())); err != nil || left <= checkpointRest {
			return
		}
	}
}

// copyLog copies from the log what no reader keeps it from, and waits for nobody. It returns how many of the log's pages are left: all of
// them if another checkpoint runs.
func copyLog(q *Query) (left int64, err error) {
	var busy, pages, copied int64
	if _, err := q.Row(`PRAGMA wal_checkpoint(PASSIVE)`).Scan(&busy, &pages, &copied); err != nil {
		return 0, err
	}
	if busy != 0 {
		return pages, nil
	}
	return pages - copied, nil
}
