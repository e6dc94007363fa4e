package db

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// Unheard reports whether nobody knows if the [DB.Write] that returned err was committed.
func Unheard(err error) bool {
	_, ok := errors.AsType[*Error](err)
	return ok && !refused(err)
}

// refused: the server has found an error, and so has not committed.
// What ends the connection says nothing about a commit that it met on its way.
func refused(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.SeverityUnlocalized == "ERROR"
}
