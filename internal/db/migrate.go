package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the schema up to date and returns the versions that it applied.
// Several nodes may call it at once on PostgreSQL: one works, the others wait.
//
// On SQLite it comes before the first Write, whose connection is the only one that writes.
//
// A schema that a newer program has migrated is refused with a [NewerError].
func (d *DB) Migrate(ctx context.Context) ([]int64, error) {
	if d.writes.Load() > 0 && d.engine == SQLite {
		return nil, errors.New("db: migrate before the first write")
	}
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	files := ofEngine{sub, d.engine}
	dialect, opts := goose.DialectSQLite3, []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if d.engine == Postgres {
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, err
		}
		dialect, opts = goose.DialectPostgres, append(opts, goose.WithSessionLocker(locker))
	}
	p, err := goose.NewProvider(dialect, d.writers, files, opts...)
	if err != nil {
		return nil, fmt.Errorf("db: migrations: %w", err)
	}
	if err := refuseNewer(ctx, p); err != nil {
		return nil, err
	}
	results, err := p.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("db: migrate: %w", err)
	}
	var applied []int64
	for _, r := range results {
		applied = append(applied, r.Source.Version)
	}
	if d.engine == Postgres {
		if err := d.tune(ctx); err != nil {
			return nil, err
		}
	}
	return applied, nil
}

// NewerError is why a database is not opened: a newer program has changed its schema.
type NewerError struct {
	Schema int64 // the database's
	Known  int64 // the newest that this program knows
}

// Error says what to do.
func (e *NewerError) Error() string {
	return fmt.Sprintf("db: the database's schema has the version %d, and this program knows those up to %d: a newer Griot has migrated it. Start that version, or restore a backup from before the upgrade", e.Schema, e.Known)
}

// MigrateOrNewer is [DB.Migrate], and takes a newer schema as it is: every schema is made so that the version before runs on it.
func (d *DB) MigrateOrNewer(ctx context.Context) error {
	_, err := d.Migrate(ctx)
	if _, newer := errors.AsType[*NewerError](err); newer {
		return nil
	}
	return err
}

// refuseNewer returns a [NewerError] where the schema is newer than the migrations of this program.
func refuseNewer(ctx context.Context, p *goose.Provider) error {
	schema, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("db: the schema's version: %w", err)
	}
	sources := p.ListSources()
	if known := sources[len(sources)-1].Version; schema > known {
		return &NewerError{Schema: schema, Known: known}
	}
	return nil
}

// ofEngine hides the migrations of the other engine: NNNNN_name.sqlite.sql and NNNNN_name.postgres.sql are for one of them.
type ofEngine struct {
	fs.FS

	engine Engine
}

// ReadDir lists the files of a folder but those of the other engine.
func (f ofEngine) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		parts := strings.Split(e.Name(), ".")
		return len(parts) == 3 && parts[1] != string(f.engine)
	}), err
}
