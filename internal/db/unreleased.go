package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"regexp"
	"strings"
)

// Until 0.2.0 is released, its schema is edited in place, so the version alone doesn't identify the schema of a
// database. A hash does. This file and the table schema_hash will be deleted with the release.

var sqlComment = regexp.MustCompile(`--.*`)

// schemaHash returns the hash of an engine's migrations, without comments and white space, so that changing a comment
// doesn't invalidate databases.
func schemaHash(engine Engine) (string, error) {
	files, err := ofEngine{migrations, engine}.ReadDir("migrations")
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, f := range files {
		text, err := fs.ReadFile(migrations, "migrations/"+f.Name())
		if err != nil {
			return "", err
		}
		for _, word := range strings.Fields(sqlComment.ReplaceAllString(string(text), "")) {
			hash.Write([]byte(word + " "))
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// checkHash returns a [SchemaError] if other migrations created the database.
func (d *DB) checkHash(ctx context.Context, version int64) error {
	hash, err := schemaHash(d.engine)
	if err != nil {
		return err
	}
	var others int64
	if _, err := d.Read(ctx).Row(`SELECT count(*) FROM schema_hash WHERE hash <> $1`, hash).Scan(&others); err != nil || others == 0 {
		return err
	}
	return &SchemaError{Schema: version, Known: version, text: "the database is of another unreleased version of Griot: start that version, or start this one with a new database"}
}

// storeHash stores the hash of the migrations if the database has none.
func (d *DB) storeHash(ctx context.Context) error {
	hash, err := schemaHash(d.engine)
	if err != nil {
		return err
	}
	_, err = d.writers.ExecContext(ctx, `INSERT INTO schema_hash (hash) SELECT CAST($1 AS TEXT) WHERE NOT EXISTS (SELECT 1 FROM schema_hash)`, hash)
	return wrap(err)
}
