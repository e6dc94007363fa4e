package api_test

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	"griot/auth/token"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/seal"
)

// start is when every service's clock starts.
func start() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// signing is the master key and the signing key that the services of these tests share: making one takes longer than
// most tests. Only the first service makes it, as any does.
var signing struct {
	once    sync.Once
	master  *seal.Key
	columns []string
	row     []any
}

// withSigningKey gives a new database the shared signing key, and returns the master key that opens it.
func withSigningKey(t testing.TB, d *db.DB) *seal.Key {
	t.Helper()
	signing.once.Do(func() { makeSigningKey(t) })
	if signing.master == nil {
		t.Fatal("the signing key could not be made")
	}
	marks := make([]string, len(signing.columns))
	for i := range marks {
		marks[i] = "$" + string(rune('1'+i))
	}
	err := d.Write(context.Background(), func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO signing_keys (`+strings.Join(signing.columns, ", ")+`) VALUES (`+strings.Join(marks, ", ")+`) ON CONFLICT DO NOTHING`, signing.row...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return signing.master
}

func makeSigningKey(t testing.TB) {
	master, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	d := dbtest.SQLite(t)
	if _, err := token.Open(context.Background(), d, master, clock.NewFake(start()).Now); err != nil {
		t.Fatal(err)
	}
	err = d.Read(context.Background()).Each(func(rows *sql.Rows) error {
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		values := make([]any, len(columns))
		into := make([]any, len(columns))
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
