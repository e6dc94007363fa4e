package db

import "context"

// Shrink frees memory that SQLite no longer needs after migrations and other start-up work: the writer's cached pages,
// and the readers' idle connections but one, each with a cache and a parsed schema. The next queries open connections
// again as needed. On PostgreSQL, Shrink does nothing.
func (d *DB) Shrink(ctx context.Context) error {
	if d.group == nil {
		return nil
	}
	d.readers.SetMaxIdleConns(1)
	d.readers.SetMaxIdleConns(sqliteReaders())
	return d.group.between(ctx, func() error { return d.group.pragma("PRAGMA shrink_memory") })
}
