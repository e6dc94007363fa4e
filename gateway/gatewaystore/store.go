package gatewaystore

import (
	"context"
	"database/sql"
	"time"

	"example.com/griot/internal/db"
)

// stored is a gateway in the database.
type stored struct {
	name, kind string
	settings   string // sealed
	revision   string
	created    time.Time
}

const columns = `name, kind, settings, revision, created_at`

func scan(scan func(...any) error) (*stored, error) {
	g, created := &stored{}, int64(0)
	err := scan(&g.name, &g.kind, &g.settings, &g.revision, &created)
	g.created = db.At(created)
	return g, err
}

// Names returns the names of the gateways that a database has.
func Names(ctx context.Context, d *db.DB) (names []string, err error) {
	err = d.Read(ctx).Each(func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, `SELECT name FROM gateways ORDER BY name`)
	return names, err
}

func list(q *db.Query) (out []*stored, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		g, err := scan(rows.Scan)
		out = append(out, g)
		return err
	}, `SELECT `+columns+` FROM gateways ORDER BY name`)
	return out, err
}

// find returns a stored gateway, or nil.
func find(q *db.Query, name string) (*stored, error) {
	found := false
	g, err := scan(func(dest ...any) (err error) {
		found, err = q.Row(`SELECT `+columns+` FROM gateways WHERE name = $1`, name).Scan(dest...)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	return g, nil
}

// insert stores a gateway, unless its name is taken.
func insert(tx *db.Tx, g *stored) (inserted bool, err error) {
	n, err := tx.Exec(`INSERT INTO gateways (name, kind, settings, revision, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO NOTHING`,
		g.name, g.kind, g.settings, g.revision, db.Ms(g.created))
	return n == 1, err
}

// update replaces the settings of a gateway that is still of a kind.
func update(tx *db.Tx, name, kind, settings, revision string) (found bool, err error) {
	n, err := tx.Exec(`UPDATE gateways SET settings = $1, revision = $2 WHERE name = $3 AND kind = $4`, settings, revision, name, kind)
	return n == 1, err
}

// lockRow locks a stored gateway's row by an update without a change. Without it two transactions
// on PostgreSQL would not see each other's rows.
func lockRow(tx *db.Tx, name string) (found bool, err error) {
	n, err := tx.Exec(`UPDATE gateways SET revision = revision WHERE name = $1`, name)
	return n == 1, err
}

func remove(tx *db.Tx, name string) (found bool, err error) {
	n, err := tx.Exec(`DELETE FROM gateways WHERE name = $1`, name)
	return n == 1, err
}
