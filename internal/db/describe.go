package db

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// Describe returns PostgreSQL's own words for a failure, without its address; "" for other failures.
func Describe(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Message + " (" + pg.Code + ")"
	}
	if _, ok := errors.AsType[*pgconn.ParseConfigError](err); ok { // its text has what was parsed
		return "its address can't be read"
	}
	return ""
}
