package db_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

// After a write that could not be stored, Ping fails until a write succeeds again. The probe makes such a write.
// Rules: L134.
func TestPing_FailsAfterAFailedWriteUntilOneSucceeds(t *testing.T) {
	for name, tc := range map[string]struct {
		open func(t *testing.T) (d *db.DB, fail, repair func())
	}{
		"sqlite, locked by another program": {func(t *testing.T) (*db.DB, func(), func()) {
			path := t.TempDir() + "/x.db"
			d := migrated(t, "sqlite:"+path)
			other, err := sql.Open("sqlite", "file:"+path)
			must(t, err)
			other.SetMaxOpenConns(1)
			t.Cleanup(func() { _ = other.Close() })
			run := func(text string) func() {
				return func() {
					_, err := other.ExecContext(context.Background(), text)
					must(t, err)
				}
			}
			return d, run("BEGIN IMMEDIATE"), run("ROLLBACK")
		}},
		"postgres, a standby": {func(t *testing.T) (*db.DB, func(), func()) {
			url := dbtest.PostgresURL(t)
			d := migrated(t, url)
			other, err := sql.Open("pgx", url)
			must(t, err)
			t.Cleanup(func() { _ = other.Close() })
			set := func(value string) func() {
				return func() {
					for _, text := range []string{
						`DO $do$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ` + value + `', current_database()); END $do$`,
						`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
					} {
						_, err := other.ExecContext(context.Background(), `SET default_transaction_read_only = off; `+text)
						must(t, err)
					}
				}
			}
			return d, set("on"), set("off")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, fail, repair := tc.open(t)
			must(t, d.Ping(t.Context()))
			fail()
			if err := d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, "a") }); !db.Unavailable(err) {
				t.Fatalf("the write: %v", err)
			}
			if err := d.Ping(t.Context()); !errors.Is(err, db.ErrWrites) || !db.Unavailable(err) {
				t.Errorf("after the write: %v", err)
			}
			repair()
			waittest.Until(t, func() error { return d.Ping(t.Context()) }) // nil after a probe
			must(t, d.Write(t.Context(), func(tx *db.Tx) error { return add(tx, "b") }))
		})
	}
}

func migrated(t *testing.T, url string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	_, err = d.Migrate(t.Context())
	must(t, err)
	return d
}

// A failing statement is no failure of the database.
func TestPing_IgnoresARefusedStatement(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		for _, fn := range []func(tx *db.Tx) error{
			func(tx *db.Tx) error { _ = add(tx, "a"); return add(tx, "a") },
			func(tx *db.Tx) error { _, err := tx.Exec("nonsense"); return err },
			func(tx *db.Tx) error { _, err := tx.Exec("DELETE FROM nowhere"); return err },
			func(*db.Tx) error { return errRefused },
			func(tx *db.Tx) error { cancel(); return add(tx, "c") },
		} {
			if err := d.Write(ctx, fn); err == nil && ctx.Err() == nil {
				t.Error("the write succeeded, want an error")
			}
			must(t, d.Ping(t.Context()))
		}
	})
}
