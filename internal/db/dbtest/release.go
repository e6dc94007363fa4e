package dbtest

import (
	"database/sql"
	"embed"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/db"
)

//go:embed release
var releases embed.FS

// Release creates a database with the schema of the previous release at the address of an empty one, and returns a
// connection to it. Until 0.2.0 is released there is no previous release, so the database has the current schema and
// the tests of upgrades can run.
func Release(t testing.TB, url string) *sql.DB {
	t.Helper()
	dump, err := releases.ReadFile("release/" + string(engineOf(url)) + ".sql")
	if err != nil {
		dump = []byte(Dumped(t, engineOf(url)))
	}
	return Load(t, url, string(dump))
}

// Dumped returns the statements that create an empty database with the current schema.
func Dumped(t testing.TB, engine db.Engine) string {
	t.Helper()
	url := "sqlite:" + filepath.Join(Folder(t), "dumped.db")
	if engine == db.Postgres {
		url = PostgresURL(t)
	}
	if err := migrate(url); err != nil {
		t.Fatal(err)
	}
	if engine == db.SQLite {
		return dumpSQLite(t, url)
	}
	var kept strings.Builder
	for line := range strings.Lines(Dump(t, url)) {
		if !strings.HasPrefix(line, "--") && !strings.HasPrefix(line, `\`) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// Load runs a dump in an empty database, and returns a connection to it.
func Load(t testing.TB, url, dump string) *sql.DB {
	t.Helper()
	c := connect(t, url)
	execute := func(text string) {
		t.Helper()
		if _, err := c.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("loading a dump: %v", err)
		}
	}
	execute(dump)
	if engineOf(url) == db.Postgres {
		execute(`SET search_path TO public`) // the dump has cleared it
	}
	return c
}

func engineOf(url string) db.Engine {
	if strings.HasPrefix(url, "sqlite:") {
		return db.SQLite
	}
	return db.Postgres
}

// connect opens a database with one connection and without a lock, unlike the program.
func connect(t testing.TB, url string) *sql.DB {
	t.Helper()
	driver := map[db.Engine]string{db.SQLite: "sqlite", db.Postgres: "pgx"}[engineOf(url)]
	c, err := sql.Open(driver, strings.TrimPrefix(url, "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	c.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// dumpSQLite returns the schema and the rows, like pg_dump for PostgreSQL.
func dumpSQLite(t testing.TB, url string) string {
	t.Helper()
	c := connect(t, url)
	var tables, rows, others strings.Builder
	for _, o := range textRows(t, c, `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid`, 3) {
		to := &others
		if name := o[1]; o[0] == "table" {
			to = &tables
			quoted := textRows(t, c, `SELECT group_concat('quote(' || name || ')', ' || '', '' || ') FROM pragma_table_info('`+name+`')`, 1)[0][0]
			for _, row := range textRows(t, c, `SELECT `+quoted+` FROM `+name, 1) {
				rows.WriteString("INSERT INTO " + name + " VALUES (" + row[0] + ");\n")
			}
		}
		to.WriteString(o[2] + ";\n")
	}
	return tables.String() + rows.String() + others.String()
}

// textRows returns the rows of a query with n text columns.
func textRows(t testing.TB, c *sql.DB, text string, n int) (all [][]string) {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		row, to := make([]string, n), make([]any, n)
		for i := range row {
			to[i] = &row[i]
		}
		if err := rows.Scan(to...); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
