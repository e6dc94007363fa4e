package dbtest

import (
	"testing"

	"pgregory.net/rapid"

	"example.com/griot/internal/db"
)

// Property tries sequences on a database as [rapid.Check] does. On PostgreSQL it tries most of them at the most; after a
// failure there is no bound, so that rapid can shrink it. The TB given to try fails only the sequence that is being
// tried; n counts them, from 1.
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

// sequence is a testing.TB whose failures are rapid's, which then looks for a smaller sequence.
type sequence struct {
	testing.TB
	r *rapid.T
}

func (t *sequence) Helper()                           { t.r.Helper() }
func (t *sequence) Error(args ...any)                 { t.r.Error(args...) }
func (t *sequence) Errorf(format string, args ...any) { t.r.Errorf(format, args...) }
func (t *sequence) Fatal(args ...any)                 { t.r.Fatal(args...) }
func (t *sequence) Fatalf(format string, args ...any) { t.r.Fatalf(format, args...) }
