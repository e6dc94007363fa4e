package db

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// Describe returns PostgreSQL's own text for a failure, without its address; "" for other failures.
func Describe(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Message + " (" + pg.Code + ")"
	}
	if _, ok := errors.AsType[*pgconn.ParseConfigError](err); ok { // its text contains the parsed string
		return "its address can't be read"
	}
	return ""
}
