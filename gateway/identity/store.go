package identity

import (
	"database/sql"
	"time"

	"example.com/griot/internal/db"
)

const pairColumns = `portfolio, id, number, source, learned_at, confirmed_at, withdrawn_at, reason`

func scanPair(scan db.Scan, p *Pair) error {
	return scan(&p.Portfolio, &p.ID, &p.Number, &p.Source, db.Time(&p.LearnedAt), db.Time(&p.ConfirmedAt), db.Time(&p.WithdrawnAt), &p.Reason)
}

// selectKnown returns the pairs with a number or with one of two IDs in a portfolio.
func selectKnown(q *db.Query, portfolio, number string, ids []string) ([]Pair, error) {
	return db.Select(q, scanPair, `SELECT `+pairColumns+` FROM whatsapp_ids WHERE portfolio = $1 AND (number = $2 OR id IN ($3, $4)) ORDER BY id, number`,
		portfolio, number, ids[0], ids[len(ids)-1])
}

// selectOfIDs returns the pairs of one or two IDs, and the other pairs of their numbers.
func selectOfIDs(q *db.Query, portfolio string, ids []string) ([]Pair, error) {
	return db.Select(q, scanPair, `SELECT `+pairColumns+` FROM whatsapp_ids WHERE portfolio = $1 AND (id IN ($2, $3)
 OR number IN (SELECT w.number FROM whatsapp_ids w WHERE w.portfolio = $1 AND w.id IN ($2, $3))) ORDER BY id, number`, portfolio, ids[0], ids[len(ids)-1])
}

func upsert(tx *db.Tx, p *Pair) error {
	_, err := tx.Exec(`INSERT INTO whatsapp_ids (`+pairColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
 ON CONFLICT (portfolio, id, number) DO UPDATE SET confirmed_at = excluded.confirmed_at, withdrawn_at = excluded.withdrawn_at, reason = excluded.reason`,
		p.Portfolio, p.ID, p.Number, string(p.Source), db.Ms(p.LearnedAt), db.Ms(p.ConfirmedAt), db.NullMs(p.WithdrawnAt), string(p.Reason))
	return err
}

// withdraw ends a pair. It returns false if it isn't in use.
func withdraw(tx *db.Tx, p *Pair) (bool, error) {
	n, err := tx.Exec(`UPDATE whatsapp_ids SET withdrawn_at = $4, reason = $5 WHERE portfolio = $1 AND id = $2 AND number = $3 AND withdrawn_at IS NULL`,
		p.Portfolio, p.ID, p.Number, db.Ms(p.WithdrawnAt), string(p.Reason))
	return n == 1, err
}

// lock reports whether a pair is in use. It writes the row, so that a concurrent withdrawal either waits for this
// transaction or has ended the pair before it.
func lock(tx *db.Tx, portfolio, id, number string) (bool, error) {
	n, err := tx.Exec(`UPDATE whatsapp_ids SET reason = reason WHERE portfolio = $1 AND id = $2 AND number = $3 AND withdrawn_at IS NULL`, portfolio, id, number)
	return n == 1, err
}

// deletePerson deletes the pairs of a number or an ID, those of their other halves, and so on: a remaining half of a
// contradiction would identify someone.
func deletePerson(tx *db.Tx, half string) error {
	_, err := tx.Exec(`WITH RECURSIVE halves (half) AS (
 SELECT CAST($1 AS TEXT) UNION SELECT CASE WHEN w.id = h.half THEN w.number ELSE w.id END FROM whatsapp_ids w JOIN halves h ON w.id = h.half OR w.number = h.half
) DELETE FROM whatsapp_ids WHERE id IN (SELECT half FROM halves) OR number IN (SELECT half FROM halves)`, half)
	return err
}

func deleteOld(tx *db.Tx, before time.Time, n int) (int64, error) {
	return tx.Exec(`DELETE FROM whatsapp_ids WHERE (portfolio, id, number) IN (SELECT portfolio, id, number FROM whatsapp_ids WHERE confirmed_at < $1 ORDER BY confirmed_at LIMIT CAST($2 AS BIGINT))`,
		db.Ms(before), n)
}

// listPairs returns the next n pairs after a position, in the order of portfolio, ID, and number.
func listPairs(q *db.Query, f *Filter, n int) (list []Pair, err error) {
	where, args := `(portfolio, id, number) > ($1, $2, $3)`, []any{f.After.Portfolio, f.After.ID, f.After.Number}
	if f.Half != "" {
		where, args = where+` AND (number = $4 OR id = $4)`, append(args, f.Half)
	}
	if f.Conflicts {
		where += ` AND withdrawn_at IS NULL AND EXISTS (SELECT 1 FROM whatsapp_ids o WHERE o.portfolio = whatsapp_ids.portfolio AND o.id = whatsapp_ids.id AND o.number <> whatsapp_ids.number AND o.withdrawn_at IS NULL)`
	}
	err = q.Page(n, func(rows *sql.Rows) error {
		var p Pair
		err := scanPair(rows.Scan, &p)
		list = append(list, p)
		return err
	}, `SELECT `+pairColumns+` FROM whatsapp_ids WHERE `+where+` ORDER BY portfolio, id, number`, args...)
	return list, err
}
