package db

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

const (
	walInterval = time.Minute
	walLimit    = 256 << 20
)

// wal monitors the size of SQLite's write-ahead log. Each commit stays in the log until
// a checkpoint has copied it into the database and no reader needs the older state.
type wal struct {
	path     string // empty on PostgreSQL
	limit    int64
	interval time.Duration
	purge    atomic.Bool // a [DB.Purge] is pending
}

// purgeInterval is the time between attempts of a purge that readers have blocked.
const purgeInterval = 2 * time.Second

// Run maintains the database until ctx ends. On SQLite, it completes the purges of [DB.Purge], also those of a process
// that died. It logs when the write-ahead log has become large, with the reason, and when it is small again. On
// PostgreSQL, it returns a [SchemaError] after a newer program has raised the schema's floor above this program's
// version. The process must then end.
func (d *DB) Run(ctx context.Context, log *slog.Logger) error {
	if d.engine == Postgres {
		return d.watchFloor(ctx)
	}
	tick, purge := time.NewTicker(d.wal.interval), time.NewTicker(purgeInterval)
	defer tick.Stop()
	defer purge.Stop()
	d.wal.purge.Store(true)
	for next := d.wal.limit; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-purge.C:
			if d.wal.purge.Load() {
				if _, err := d.Purge(ctx); err != nil && ctx.Err() == nil {
					log.WarnContext(ctx, "emptying the database's write-ahead log failed", "err", err)
				}
			}
			continue
		case <-tick.C:
		}
		info, err := os.Stat(d.wal.path)
		switch {
		case err != nil: // it exists while the database is in use
		case info.Size() < d.wal.limit && next > d.wal.limit:
			log.InfoContext(ctx, "the database's write-ahead log is small again", "bytes", info.Size())
			next = d.wal.limit
		case info.Size() >= next:
			log.WarnContext(ctx, "the database's write-ahead log is large", "bytes", info.Size(), "reason", d.reasonForSize(ctx))
			next = 2 * info.Size()
		}
	}
}

// floorInterval is the time between two reads of the schema's floor on PostgreSQL.
const floorInterval = 3 * time.Second

// watchFloor returns a [SchemaError] as soon as this program must no longer use the database, and nil after ctx ends.
// It ignores the errors of an unreachable database, which other code reports.
func (d *DB) watchFloor(ctx context.Context) error {
	tick := time.NewTicker(floorInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if refused, ok := errors.AsType[*SchemaError](d.CheckFloor(ctx)); ok {
			return refused
		}
	}
}

// reasonForSize tries a passive checkpoint, which doesn't wait for readers, and returns the reason
// for the size of the log.
func (d *DB) reasonForSize(ctx context.Context) string {
	left, err := copyLog(d.Read(ctx))
	switch {
	case err != nil:
		return "a checkpoint failed: " + err.Error()
	case left > 0:
		return "a long reader: something has read the database since before the oldest entry that is kept, such as a backup, a copy that was not finished, or an open sqlite3 shell"
	}
	return "more was written at once than checkpoints could follow; it shrinks with the next ones"
}
