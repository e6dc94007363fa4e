package db_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// engine is where a test makes databases without [db.DB].
type engine struct {
	name, driver string
	url          func(t *testing.T) string
	schema       func(t *testing.T, url string) []string
	columns      string // lists table, column and type of the columns of all tables
}

func engines() []engine {
	return []engine{
		{
			"sqlite", "sqlite", func(t *testing.T) string { return "sqlite:" + filepath.Join(dbtest.Folder(t), "griot.db") }, sqliteSchema,
			`SELECT m.name, c.name, lower(c.type) FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, 2`,
		},
		{
			"postgres", "pgx", func(t *testing.T) string { return dbtest.PostgresURL(t) }, postgresSchema,
			`SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
		},
	}
}

// open opens a database as no program does.
func (e *engine) open(t *testing.T, url string) *sql.DB {
	t.Helper()
	c, err := sql.Open(e.driver, strings.TrimPrefix(url, "sqlite:"))
	must(t, err)
	c.SetMaxOpenConns(1) // a dump sets its session's search path
	t.Cleanup(func() { must(t, c.Close()) })
	return c
}

// release makes a database as release 0.1.0 had it.
func (e *engine) release(t *testing.T, url string) {
	t.Helper()
	released, err := os.ReadFile(filepath.Join("testdata", "v0.1.0", e.name+".sql"))
	must(t, err)
	c, err := sql.Open(e.driver, strings.TrimPrefix(url, "sqlite:"))
	must(t, err)
	_, err = c.ExecContext(t.Context(), string(released))
	must(t, err)
	must(t, c.Close())
}

// A database of release 0.1.0, whose schema testdata/v0.1.0 holds, becomes what a new one is: nobody
// changes a migration that has been released.
func TestMigrate_UpgradesARelease(t *testing.T) {
	for _, engine := range engines() {
		t.Run(engine.name, func(t *testing.T) {
			old, fresh := engine.url(t), engine.url(t)
			engine.release(t, old)
			migrate(t, old)
			migrate(t, fresh)
			got, want := engine.schema(t, old), engine.schema(t, fresh)
			if len(want) == 0 {
				t.Fatal("a new database has no schema")
			}
			for _, line := range got {
				if !slices.Contains(want, line) {
					t.Errorf("only an upgraded database has\n%s", line)
				}
			}
			for _, line := range want {
				if !slices.Contains(got, line) {
					t.Errorf("an upgraded database lacks\n%s", line)
				}
			}
		})
	}
}

func migrate(t *testing.T, url string) {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	must(t, err)
	_, err = d.Migrate(t.Context())
	must(t, err)
	must(t, d.Close())
}

// sqliteSchema returns the texts of the schema.
func sqliteSchema(t *testing.T, url string) (texts []string) {
	t.Helper()
	c, err := sql.Open("sqlite", strings.TrimPrefix(url, "sqlite:"))
	must(t, err)
	defer func() { must(t, c.Close()) }()
	rows, err := c.QueryContext(t.Context(), `SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_schema`)
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	for rows.Next() {
		var s string
		must(t, rows.Scan(&s))
		texts = append(texts, strings.Join(strings.Fields(s), " "))
	}
	must(t, rows.Err())
	return texts
}

// postgresSchema returns the statements that make the schema and its rows, without those of the migrations' own table.
func postgresSchema(t *testing.T, url string) (statements []string) {
	t.Helper()
	var lines []string
	for line := range strings.Lines(dbtest.Dump(t, url)) {
		if !strings.HasPrefix(line, "--") && !strings.HasPrefix(line, `\`) {
			lines = append(lines, line)
		}
	}
	for s := range strings.SplitSeq(strings.Join(lines, ""), ";\n") {
		if s = strings.Join(strings.Fields(s), " "); !strings.Contains(s, "goose_db_version") {
			statements = append(statements, s)
		}
	}
	return statements
}
