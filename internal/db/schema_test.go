package db_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

func TestSchema_IsTheNewestAfterAMigration(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		has, needs, err := d.Schema(t.Context())
		if err != nil || has != needs || has == 0 {
			t.Errorf("schema %d, needs %d, %v", has, needs, err)
		}
		execute(t, d, `DELETE FROM goose_db_version WHERE version_id = $1`, needs)
		if has, _, err := d.Schema(t.Context()); err != nil || has >= needs {
			t.Errorf("without the last migration: schema %d, needs %d, %v", has, needs, err)
		}
	})
}

func execute(t *testing.T, d *db.DB, text string, args ...any) {
	t.Helper()
	must(t, d.Write(t.Context(), func(tx *db.Tx) error { _, err := tx.Exec(text, args...); return err }))
}

// A program refuses a schema that it can't use, with one sentence, and leaves the database unchanged. It can only use a
// newer schema if it meets the floor.
func TestMigrate_RefusesASchemaThatItCantUse(t *testing.T) {
	for name, tc := range map[string]struct {
		change []string
		text   string
		newer  bool
	}{
		"newer": {[]string{`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`}, "a newer Griot has migrated it", true},
		"newer with a higher floor": {
			[]string{`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`, `UPDATE schema_floor SET oldest = 99999`}, "start the newer Griot", false,
		},
		"0.1.0":              {[]string{`DELETE FROM goose_db_version WHERE version_id > 0`, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (15, true)`}, "of Griot 0.1.0 or of an unreleased version", false},
		"another unreleased": {[]string{`UPDATE schema_hash SET hash = 'another'`}, "of another unreleased version", false},
	} {
		for _, engine := range engines() {
			t.Run(name+" "+string(engine.name), func(t *testing.T) {
				t.Parallel()
				url := engine.url(t)
				migrate(t, url)
				c := engine.open(t, url)
				for _, text := range tc.change {
					_, err := c.ExecContext(t.Context(), text)
					must(t, err)
				}
				must(t, c.Close())
				before := engine.schema(t, url)
				d, err := db.Open(t.Context(), url)
				must(t, err)
				_, err = d.Migrate(t.Context())
				if refused, ok := errors.AsType[*db.SchemaError](err); !ok || refused.Newer != tc.newer || refused.Schema == 0 || refused.Known == 0 || !strings.Contains(err.Error(), tc.text) {
					t.Errorf("got %v, want %q, newer %v", err, tc.text, tc.newer)
				}
				if err := d.MigrateOrNewer(t.Context()); (err == nil) != tc.newer {
					t.Errorf("told to take a newer one: %v", err)
				}
				must(t, d.Close())
				if after := engine.schema(t, url); strings.Join(after, "\n") != strings.Join(before, "\n") {
					t.Error("the refused database was changed")
				}
			})
		}
	}
}

// A process ends after a newer program has raised the floor above its schema, and not before.
func TestRun_EndsBelowTheFloor(t *testing.T) {
	t.Parallel()
	d := dbtest.Postgres(t)
	_, needs, err := d.Schema(t.Context())
	must(t, err)
	execute(t, d, `UPDATE schema_floor SET oldest = $1`, needs)
	must(t, d.CheckFloor(t.Context()))
	ctx := waittest.Context(t)
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx, slog.New(slog.DiscardHandler)) }()
	execute(t, d, `UPDATE schema_floor SET oldest = $1`, needs+1)
	if _, ok := errors.AsType[*db.SchemaError](<-ended); !ok || ctx.Err() != nil {
		t.Errorf("it did not end in time, or with another error (%v)", ctx.Err())
	}
}
