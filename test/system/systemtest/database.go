package systemtest

import (
	"database/sql"
	"path/filepath"
	"testing"

	"example.com/griot/internal/db"
)

// CountRows reads a number from the database of a process that has ended.
func CountRows(t *testing.T, dir, query string) int {
	t.Helper()
	d := openDatabase(t, dir)
	defer func() { _ = d.Close() }()
	var n int
	if _, err := d.Read(t.Context()).Row(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// openDatabase opens the database of a process that has ended.
func openDatabase(t *testing.T, dir string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(dir, "griot.db"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// EachRow calls each with the two columns of each row of a query, on the database of a process that has ended.
func EachRow(t *testing.T, dir, query string, each func(a, b string)) {
	t.Helper()
	d := openDatabase(t, dir)
	defer func() { _ = d.Close() }()
	err := d.Read(t.Context()).Each(func(r *sql.Rows) error {
		var a, b string
		err := r.Scan(&a, &b)
		each(a, b)
		return err
	}, query)
	if err != nil {
		t.Fatal(err)
	}
}
