package db

import (
	"context"
	"time"

	"example.com/griot/internal/clock"
)

const (
	checkpointPages = 4000        // pages of 4 KiB that are written before the write-ahead log is copied into the database
	checkpointAgain = time.Second // after which that is tried again if a reader needs the log
)

// checkpoint copies the write-ahead log into the database once enough has been written, so that the next transaction begins the log
// anew. It runs between two transactions: SQLite itself would do so within a commit, whose callers would wait for it. And while a reader
// such as a backup needs the log, SQLite would try again in each commit, and sort the whole log each time.
func (g *group) checkpoint() {
	g.written += g.raw.written()
	if g.written < checkpointPages || clock.Running() < g.checkpointAt {
		return
	}
	switch left, err := copyLog(&Query{ctx: context.Background(), prepared: g.stmt, raw: &g.raw}); {
	case err != nil || left > 0: // commits fail as well if the disk does
		g.checkpointAt = clock.Running() + checkpointAgain
	default:
		g.written = 0
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
