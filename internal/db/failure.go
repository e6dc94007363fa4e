package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"

	"example.com/griot/internal/metrics"
)

// whyNotStored returns the reason of a failure for the metrics. cannotStore has classified the failure as one after
// which nothing can be stored.
func whyNotStored(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return metrics.Timeout
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return whySQLite(lite.Code() & 0xff)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return whyPostgres(pg.Code)
	}
	return metrics.NoConnection
}

// whySQLite returns the reason for a primary result code.
func whySQLite(code int) string {
	switch code {
	case 5, 6, 15: // BUSY, LOCKED, PROTOCOL
		return metrics.Locked
	case 3, 8, 14, 23: // PERM, READONLY, CANTOPEN, AUTH
		return metrics.ReadOnly
	case 10: // IOERR
		return metrics.IOError
	case 11, 26: // CORRUPT, NOTADB
		return metrics.Corrupt
	case 13: // FULL
		return metrics.DiskFull
	}
	return ""
}

// whyPostgres returns the reason for an SQLSTATE.
func whyPostgres(code string) string {
	switch {
	case code == "53100":
		return metrics.DiskFull
	case code == "25006":
		return metrics.ReadOnly
	case code == "58030":
		return metrics.IOError
	case code == "XX001", code == "XX002":
		return metrics.Corrupt
	case len(code) >= 2 && (code[:2] == "08" || code[:2] == "57"):
		return metrics.NoConnection
	}
	return ""
}

// Damaged reports whether an error means that a SQLite file is damaged or not a database.
func Damaged(err error) bool {
	const corrupt, notADatabase = 11, 26
	lite, ok := errors.AsType[*sqlite.Error](err)
	return ok && (lite.Code()&0xff == corrupt || lite.Code()&0xff == notADatabase)
}
