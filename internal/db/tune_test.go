package db_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Tables whose rows change often have room for that on PostgreSQL, and are tidied early; what an operator has set stays.
func TestMigrate_HotTablesHaveRoom(t *testing.T) {
	d := dbtest.Postgres(t)
	options := func(table string) (all string) {
		t.Helper()
		if _, err := d.Read(t.Context()).Row(`SELECT COALESCE(array_to_string(reloptions, ' '), '') FROM pg_class WHERE oid = to_regclass($1)`, table).Scan(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	for table, want := range map[string][]string{
		"messages": {"fillfactor=80", "autovacuum_vacuum_scale_factor=0.02"}, "quotas": {"fillfactor=50", "autovacuum_vacuum_scale_factor=0"},
		"inbox_states": {"fillfactor=50"}, "webhook_events": {"fillfactor=80"}, "audit_events": {"autovacuum_vacuum_insert_scale_factor"}, "tenants": nil,
	} {
		got := options(table)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s has %q, want %s", table, got, w)
			}
		}
		if want == nil && got != "" {
			t.Errorf("%s has %q", table, got)
		}
	}
	must(t, d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`ALTER TABLE messages RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor, autovacuum_analyze_scale_factor), SET (fillfactor = 93)`)
		return err
	}))
	_, err := d.Migrate(t.Context())
	must(t, err)
	if got := options("messages"); got != "fillfactor=93" {
		t.Errorf("an operator's choice became %q", got)
	}
}
