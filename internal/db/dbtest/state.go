package dbtest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// State describes what the test server and the machine are doing, for a test that waits in vain: the load, and what each
// connection that isn't idle does and waits for. Without a server, it is the load alone.
func State() string {
	var out strings.Builder
	for _, file := range []string{"/proc/loadavg", "/proc/pressure/cpu", "/proc/pressure/io", "/proc/pressure/memory"} {
		if text, err := os.ReadFile(file); err == nil {
			fmt.Fprintf(&out, "%s: %s", file, text)
		}
	}
	if server.pool == nil {
		return out.String()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	rows, err := server.pool.QueryContext(ctx, `SELECT COALESCE(datname, ''), backend_type, COALESCE(state, ''), COALESCE(wait_event_type || ' ' || wait_event, ''),
		COALESCE(CAST(pg_blocking_pids(pid) AS TEXT), ''), COALESCE(EXTRACT(EPOCH FROM clock_timestamp() - COALESCE(query_start, backend_start)), 0), left(query, 80)
		FROM pg_stat_activity WHERE state IS DISTINCT FROM 'idle' ORDER BY backend_start`)
	if err != nil {
		fmt.Fprintf(&out, "PostgreSQL doesn't say what it does: %v\n", err)
		return out.String()
	}
	defer rows.Close()
	for rows.Next() {
		var database, kind, state, waits, blockers, query string
		var seconds float64
		if err := rows.Scan(&database, &kind, &state, &waits, &blockers, &seconds, &query); err != nil {
			break
		}
		fmt.Fprintf(&out, "%s %s %s, waits for %q behind %s, %.1f s: %s\n", database, kind, state, waits, blockers, seconds, query)
	}
	if err := rows.Err(); err != nil {
		fmt.Fprintf(&out, "PostgreSQL doesn't say all that it does: %v\n", err)
	}
	return out.String()
}
