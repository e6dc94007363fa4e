package db

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// State is the status of a database for an operator.
type State struct {
	Engine  Engine
	Version string
	Schema  int64         // of the last migration
	Size    int64         // bytes
	Log     int64         // SQLite: bytes of the write-ahead log, in addition to Size
	Free    int64         // SQLite: free bytes on the disk
	HasFree bool          // Free is known
	Ahead   time.Duration // PostgreSQL: the difference between its clock and this process's
}

// State returns the status of the database. now is this process's clock.
func (d *DB) State(ctx context.Context, now func() time.Time) (State, error) {
	s := State{Engine: d.engine}
	if _, err := d.Read(ctx).Row(`SELECT max(version_id) FROM goose_db_version`).Scan(&s.Schema); err != nil {
		return s, err
	}
	if d.engine == Postgres {
		asked, at := now(), int64(0)
		_, err := d.Read(ctx).Row(`SELECT current_setting('server_version'), pg_database_size(current_database()), CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`).Scan(&s.Version, &s.Size, &at)
		if err == nil {
			s.Ahead = At(at).Sub(asked.Add(now().Sub(asked) / 2))
		}
		return s, err
	}
	if _, err := d.Read(ctx).Row(`SELECT sqlite_version()`).Scan(&s.Version); err != nil {
		return s, err
	}
	path := d.File()
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	s.Size = info.Size()
	if log, err := os.Stat(d.wal.path); err == nil { // it exists while the database is in use
		s.Log = log.Size()
	}
	s.Free, s.HasFree = freeBytes(filepath.Dir(path))
	return s, nil
}

// File returns the path of a SQLite database, and "" on PostgreSQL.
func (d *DB) File() string { return strings.TrimSuffix(d.wal.path, "-wal") }
