package authtest

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"

	"example.com/griot/auth/token"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
)

// signing is the master key and the row of the signing key that all worlds of a
// process share, because generating one takes longer than most tests.
var signing struct {
	once    sync.Once
	master  *seal.Key
	columns []string
	row     []any
}

// insertSigningKey stores the shared signing key, and returns the master key that opens it.
func insertSigningKey(t testing.TB, d *db.DB) *seal.Key {
	t.Helper()
	signing.once.Do(func() { generateSigningKey(t) })
	if signing.master == nil {
		t.Fatal("the signing key could not be generated")
	}
	err := d.Write(context.Background(), func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO signing_keys (`+strings.Join(signing.columns, ", ")+`) VALUES (`+db.Placeholders(1, len(signing.columns))+`) ON CONFLICT DO NOTHING`, signing.row...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return signing.master
}

// generateSigningKey generates the row that a signer stores in a new database.
func generateSigningKey(t testing.TB) {
	t.Helper()
	master, d := NewKey(t), dbtest.SQLite(t)
	if _, err := token.Open(context.Background(), d, master, clock.NewFake(Start).Now); err != nil {
		t.Fatal(err)
	}
	err := d.Read(context.Background()).Each(func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		signing.columns, signing.row = columns, values
		return rows.Scan(into...)
	}, `SELECT * FROM signing_keys`)
	if err != nil {
		t.Fatal(err)
	}
	signing.master = master
}
