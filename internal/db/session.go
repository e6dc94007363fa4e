package db

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// PostgreSQL ends a transaction if the process has been silent for idleLimit, and a connection if the peer has not
// responded to three keepalives. Otherwise a stopped process or machine would keep its row locks permanently.
const (
	idleLimit   = "2s"
	silentLimit = 3 * time.Second / 2 // between two statements; after it, the session is checked before the next one

	// setLimits sets the limits of a session, unless a pooler shares the session with other clients. A pooler is
	// detected by its own process ids.
	setLimits = `SELECT CASE WHEN pg_backend_pid() = $1 THEN set_config('idle_in_transaction_session_timeout', '` + idleLimit + `', false)
 || set_config('tcp_keepalives_idle', '2', false) || set_config('tcp_keepalives_interval', '1', false)
 || set_config('tcp_keepalives_count', '3', false) || set_config('tcp_user_timeout', '5000', false) END`

	// setIdleLimit sets the limit of one transaction.
	setIdleLimit = `SET LOCAL idle_in_transaction_session_timeout = '` + idleLimit + `'`
)

// errSilent is the reason that the transaction of a process that had stopped runs again.
var errSilent = errors.New("the server has ended a transaction that was silent")

// pooled is the key that marks a connection through a pooler.
const pooled = "pooled"

// openPool returns a pool whose sessions have the limits above.
func openPool(config *pgx.ConnConfig) *sql.DB {
	return stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		var set *string
		err := conn.QueryRow(ctx, setLimits, pgx.QueryExecModeSimpleProtocol, int64(conn.PgConn().PID())).Scan(&set)
		if set == nil {
			conn.PgConn().CustomData()[pooled] = true
		}
		return err
	}))
}

// isPooled reports whether the connection goes through a pooler.
func isPooled(conn *pgx.Conn) bool {
	_, ok := conn.PgConn().CustomData()[pooled]
	return ok
}

// keepalive detects within five seconds that the server's machine is unreachable.
var keepalive = net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 2 * time.Second, Interval: time.Second, Count: 3}}
