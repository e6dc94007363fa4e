package db

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Schema returns the version of the database's schema, and the one that this program needs. The database may be newer, while
// another node is being upgraded.
func (d *DB) Schema(ctx context.Context) (has, needs int64, err error) {
	if needs, err = SchemaNeeded(d.engine); err != nil {
		return 0, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return has, needs, wrap(d.health.conn.QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&has))
}

// SchemaNeeded returns the version that [DB.Migrate] brings a schema to: the number of the last migration of an engine.
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
