package db

import (
	"database/sql"
	"time"
)

// Ms is how a time is stored: Unix milliseconds.
func Ms(t time.Time) int64 { return t.UnixMilli() }

// NullMs is how a time that may be absent is stored: NULL for the zero time.
func NullMs(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// At reads a stored time.
func At(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// AtNull reads a stored time that may be absent.
func AtNull(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return At(ms.Int64)
}

// Flag stores true as 1, and false as 0.
func Flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Null stores an empty text as NULL.
func Null(s string) any {
	if s == "" {
		return nil
	}
	return s
}
