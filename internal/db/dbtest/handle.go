package dbtest

import (
	"context"
	"testing"

	"example.com/griot/internal/db"
)

// A Handle writes to a database, and fails the test if it can't.
type Handle struct{ DB *db.DB }

// Write runs a transaction.
func (h Handle) Write(t testing.TB, fn func(*db.Tx) error) {
	t.Helper()
	if err := h.DB.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// Exec runs one statement in a transaction.
func (h Handle) Exec(t testing.TB, query string, args ...any) {
	t.Helper()
	h.Write(t, func(tx *db.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	})
}
