package masterkey

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"example.com/griot/internal/db"
)

// State is the sealing key and the progress of the latest rotation.
type State struct {
	First, Previous, Sealing    string // names of keys
	Pass                        int64  // 0 before the first rotation
	Found, Resealed, Unreadable int64
	StartedAt, FinishedAt       time.Time // FinishedAt is zero while a rotation is in progress
}

// find returns the state, or nil for a database that no server has used yet.
func find(q *db.Query) (*State, error) {
	s := &State{}
	var started int64
	var finished sql.NullInt64
	found, err := q.Row(`SELECT first, previous, sealing, pass, found, resealed, unreadable, started_at, finished_at FROM master_keys WHERE id = 1`).
		Scan(&s.First, &s.Previous, &s.Sealing, &s.Pass, &s.Found, &s.Resealed, &s.Unreadable, &started, &finished)
	if err != nil || !found {
		return nil, err
	}
	s.StartedAt, s.FinishedAt = db.At(started), db.AtNull(finished)
	return s, nil
}

// SealingOf returns the name of the key that seals a SQLite file that no one writes to; empty if it is not stored.
func SealingOf(ctx context.Context, path string) (name string, err error) {
	err = db.ReadFile(ctx, path, `SELECT COALESCE(max(sealing), '') FROM master_keys`, &name)
	return name, err
}

// insertFirst stores the name of a deployment's first key, unless one is stored.
func insertFirst(tx *db.Tx, name string, now time.Time) error {
	_, err := tx.Exec(`INSERT INTO master_keys (id, first, previous, sealing, pass, found, resealed, unreadable, started_at, finished_at) VALUES (1, $1, $1, $1, 0, 0, 0, 0, $2, $2)
 ON CONFLICT (id) DO NOTHING`, name, db.Ms(now))
	return err
}

// insert starts a rotation from a key to another. It returns false if another process has started one since.
func insert(tx *db.Tx, from, to, first string, now time.Time) (begun bool, err error) {
	n, err := tx.Exec(`INSERT INTO master_keys (id, first, previous, sealing, pass, found, resealed, unreadable, started_at) VALUES (1, $1, $2, $3, 1, 0, 0, 0, $4)
 ON CONFLICT (id) DO UPDATE SET previous = excluded.previous, sealing = excluded.sealing, pass = master_keys.pass + 1, found = 0, resealed = 0, unreadable = 0, started_at = excluded.started_at, finished_at = NULL
 WHERE master_keys.sealing = $2 AND master_keys.finished_at IS NOT NULL`, first, from, to, db.Ms(now))
	return n == 1, err
}

// again starts another walk, after one that has found something or to check once more. It returns false if another
// process has ended the walk before.
func again(tx *db.Tx, pass int64) (begun bool, err error) {
	n, err := tx.Exec(`UPDATE master_keys SET pass = pass + 1, found = 0, unreadable = 0, finished_at = NULL WHERE id = 1 AND pass = $1`, pass)
	if err != nil || n == 0 {
		return false, err
	}
	_, err = tx.Exec(`DELETE FROM master_key_steps WHERE pass <= $1`, pass)
	return true, err
}

func finish(tx *db.Tx, pass int64, now time.Time) error {
	_, err := tx.Exec(`UPDATE master_keys SET finished_at = $2 WHERE id = 1 AND pass = $1`, pass, db.Ms(now))
	return err
}

// findStep returns the position of a walk within a place.
func findStep(q *db.Query, place string, pass int64) (position string, done bool, err error) {
	_, err = q.Row(`SELECT position, done FROM master_key_steps WHERE place = $1 AND pass = $2`, place, pass).Scan(&position, &done)
	return position, done, err
}

// putStep stores the position of a walk, unless another process has continued it since.
func putStep(tx *db.Tx, place string, pass int64, from, to string, done bool) (mine bool, err error) {
	flag := 0
	if done {
		flag = 1
	}
	n, err := tx.Exec(`INSERT INTO master_key_steps (place, pass, position, done) VALUES ($1, $2, $3, $4)
 ON CONFLICT (place, pass) DO UPDATE SET position = excluded.position, done = excluded.done WHERE master_key_steps.position = $5 AND master_key_steps.done = 0`, place, pass, to, flag, from)
	return n == 1, err
}

func count(tx *db.Tx, pass, resealed, unreadable int64) error {
	_, err := tx.Exec(`UPDATE master_keys SET found = found + $2, resealed = resealed + $2, unreadable = unreadable + $3 WHERE id = 1 AND pass = $1`, pass, resealed, unreadable)
	return err
}

func secrets(q *db.Query) (map[string]string, error) {
	out := map[string]string{}
	err := q.Each(func(rows *sql.Rows) error {
		var purpose, sealed string
		err := rows.Scan(&purpose, &sealed)
		out[purpose] = sealed
		return err
	}, `SELECT purpose, sealed FROM master_key_secrets`)
	return out, err
}

func putSecret(tx *db.Tx, purpose, sealed string) error {
	_, err := tx.Exec(`INSERT INTO master_key_secrets (purpose, sealed) VALUES ($1, $2) ON CONFLICT (purpose) DO NOTHING`, purpose, sealed)
	return err
}

// clockMs is the SQL expression for PostgreSQL's time at the statement.
const clockMs = `CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`

const (
	seenWithin  = 15 * time.Second // a process that was not seen for longer counts as ended
	keepHolders = time.Hour
)

// putHolder registers a process and its keys (PostgreSQL).
func putHolder(tx *db.Tx, id string, names []string, sealing string) error {
	if _, err := tx.Exec(`INSERT INTO master_key_holders (id, names, sealing, seen_at) VALUES ($1, $2, $3, `+clockMs+`)
 ON CONFLICT (id) DO UPDATE SET names = excluded.names, sealing = excluded.sealing, seen_at = excluded.seen_at`, id, strings.Join(names, " "), sealing); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM master_key_holders WHERE seen_at < `+clockMs+` - $1`, keepHolders.Milliseconds())
	return err
}

func removeHolder(tx *db.Tx, id string) error {
	_, err := tx.Exec(`DELETE FROM master_key_holders WHERE id = $1`, id)
	return err
}

// behind counts the registered processes (PostgreSQL): those without the key of that name, and those that do not seal
// with it.
func behind(q *db.Query, name string) (without, others int, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var names, sealing string
		err := rows.Scan(&names, &sealing)
		if !strings.Contains(" "+names+" ", " "+name+" ") {
			without++
		}
		if sealing != name {
			others++
		}
		return err
	}, `SELECT names, sealing FROM master_key_holders WHERE seen_at >= `+clockMs+` - $1`, seenWithin.Milliseconds())
	return without, others, err
}
