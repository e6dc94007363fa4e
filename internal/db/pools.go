package db

import "database/sql"

// Pool is a pool of connections, and what it has done.
type Pool struct {
	Name string
	sql.DBStats
}

// Pools returns the database's pools. On PostgreSQL one serves readers and writers; SQLite's one writer keeps its connection.
func (d *DB) Pools() []Pool {
	if d.engine == Postgres {
		return []Pool{{"all", d.readers.Stats()}}
	}
	return []Pool{{"readers", d.readers.Stats()}, {"writer", d.writers.Stats()}}
}
