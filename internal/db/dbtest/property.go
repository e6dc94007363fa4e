package dbtest

import (
	"testing"

	"pgregory.net/rapid"

	"example.com/griot/internal/db"
)

// Property tests sequences on a database, as [rapid.Check] does. most is their maximum number on PostgreSQL. After a
// failure there is no limit, so that rapid can shrink it. The TB given to try fails only the current sequence. n counts
// the sequences from 1.
func Property(t *testing.T, d *db.DB, most int, try func(t testing.TB, r *rapid.T, n int)) {
	t.Helper()
	n, failed := 0, false
	rapid.Check(t, func(r *rapid.T) {
		if n++; d.Engine() == db.Postgres && n > most && !failed {
			return
		}
		defer func() { failed = failed || r.Failed() }()
		try(&sequence{t, r}, r, n)
	})
}

// sequence is a testing.TB whose failures are reported to rapid, which then searches for a smaller sequence.
type sequence struct {
	testing.TB
	r *rapid.T
}

func (t *sequence) Helper()                           { t.r.Helper() }
func (t *sequence) Error(args ...any)                 { t.r.Error(args...) }
func (t *sequence) Errorf(format string, args ...any) { t.r.Errorf(format, args...) }
func (t *sequence) Fatal(args ...any)                 { t.r.Fatal(args...) }
func (t *sequence) Fatalf(format string, args ...any) { t.r.Fatalf(format, args...) }
