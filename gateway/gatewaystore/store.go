package gatewaystore

import (
	"context"
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

func read(scan db.Scan, g *stored) error {
	return scan(&g.name, &g.kind, &g.settings, &g.revision, db.Time(&g.created))
}

// Names returns the names of the gateways in a database.
func Names(ctx context.Context, d *db.DB) ([]string, error) {
	return db.Select(d.Read(ctx), func(scan db.Scan, name *string) error { return scan(name) }, `SELECT name FROM gateways ORDER BY name`)
}

func list(q *db.Query) ([]stored, error) {
	return db.Select(q, read, `SELECT `+columns+` FROM gateways ORDER BY name`)
}

// find returns a stored gateway, or nil.
func find(q *db.Query, name string) (*stored, error) {
	return db.First(q, read, `SELECT `+columns+` FROM gateways WHERE name = $1`, name)
}

// insert stores a gateway, unless its name is taken.
func insert(tx *db.Tx, g *stored) (inserted bool, err error) {
	n, err := tx.Exec(`INSERT INTO gateways (name, kind, settings, revision, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO NOTHING`,
		g.name, g.kind, g.settings, g.revision, db.Ms(g.created))
	return n == 1, err
}

// update replaces the settings of a gateway if it still has the given kind.
func update(tx *db.Tx, name, kind, settings, revision string) (found bool, err error) {
	n, err := tx.Exec(`UPDATE gateways SET settings = $1, revision = $2 WHERE name = $3 AND kind = $4`, settings, revision, name, kind)
	return n == 1, err
}

// lockRow locks a stored gateway's row with an update that changes nothing. Otherwise, two transactions on PostgreSQL
// would not see each other's rows.
func lockRow(tx *db.Tx, name string) (found bool, err error) {
	n, err := tx.Exec(`UPDATE gateways SET revision = revision WHERE name = $1`, name)
	return n == 1, err
}

func remove(tx *db.Tx, name string) (found bool, err error) {
	n, err := tx.Exec(`DELETE FROM gateways WHERE name = $1`, name)
	return n == 1, err
}
