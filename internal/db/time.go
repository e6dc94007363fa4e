package db

import (
	"database/sql"
	"time"
)

// Ms returns a time in the stored format: Unix milliseconds.
func Ms(t time.Time) int64 { return t.UnixMilli() }

// NullMs returns an optional time in the stored format: NULL for the zero time.
func NullMs(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// At converts a stored time.
func At(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// AtNull converts a stored optional time; the zero time for NULL.
func AtNull(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return At(ms.Int64)
}

// Flag returns 1 for true, and 0 for false.
func Flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Null returns NULL for an empty text.
func Null(s string) any {
	if s == "" {
		return nil
	}
	return s
}
