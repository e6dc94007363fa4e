package dbtest

import (
	"database/sql"
	"testing"

	"example.com/griot/internal/db"
)

// TablesWith returns the names of the tables that have a column. It fails the test if there are fewer than least, so
// that a test of all of them can't pass without having found them.
func TablesWith(t testing.TB, d *db.DB, column string, least int) (names []string) {
	t.Helper()
	text := `SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = $1`
	if d.Engine() == db.Postgres {
		text = `SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = $1`
	}
	err := d.Read(t.Context()).Each(func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, text, column)
	if err != nil || len(names) < least {
		t.Fatalf("got %v, %v, want at least %d tables with %s", names, err, least, column)
	}
	return names
}
