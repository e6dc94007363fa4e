package db

import "context"

// LockWaiters returns the number of statements of this user that have waited for a lock for more than a second, on
// PostgreSQL. On SQLite, known is false, because a lock of another program makes the write fail.
func (d *DB) LockWaiters(ctx context.Context) (n int64, known bool, err error) {
	if d.engine == SQLite {
		return 0, false, nil
	}
	_, err = d.Read(ctx).Row(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query_start < clock_timestamp() - interval '1 second'`).Scan(&n)
	return n, err == nil, err
}
