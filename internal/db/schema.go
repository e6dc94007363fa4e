package db

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// firstSchema is the version of the first schema that later programs migrate: that of 0.2.0. Lower versions are those of 0.1.0 and of
// unreleased programs.
const firstSchema = 100

// SchemaError is returned for a database whose schema this program can't use. Restarting the program doesn't help.
type SchemaError struct {
	Schema int64 // the database's version
	Known  int64 // the newest version that this program knows
	Newer  bool  // a newer program has migrated the database, and [DB.MigrateOrNewer] accepts it

	text string
}

// Error returns a sentence with the reason that the schema can't be used, and the operator's options.
func (e *SchemaError) Error() string { return "db: " + e.text }

// CheckVersion returns a [SchemaError] for a schema version that this program can't use, such as that of a backup.
func CheckVersion(engine Engine, version int64) error {
	known, err := SchemaNeeded(engine)
	if err != nil {
		return err
	}
	e := &SchemaError{Schema: version, Known: known}
	switch {
	case version < firstSchema:
		e.text = "the database is of Griot 0.1.0 or of an unreleased version, which this program can't read: start this program with a new database"
	case version > known:
		e.Newer = true
		e.text = fmt.Sprintf("the database's schema has the version %d, and this program knows those up to %d: a newer Griot has migrated it. Start that version, or restore a backup from before the upgrade", version, known)
	default:
		return nil
	}
	return e
}

// CheckSchema returns a [SchemaError] for a database whose schema this program can't use. A database without a schema
// is fine, because Migrate creates it.
func (d *DB) CheckSchema(ctx context.Context) error {
	var has int64
	if _, err := d.Read(ctx).Row(schemaVersion).Scan(&has); err != nil || has == 0 {
		return err
	}
	err := CheckVersion(d.engine, has)
	if has < firstSchema {
		return err
	}
	if below := d.CheckFloor(ctx); below != nil {
		return below
	}
	if err != nil {
		return err
	}
	return d.checkHash(ctx, has)
}

// CheckFloor returns a [SchemaError] if a newer program has changed the database so that this program must no longer
// use it. The caller must then stop writing.
func (d *DB) CheckFloor(ctx context.Context) error {
	known, err := SchemaNeeded(d.engine)
	if err != nil {
		return err
	}
	var oldest int64
	if _, err := d.Read(ctx).Row(`SELECT COALESCE(MAX(oldest), 0) FROM schema_floor`).Scan(&oldest); err != nil || known >= oldest {
		return err
	}
	return &SchemaError{Schema: oldest, Known: known, text: fmt.Sprintf("the database can be used by programs of the schema version %d or later, and this program knows those up to %d: start the newer Griot, or restore a backup from before the upgrade", oldest, known)}
}

const schemaVersion = `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied`

// Schema returns the version of the database's schema and the version that this program needs. The database's version
// can be newer while another node is being upgraded.
func (d *DB) Schema(ctx context.Context) (has, needs int64, err error) {
	if needs, err = SchemaNeeded(d.engine); err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return has, needs, wrap(d.health.conn.QueryRowContext(ctx, schemaVersion).Scan(&has))
}

// SchemaNeeded returns the version to which [DB.Migrate] migrates a schema: the number of the last migration of an
// engine.
func SchemaNeeded(engine Engine) (newest int64, err error) {
	files, err := ofEngine{migrations, engine}.ReadDir("migrations")
	if err != nil {
		return 0, err
	}
	for _, f := range files {
		number, _, _ := strings.Cut(f.Name(), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("db: migration %s has no number", f.Name())
		}
		newest = max(newest, n)
	}
	return newest, nil
}
