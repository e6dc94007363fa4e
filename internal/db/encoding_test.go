package db_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Open and Inspect name the encoding of a database that can't store every text, and the way to a database that can.
func TestOpen_NeedsUTF8(t *testing.T) {
	for _, encoding := range []string{"SQL_ASCII", "LATIN1", "WIN1252", "EUC_JP"} {
		url := dbtest.PostgresIn(t, encoding)
		for name, open := range map[string]func(context.Context, string) (*db.DB, error){"Open": db.Open, "Inspect": db.Inspect} {
			_, err := open(t.Context(), url)
			wrong, ok := errors.AsType[*db.EncodingError](err)
			if !ok || wrong.Encoding != encoding || !strings.Contains(err.Error(), encoding) || !strings.Contains(err.Error(), "ENCODING 'UTF8'") {
				t.Errorf("%s of %s: %v, want an error with the encoding and the statement", name, encoding, err)
			}
		}
	}
}

// A session uses UTF-8 whatever the database's or the role's default is.
func TestOpen_IgnoresTheClientEncoding(t *testing.T) {
	url := dbtest.PostgresURL(t)
	d := opened(t, url)
	must(t, d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET client_encoding = ''LATIN1''', current_database()); END $$`)
		return err
	}))
	must(t, d.Close())
	for name, open := range map[string]func(context.Context, string) (*db.DB, error){"Open": db.Open, "Inspect": db.Inspect} {
		d, err := open(t.Context(), url)
		must(t, err)
		var text string
		if _, err := d.Read(t.Context()).Row(`SELECT 'ɔ' || CAST($1 AS TEXT)`, "ŋ").Scan(&text); err != nil || text != "ɔŋ" {
			t.Errorf("%s: %q, %v, want ɔŋ", name, text, err)
		}
		must(t, d.Close())
	}
}
