package db_test

import (
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

func TestSchema_IsTheNewestAfterAMigration(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		has, needs, err := d.Schema(t.Context())
		if err != nil || has != needs || has == 0 {
			t.Errorf("schema %d, needs %d, %v", has, needs, err)
		}
		must(t, d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`DELETE FROM goose_db_version WHERE version_id = $1`, needs)
			return err
		}))
		if has, _, err := d.Schema(t.Context()); err != nil || has >= needs {
			t.Errorf("without the last migration: schema %d, needs %d, %v", has, needs, err)
		}
	})
}
