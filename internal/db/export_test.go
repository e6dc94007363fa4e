package db

import (
	"io/fs"
	"time"
)

// SetListTime is for tests that don't wait for the end of a list.
func SetListTime(d *DB, t time.Duration) { d.lists.time = t }

// SetWAL makes less of a write-ahead log much, and looks at it more often.
func SetWAL(d *DB, much int64, every time.Duration) { d.wal.much, d.wal.every = much, every }

// Statements is how many of them the readers keep.
func Statements(d *DB) int {
	d.stmts.mu.RLock()
	defer d.stmts.mu.RUnlock()
	return len(d.stmts.stmts)
}

// Migrations are those of an engine.
func Migrations(e Engine) fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return ofEngine{sub, e}
}
