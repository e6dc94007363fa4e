package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

const lockNotAvailable = "55P03"

// storage is the storage parameters of the tables whose rows change often. Free space in a page takes a row's new version
// beside the old one, where no indexed column changes; and vacuum removes old versions before they are a fifth of a table of
// millions. A table whose parameters an operator has set is left as it is.
var storage = []struct{ table, parameters string }{
	{"messages", "fillfactor = 80, " + oftenLarge},
	{"webhook_events", "fillfactor = 80, " + oftenLarge},
	{"inbox_messages", oftenLarge},
	{"conversations", "fillfactor = 80, " + oftenLarge},
	{"audit_events", oftenLarge},
	{"login_sessions", "fillfactor = 80, " + oftenLarge},
	{"quotas", "fillfactor = 50, " + oftenSmall},
	{"inbox_states", "fillfactor = 50, " + oftenSmall},
	{"recipient_counts", "fillfactor = 70, " + oftenSmall},
	{"sender_counts", "fillfactor = 50, " + oftenSmall},
	{"otp_rates", "fillfactor = 70, " + oftenSmall},
	{"otp_caps", "fillfactor = 50, " + oftenSmall},
	{"webhook_endpoints", "fillfactor = 50, " + oftenSmall},
	{"tenant_hook_endpoints", "fillfactor = 50, " + oftenSmall},
}

const (
	oftenLarge = "autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02"
	oftenSmall = "autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000"
)

// tune sets the storage parameters of tables that have none. It waits a little for a lock on a table that is being maintained;
// the next start tries again.
func (d *DB) tune(ctx context.Context) error {
	bare := map[string]bool{}
	err := d.Read(ctx).Each(func(rows *sql.Rows) error {
		var table string
		err := rows.Scan(&table)
		bare[table] = true
		return err
	}, `SELECT relname FROM pg_class WHERE oid = ANY (SELECT to_regclass(name) FROM unnest(string_to_array($1, ',')) AS name) AND reloptions IS NULL`, tablesOf())
	if err != nil {
		return err
	}
	for _, s := range storage {
		if !bare[s.table] {
			continue
		}
		err := d.Write(ctx, func(tx *Tx) error {
			if _, err := tx.Exec("SET LOCAL lock_timeout = '3s'"); err != nil {
				return err
			}
			_, err := tx.Exec("ALTER TABLE " + s.table + " SET (" + s.parameters + ")")
			return err
		})
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == lockNotAvailable {
			continue
		}
		if err != nil {
			return fmt.Errorf("db: storage of %s: %w", s.table, err)
		}
	}
	return nil
}

func tablesOf() (names string) {
	for _, s := range storage {
		names += "," + s.table
	}
	return names[1:]
}
