package db

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// OutcomeUnknown reports whether the [DB.Write] that returned err might have been committed.
func OutcomeUnknown(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok && !serverRefused(err) && !isUndone(err)
}

// serverRefused reports whether err is PostgreSQL's own refusal, after which nothing is committed. An error that ends
// the connection (FATAL, PANIC) doesn't show whether a commit in progress succeeded.
func serverRefused(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.SeverityUnlocalized == "ERROR"
}
