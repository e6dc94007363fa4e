package db

import "time"

// SetListTime sets the time limit of a page of a list.
func SetListTime(d *DB, t time.Duration) { d.lists.time = t }

// SetWAL sets the size from which a write-ahead log is large, and the interval of the checks.
func SetWAL(d *DB, limit int64, every time.Duration) { d.wal.limit, d.wal.interval = limit, every }

// SetMigrateWait sets the number of seconds between a node's checks whether another one has finished its migrations.
func SetMigrateWait(d *DB, seconds uint64) { d.migrateWait = seconds }

// Statements returns the number of statements that the readers keep.
func Statements(d *DB) int {
	d.stmts.mu.RLock()
	defer d.stmts.mu.RUnlock()
	return len(d.stmts.stmts)
}
