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

// Migrate brings the schema up to date and returns the versions that it applied. Several
// nodes can call it at the same time on PostgreSQL: one applies the migrations, and the
// others wait.
//
// On SQLite, it must be called before the first Write, whose connection is the only one
// that writes.
//
// It returns a [SchemaError] if this program can't use the schema of the database.
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
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(d.migrateWait, migrateWaitTotal/d.migrateWait))
		if err != nil {
			return nil, err
		}
		dialect, opts = goose.DialectPostgres, append(opts, goose.WithSessionLocker(locker))
	}
	p, err := goose.NewProvider(dialect, d.writers, files, opts...)
	if err != nil {
		return nil, fmt.Errorf("db: migrations: %w", err)
	}
	if _, err := p.GetDBVersion(ctx); err != nil { // it creates the table of versions
		return nil, fmt.Errorf("db: the schema's version: %w", err)
	}
	if err := d.CheckSchema(ctx); err != nil {
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
	return applied, d.storeHash(ctx)
}

// MigrateOrNewer migrates like [DB.Migrate], but accepts a newer schema. The previous version can use every schema,
// unless the schema's floor is higher.
func (d *DB) MigrateOrNewer(ctx context.Context) error {
	_, err := d.Migrate(ctx)
	if refused, ok := errors.AsType[*SchemaError](err); ok && refused.Newer {
		return nil
	}
	return err
}

// A node checks every migrateWait seconds, for up to migrateWaitTotal seconds, whether another node has finished its
// migrations.
const (
	migrateWait      = 5
	migrateWaitTotal = 300
)

// ofEngine hides the migrations of the other engine: NNNNN_name.sqlite.sql and NNNNN_name.postgres.sql are each for one
// engine.
type ofEngine struct {
	fs.FS

	engine Engine
}

// ReadDir lists the files of a directory without those of the other engine.
func (f ofEngine) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		parts := strings.Split(e.Name(), ".")
		return len(parts) == 3 && parts[1] != string(f.engine)
	}), err
}
