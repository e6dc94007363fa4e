package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

// bareBody has the length of the content of a message's row.
var bareBody = strings.Repeat("griot ", 50)

// row is the row of a bare commit.
type row struct {
	id, body string
	at       time.Time
}

func newRow(body string) *row {
	now := time.Now()
	return &row{id.New(now), body, now}
}

// openRows opens a database with Griot's settings, and a table with an index.
func openRows(ctx context.Context, url string) (*db.DB, error) {
	d, err := db.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	err = d.Write(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(`CREATE TABLE bare_rows (id TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL, at BIGINT NOT NULL)`); err != nil {
			return err
		}
		_, err := tx.Exec(`CREATE INDEX bare_rows_account ON bare_rows (account, id)`)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// statements are the functions that write a batch on an engine. On SQLite, where a statement needs no round trip,
// they use one statement per row.
type statements struct{ insert, update func(*db.Tx, []*row) error }

func statementsOf(engine db.Engine) statements {
	if engine == db.Postgres {
		return statements{insertTogether, updateTogether}
	}
	return statements{eachOf((*row).insert), eachOf((*row).update)}
}

func eachOf(write func(*row, *db.Tx) error) func(*db.Tx, []*row) error {
	return func(tx *db.Tx, rows []*row) error {
		for _, r := range rows {
			if err := write(r, tx); err != nil {
				return err
			}
		}
		return nil
	}
}

func (r *row) insert(tx *db.Tx) error {
	_, err := tx.Exec(`INSERT INTO bare_rows (id, account, status, body, at) VALUES ($1, 'account', 'QUEUED', $2, $3)`, r.id, r.body, r.at.UnixMilli())
	return err
}

func (r *row) update(tx *db.Tx) error {
	_, err := tx.Exec(`UPDATE bare_rows SET status = 'SENT', at = at + 1 WHERE id = $1`, r.id)
	return err
}

func insertTogether(tx *db.Tx, rows []*row) error {
	ids, bodies, times := make([]string, len(rows)), make([]string, len(rows)), make([]int64, len(rows))
	for i, r := range rows {
		ids[i], bodies[i], times[i] = r.id, r.body, r.at.UnixMilli()
	}
	_, err := tx.Exec(`INSERT INTO bare_rows (id, account, status, body, at) SELECT id, 'account', 'QUEUED', body, at FROM unnest($1::text[], $2::text[], $3::bigint[]) AS v (id, body, at)`, ids, bodies, times)
	return err
}

func updateTogether(tx *db.Tx, rows []*row) error {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.id
	}
	_, err := tx.Exec(`UPDATE bare_rows b SET status = 'SENT', at = at + 1 FROM unnest($1::text[]) AS v (id) WHERE b.id = v.id`, ids)
	return err
}
