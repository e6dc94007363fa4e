package db

import "time"

// SetListTime sets the most that a page of a list may take.
func SetListTime(d *DB, t time.Duration) { d.lists.time = t }

// SetWAL lowers the size from which a write-ahead log is large, and the time between two looks at it.
func SetWAL(d *DB, limit int64, every time.Duration) { d.wal.limit, d.wal.interval = limit, every }

// SetMigrateWait changes how many seconds a node waits before it looks again whether another one has ended its migrations.
func SetMigrateWait(d *DB, seconds uint64) { d.migrateWait = seconds }

// Statements is how many of them the readers keep.
func Statements(d *DB) int {
	d.stmts.mu.RLock()
	defer d.stmts.mu.RUnlock()
	return len(d.stmts.stmts)
}
