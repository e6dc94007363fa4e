package db

import "database/sql"

// Pool is a pool of connections, with its statistics.
type Pool struct {
	Name string
	sql.DBStats
}

// Pools returns the database's pools. On PostgreSQL, one pool serves readers and writers. On SQLite, the only writer
// keeps its connection, which is in no pool.
func (d *DB) Pools() []Pool {
	if d.engine == Postgres {
		return []Pool{{"all", d.readers.Stats()}}
	}
	return []Pool{{"readers", d.readers.Stats()}, {"writer", d.writers.Stats()}}
}
