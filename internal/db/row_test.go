package db_test

import (
	"database/sql"
	"errors"
	"reflect"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// The writer of SQLite reads rows without database/sql, with the same results.
func TestRow_IsReadAlikeByReadersAndWriters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`CREATE TABLE kinds (id TEXT NOT NULL PRIMARY KEY, words TEXT, none TEXT, n BIGINT NOT NULL, no_n BIGINT, yes BIGINT NOT NULL)`)
			if err == nil {
				_, err = tx.Exec(`INSERT INTO kinds (id, words, n, yes) VALUES ($1, $2, $3, 1)`, "a", "12", 7)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		read := d.Read(t.Context())
		for _, c := range []struct {
			columns string
			dest    func() []any
		}{
			{`words, n, n, yes`, func() []any { return []any{new(string), new(int64), new(int), new(bool)} }},
			{`words, none, n, no_n`, func() []any {
				return []any{new(sql.NullString), new(sql.NullString), new(sql.NullInt64), new(sql.NullInt64)}
			}},
			{`words, n`, func() []any { return []any{new(int), new(string)} }},
			{`n`, func() []any { return []any{new(float64)} }},
			{`none`, func() []any { return []any{new(string)} }},
			{`id`, func() []any { return []any{new(int64)} }},
			{`n`, func() []any { return []any{new(bool)} }},
			{`id, n`, func() []any { return []any{new(string)} }},
		} {
			for id, there := range map[string]bool{"a": true, "nobody": false} {
				text := `SELECT ` + c.columns + ` FROM kinds WHERE id = $1`
				want, got := c.dest(), c.dest()
				wantFound, wantErr := read.Row(text, id).Scan(want...)
				var found bool
				err := d.Write(t.Context(), func(tx *db.Tx) (err error) {
					found, err = tx.Row(text, id).Scan(got...)
					return err
				})
				if (err == nil) != (wantErr == nil) {
					t.Errorf("%s of %s: %v, a reader: %v", c.columns, id, err, wantErr)
				}
				if err == nil && wantErr == nil && (found != wantFound || found != there || !reflect.DeepEqual(got, want)) {
					t.Errorf("%s of %s: %t %v, a reader: %t %v", c.columns, id, found, got, wantFound, want)
				}
				if err != nil {
					if _, ok := errors.AsType[*db.Error](err); !ok {
						t.Errorf("%s: %v", c.columns, err)
					}
				}
			}
		}
	})
}
