package db

import (
	"context"
	"time"
)

const (
	purgeBusy  = "PRAGMA busy_timeout(50)" // writes wait this long while a truncating checkpoint waits for readers
	purgeTry   = 250 * time.Millisecond
	writerBusy = "PRAGMA busy_timeout(5000)" // as in [Open]
)

// Purge empties SQLite's write-ahead log, which still contains the rows from before they were deleted or changed. In
// the database itself, the writer overwrites them. done is false while a reader, such as a backup, needs the log.
// [DB.Run] then keeps trying, and the caller can try again. On PostgreSQL, Purge does nothing: VACUUM removes such
// rows.
func (d *DB) Purge(ctx context.Context) (done bool, err error) {
	if d.wal.path == "" {
		return true, nil
	}
	if d.inspects {
		return false, ErrReadOnly
	}
	d.wal.purge.Store(true)
	// This does most of the work, and no write waits for it. If many pages remain, a long reader needs them, and no
	// write should wait for that.
	if left, err := copyLog(d.Read(ctx)); err != nil || left > checkpointRest {
		return false, err
	}
	if done, err = d.group.truncate(ctx); done {
		d.wal.purge.Store(false)
	}
	return done, err
}

// PurgeWithin repeats [DB.Purge] until it is done or the time limit is reached.
func (d *DB) PurgeWithin(ctx context.Context, limit time.Duration) (done bool, err error) {
	end := time.NewTimer(limit)
	defer end.Stop()
	for {
		if done, err := d.Purge(ctx); done || err != nil {
			return done, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-end.C:
			return false, nil
		case <-time.After(purgeTry):
		}
	}
}

// truncate runs a truncating checkpoint between two transactions, so that no write can interfere.
func (g *group) truncate(ctx context.Context) (done bool, err error) {
	err = g.between(ctx, func() error {
		defer func() {
			if g.pragma(writerBusy) != nil {
				g.disconnect() // uses a new connection next time
			}
		}()
		if err := g.pragma(purgeBusy); err != nil {
			return err
		}
		var busy, pages, copied int64
		err := g.conn.QueryRowContext(context.Background(), `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &copied)
		done = err == nil && busy == 0
		return err
	})
	return done, err
}
