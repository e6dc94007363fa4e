package db_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/db"
)

// A program does not run on a schema that it does not know, unless it is told to.
func TestMigrate_RefusesANewerSchema(t *testing.T) {
	for _, engine := range engines() {
		t.Run(engine.name, func(t *testing.T) {
			url := engine.url(t)
			migrate(t, url)
			c, err := sql.Open(engine.driver, strings.TrimPrefix(url, "sqlite:"))
			must(t, err)
			const newer = 99_999
			_, err = c.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, $2)`, newer, true)
			must(t, err)
			must(t, c.Close())
			d, err := db.Open(t.Context(), url)
			must(t, err)
			defer func() { must(t, d.Close()) }()
			_, err = d.Migrate(t.Context())
			refused, ok := errors.AsType[*db.NewerError](err)
			if !ok || refused.Schema != newer || refused.Known == 0 || !strings.Contains(err.Error(), "a newer Griot") {
				t.Errorf("got %v, want that the schema is newer", err)
			}
			must(t, d.MigrateOrNewer(t.Context()))
		})
	}
}

// A migration adds, and takes away only what no version that may still run reads (docs/operating/upgrade.md): the version
// before goes on running while the new one starts. What a migration takes away is listed with the release that ceased to read it.
func TestMigrations_OnlyAdd(t *testing.T) {
	contracts := map[string]string{} // file: release
	const released = "00016"         // the first migration after the release before
	taking := regexp.MustCompile(`(?i)\b(DROP\s+(TABLE|COLUMN)|RENAME\s|SET\s+NOT\s+NULL|ALTER\s+COLUMN|ADD\s+CONSTRAINT)|ADD\s+COLUMN\s+\w+\s+\w+\s+NOT\s+NULL\s*(,|;|--|$)`)
	for _, bad := range []string{"DROP TABLE x;", "alter table x drop  column y;", "ALTER TABLE x RENAME TO y;", "ALTER TABLE x ADD COLUMN y TEXT NOT NULL; -- z", "ALTER TABLE x ADD COLUMN y TEXT NOT NULL;"} {
		if !taking.MatchString(bad) {
			t.Errorf("%q is not found", bad)
		}
	}
	names, err := filepath.Glob("migrations/*.sql")
	must(t, err)
	if len(names) < 40 {
		t.Fatalf("%d migrations, want all", len(names))
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		must(t, err)
		up, _, _ := strings.Cut(string(b), "-- +goose Down")
		if base := filepath.Base(name); base >= released && contracts[base] == "" {
			for _, found := range taking.FindAllString(up, -1) {
				t.Errorf("%s: %q: the version before may still read that", base, found)
			}
		}
	}
}

// What release 0.1.0 writes can be stored in today's schema, column by column, and read back: nothing that it knows is
// missing, and what is new has a default.
func TestMigrations_TheVersionBeforeStillWrites(t *testing.T) {
	for _, engine := range engines() {
		t.Run(engine.name, func(t *testing.T) {
			old, now := engine.url(t), engine.url(t)
			engine.release(t, old)
			migrate(t, now)
			before, after := engine.open(t, old), engine.open(t, now)
			if engine.name == "postgres" {
				_, err := after.ExecContext(t.Context(), `SET session_replication_role = replica`) // no foreign keys
				must(t, err)
			}
			tables := 0
			for table, columns := range engine.tables(t, before) {
				if table == "goose_db_version" || table == "sqlite_sequence" || table == "plans" || table == "sender_watch" {
					continue // the migrations' own, and those that have rows from the start
				}
				tables++
				var names, places []string
				var values []any
				for _, c := range columns {
					names, values = append(names, c[0]), append(values, valueOf(table, c[0], c[1]))
					places = append(places, fmt.Sprint("$", len(values)))
				}
				list := strings.Join(names, ", ")
				if _, err := after.ExecContext(t.Context(), `INSERT INTO `+table+` (`+list+`) VALUES (`+strings.Join(places, ", ")+`)`, values...); err != nil {
					t.Errorf("%s: %v", table, err)
					continue
				}
				got := make([]any, len(names))
				to := make([]any, len(names))
				for i := range got {
					to[i] = &got[i]
				}
				must(t, after.QueryRowContext(t.Context(), `SELECT `+list+` FROM `+table).Scan(to...))
				if fmt.Sprint(got...) != fmt.Sprint(values...) {
					t.Errorf("%s: got %v, want %v", table, got, values)
				}
			}
			if tables < 25 {
				t.Errorf("%d tables, want all of the release", tables)
			}
		})
	}
}

// tables returns the columns of each table: name and type.
func (e *engine) tables(t *testing.T, c *sql.DB) map[string][][2]string {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), e.columns)
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	out := map[string][][2]string{}
	for rows.Next() {
		var table string
		var column [2]string
		must(t, rows.Scan(&table, &column[0], &column[1]))
		out[table] = append(out[table], column)
	}
	must(t, rows.Err())
	return out
}

// valueOf is a value that a column takes.
func valueOf(table, column, kind string) any {
	switch {
	case strings.Contains(kind, "int"):
		return int64(1)
	case table == "oauth_clients" && column == "type":
		return "PUBLIC"
	case table == "oauth_clients" && column == "mode":
		return "TEST"
	case table == "api_keys" && column == "kind":
		return "live"
	case table == "inbox_messages" && column == "direction":
		return "in"
	case column == "channel":
		return "sms"
	}
	return "x"
}
