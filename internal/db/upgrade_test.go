package db_test

import (
	"cmp"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// engine is an engine on which a test creates databases without [db.DB].
type engine struct {
	name    db.Engine
	url     func(t *testing.T) string
	schema  func(t *testing.T, url string) []string
	columns string // lists table, column, and type of the columns of all tables
}

func engines() []engine {
	return []engine{
		{
			db.SQLite, func(t *testing.T) string { return "sqlite:" + filepath.Join(dbtest.Folder(t), "griot.db") }, sqliteSchema,
			`SELECT m.name, c.name, lower(c.type) FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1, 2`,
		},
		{
			db.Postgres, func(t *testing.T) string { return dbtest.PostgresURL(t) }, postgresSchema,
			`SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`,
		},
	}
}

// open opens a database unlike any program: with one connection and without a lock.
func (e *engine) open(t *testing.T, url string) *sql.DB { return dbtest.Load(t, url, `SELECT 1`) }

// A database of the previous release becomes equal to a new one, because a released migration is never changed.
func TestMigrate_UpgradesARelease(t *testing.T) {
	for _, engine := range engines() {
		t.Run(string(engine.name), func(t *testing.T) {
			old, fresh := engine.url(t), engine.url(t)
			must(t, dbtest.Release(t, old).Close())
			migrate(t, old)
			migrate(t, fresh)
			engine.equal(t, old, fresh)
		})
	}
}

// The dump of a release creates the same database. With GRIOT_TEST_DUMP, the dumps are stored.
func TestDump_MakesAnEqualDatabase(t *testing.T) {
	for _, engine := range engines() {
		t.Run(string(engine.name), func(t *testing.T) {
			dump := dbtest.Dumped(t, engine.name)
			loaded, fresh := engine.url(t), engine.url(t)
			must(t, dbtest.Load(t, loaded, dump).Close())
			migrate(t, loaded)
			migrate(t, fresh)
			engine.equal(t, loaded, fresh)
			if os.Getenv("GRIOT_TEST_DUMP") != "" {
				must(t, os.WriteFile(filepath.Join("dbtest", "release", string(engine.name)+".sql"), []byte(dump), 0o600))
			}
		})
	}
}

// equal compares the schemas of two databases.
func (e *engine) equal(t *testing.T, url, fresh string) {
	t.Helper()
	got, want := e.schema(t, url), e.schema(t, fresh)
	if len(want) < 100 {
		t.Fatalf("a new database has %d tables and indexes", len(want))
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("a new database lacks\n%s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("only a new database has\n%s", line)
		}
	}
}

// The rows that the previous release writes can be stored in the current schema, column by column, and read back: no
// column of it is missing, and new columns have a default.
func TestMigrations_TheVersionBeforeStillWrites(t *testing.T) {
	for _, engine := range engines() {
		t.Run(string(engine.name), func(t *testing.T) {
			old, now := engine.url(t), engine.url(t)
			before := dbtest.Release(t, old)
			migrate(t, now)
			after := engine.open(t, now)
			if engine.name == db.Postgres {
				_, err := after.ExecContext(t.Context(), `SET session_replication_role = replica`) // no foreign keys
				must(t, err)
			}
			tables := 0
			for table, columns := range engine.tables(t, before) {
				if slices.Contains([]string{"goose_db_version", "sqlite_sequence", "plans", "sender_watch", "schema_floor", "schema_hash"}, table) {
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
			if tables < 60 {
				t.Errorf("%d tables, want all of the release", tables)
			}
		})
	}
}

// tables returns the name and type of the columns of each table.
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

// checked are valid values for columns with checks.
var checked = map[string]string{
	"oauth_clients.type": "PUBLIC", "oauth_clients.mode": "TEST", "oauth_clients.preferred_username": "sub", "api_keys.kind": "live", "senders.channel": "sms", "sender_pairings.method": "qr", "sender_pairings.state": "open",
	"sending_pause.reason": "operator", "inbox_messages.direction": "in", "inbox_media.state": "pending",
}

// valueOf returns a valid value for a column.
func valueOf(table, column, kind string) any {
	if strings.Contains(kind, "int") {
		return int64(1)
	}
	return cmp.Or(checked[table+"."+column], "x")
}

// A migration adds, and removes only columns and tables that no running program can still read
// (docs/operating/upgrade.md), because the previous version continues to run while the new one starts. A migration that
// removes something is listed with the release that stopped reading it.
func TestMigrations_OnlyAdd(t *testing.T) {
	contracts := map[string]string{} // file: release
	taking := regexp.MustCompile(`(?i)\b(DROP\s+(TABLE|COLUMN)|RENAME\s|SET\s+NOT\s+NULL|ALTER\s+COLUMN|ADD\s+CONSTRAINT)|ADD\s+COLUMN\s+\w+\s+\w+\s+NOT\s+NULL\s*(,|;|--|$)`)
	for _, bad := range []string{"DROP TABLE x;", "alter table x drop  column y;", "ALTER TABLE x RENAME TO y;", "ALTER TABLE x ADD COLUMN y TEXT NOT NULL; -- z", "ALTER TABLE x ADD COLUMN y TEXT NOT NULL;"} {
		if !taking.MatchString(bad) {
			t.Errorf("%q is not found", bad)
		}
	}
	names, err := filepath.Glob("migrations/*.sql")
	must(t, err)
	if len(names) < 3 {
		t.Fatalf("%d migrations, want all", len(names))
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		must(t, err)
		up, _, _ := strings.Cut(string(b), "-- +goose Down")
		if contracts[filepath.Base(name)] == "" {
			for _, found := range taking.FindAllString(up, -1) {
				t.Errorf("%s: %q: the version before can still read that", filepath.Base(name), found)
			}
		}
	}
}

// Every table has a comment before it, and every column has one next to it, which is a sentence.
func TestMigrations_CommentEveryTableAndColumn(t *testing.T) {
	names, err := filepath.Glob("migrations/*.sql")
	must(t, err)
	column := regexp.MustCompile(`^    [a-z]`)
	sentence := regexp.MustCompile(` -- .*\.$`)
	tables := 0
	for _, name := range names {
		b, err := os.ReadFile(name)
		must(t, err)
		before := ""
		for line := range strings.Lines(string(b)) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, "CREATE TABLE") {
				tables++
				if !strings.HasPrefix(before, "-- ") || !strings.HasSuffix(before, ".") {
					t.Errorf("%s: %s: no sentence before it", name, line)
				}
			}
			if column.MatchString(line) && !sentence.MatchString(line) {
				t.Errorf("%s: %s: no sentence beside it", name, line)
			}
			before = line
		}
	}
	if tables < 60 {
		t.Errorf("%d tables, want all", tables)
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

var comment = regexp.MustCompile(`--.*`)

// sqliteSchema returns the statements of the schema, without comments.
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
		texts = append(texts, strings.Join(strings.Fields(comment.ReplaceAllString(s, "")), " "))
	}
	must(t, rows.Err())
	return texts
}

// postgresSchema returns the statements that create the schema and its rows, without those of the migrations' own
// table.
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
