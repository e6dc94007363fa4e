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
// A database whose schema this program can't use is refused with a [SchemaError].
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
	if _, err := p.GetDBVersion(ctx); err != nil { // it makes the table of versions
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

// MigrateOrNewer is [DB.Migrate], and takes a newer schema as it is: every schema is made so that the version before runs on it,
// unless its floor is higher.
func (d *DB) MigrateOrNewer(ctx context.Context) error {
	_, err := d.Migrate(ctx)
	if refused, ok := errors.AsType[*SchemaError](err); ok && refused.Newer {
		return nil
	}
	return err
}

// A node looks every migrateWait seconds whether another one has ended its migrations, for migrateWaitTotal seconds.
const (
	migrateWait      = 5
	migrateWaitTotal = 300
)

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
