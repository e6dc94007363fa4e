package db_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// What an account was written before there were conversations is in them afterwards, and not lost on the way back.
func TestMigrations_TheInboxTakesOverWhatThereWas(t *testing.T) {
	migratesFrom(t, 8, func(t *testing.T, c *sql.DB, p *goose.Provider) {
		for i, in := range []struct{ account, channel, from, name, text string }{
			{"a1", "whatsapp", "223001", "Awa", "premier"},
			{"a1", "whatsapp", "223001", "", "dernier"},
			{"a1", "whatsapp", "223002", "", "autre"},
			{"a1", "sms", "223001", "", "STOP"},
			{"a2", "whatsapp", "223001", "", "ailleurs"},
		} {
			var display any
			if in.name != "" {
				display = in.name
			}
			_, err := c.ExecContext(t.Context(), `INSERT INTO inbound_messages (id, account_id, sender_id, provider_id, channel, from_address, display_name, text, at, received_at)
 VALUES ($1, $2, 's', $1, $3, $4, $5, $6, $7, 0)`, fmt.Sprint("msg_", i), in.account, in.channel, in.from, display, in.text, 1000+i)
			must(t, err)
		}
		_, err := p.UpTo(t.Context(), 9)
		must(t, err)
		wants(t, c, `SELECT account_id || ' ' || phone || ' ' || COALESCE(name, '-') || ' ' || last_preview || ' ' || unread || ' ' || last_at || ' ' || id FROM conversations ORDER BY account_id, phone`,
			"a1 223001 Awa dernier 2 1001 cnv_0", "a1 223002 - autre 1 1002 cnv_2", "a2 223001 - ailleurs 1 1004 cnv_4")
		wants(t, c, `SELECT content || ' ' || COALESCE(conversation_id, '-') || ' ' || revision FROM inbox_messages ORDER BY id`,
			"premier cnv_0 1", "dernier cnv_0 1", "autre cnv_2 1", "STOP - 0", "ailleurs cnv_4 1")
		wants(t, c, `SELECT account_id || ' ' || revision || ' ' || unread FROM inbox_states ORDER BY account_id`, "a1 1 3", "a2 1 1")
		_, err = p.DownTo(t.Context(), 8)
		must(t, err)
		wants(t, c, `SELECT text || ' ' || channel || ' ' || at FROM inbound_messages ORDER BY id`,
			"premier whatsapp 1000", "dernier whatsapp 1001", "autre whatsapp 1002", "STOP sms 1003", "ailleurs whatsapp 1004")
		_, err = p.Up(t.Context())
		must(t, err)
	})
}

// wants compares the one column of a query.
func wants(t *testing.T, c *sql.DB, query string, want ...string) {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), query)
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	var got []string
	for rows.Next() {
		var s string
		must(t, rows.Scan(&s))
		got = append(got, s)
	}
	must(t, rows.Err())
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Times that a gateway's clock put in another order are in theirs afterwards.
func TestMigrations_TimesComeIntoTheirOrder(t *testing.T) {
	migratesFrom(t, 15, func(t *testing.T, c *sql.DB, p *goose.Provider) {
		for i, at := range [][3]any{{20, 30, 40}, {20, 10, 15}, {20, 30, 25}, {20, nil, nil}, {nil, nil, nil}, {20, 10, nil}} {
			_, err := c.ExecContext(t.Context(), `INSERT INTO messages (id, notification_id, account_id, requested_channel, channel, recipient, address, content, sensitive, source, status, rank, attempt, timeline, created_at, expires_at, sent_at, delivered_at, read_at)
 VALUES ($1, $2, 'a', 'sms', 'sms', '1', '1', '{}', 0, 'api', 'READ', 50, 1, '', 1, 99, $3, $4, $5)`, fmt.Sprint("msg_", i), fmt.Sprint("ntf_", i), at[0], at[1], at[2])
			must(t, err)
		}
		_, err := p.Up(t.Context())
		must(t, err)
		wants(t, c, `SELECT COALESCE(sent_at, 0) || ' ' || COALESCE(delivered_at, 0) || ' ' || COALESCE(read_at, 0) FROM messages ORDER BY id`,
			"20 30 40", "20 20 20", "20 30 30", "20 0 0", "0 0 0", "20 20 0")
	})
}

// Members from before there were roles go on with what they had: the projects of their account.
func TestMigrations_MembersBecomeDevelopersOfWhatThereWas(t *testing.T) {
	migratesFrom(t, 34, func(t *testing.T, c *sql.DB, p *goose.Provider) {
		for _, text := range []string{
			`INSERT INTO accounts (id, name, email, plan, created_at) VALUES ('a', 'A', 'a@x', 'free', 0), ('b', 'B', 'b@x', 'free', 0)`,
			`INSERT INTO projects (id, account_id, name, created_at) VALUES ('p1', 'a', 'P1', 0), ('p2', 'a', 'P2', 0), ('p3', 'b', 'P3', 0)`,
			`INSERT INTO members (id, account_id, email, joined_at, removed_at) VALUES ('m1', 'a', 'm@x', 0, NULL), ('m2', 'a', 'n@x', 0, 1), ('m3', 'b', 'm@x', 0, NULL)`,
			`INSERT INTO account_sessions (id, email, account_id, token_hash, created_at, expires_at) VALUES ('s', 'm@x', 'a', 'h', 7, 9)`,
		} {
			_, err := c.ExecContext(t.Context(), text)
			must(t, err)
		}
		_, err := p.UpTo(t.Context(), 35)
		must(t, err)
		wants(t, c, `SELECT m.id || ' ' || m.role || ' ' || COALESCE(pm.project_id, '-') FROM members m LEFT JOIN project_members pm ON pm.member_id = m.id ORDER BY m.id, pm.project_id`,
			"m1 developer p1", "m1 developer p2", "m2 developer -", "m3 developer p3")
		wants(t, c, `SELECT id || ' ' || code_at FROM account_sessions`, "s 7")
		_, err = p.DownTo(t.Context(), 34)
		must(t, err)
		wants(t, c, `SELECT id || ' ' || email FROM members ORDER BY id`, "m1 m@x", "m2 n@x", "m3 m@x")
	})
}

// migratesFrom runs a test on a database of each engine whose schema has a version.
func migratesFrom(t *testing.T, version int64, run func(t *testing.T, c *sql.DB, p *goose.Provider)) {
	for engine, open := range map[db.Engine]func(t *testing.T) (goose.Dialect, string, string){
		db.SQLite: func(t *testing.T) (goose.Dialect, string, string) {
			return goose.DialectSQLite3, "sqlite", filepath.Join(t.TempDir(), "x.db")
		},
		db.Postgres: func(t *testing.T) (goose.Dialect, string, string) {
			return goose.DialectPostgres, "pgx", dbtest.PostgresURL(t)
		},
	} {
		t.Run(string(engine), func(t *testing.T) {
			dialect, driver, url := open(t)
			c, err := sql.Open(driver, url)
			must(t, err)
			defer func() { must(t, c.Close()) }()
			p, err := goose.NewProvider(dialect, c, db.Migrations(engine), goose.WithDisableGlobalRegistry(true))
			must(t, err)
			_, err = p.UpTo(t.Context(), version)
			must(t, err)
			run(t, c, p)
		})
	}
}
