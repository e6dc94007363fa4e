package db

import (
	"context"
	"time"
)

const (
	checkpointPages = 4000        // number of 4 KiB pages that are written before the write-ahead log is copied into the database
	checkpointAgain = time.Second // time until the next attempt if a reader needs the log
	checkpointRest  = 400         // pages for which writes wait: a busy writer adds about as many while the log is copied concurrently
)

// checkpoint copies the write-ahead log into the database once enough has been written, so that the next transaction
// restarts the log. It runs between two transactions, because SQLite itself would do it within a commit and its callers
// would wait. In addition, while a reader such as a backup needs the log, SQLite would try again in each commit and
// sort the whole log each time.
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

// copyBeside copies the log concurrently with the writer as soon as no reader needs it, until the writer can quickly
// copy the remaining pages. Without it, a reader that runs for minutes would leave a log of hundreds of megabytes. It
// ends when copying fails, because the writer then tries again, and when the writer ends.
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

// copyLog copies the part of the log that no reader needs, without waiting. left is the number of remaining pages: all
// of them if another checkpoint runs.
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
