package erasure

import (
	"database/sql"
	"fmt"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

const columns = `id, account_id, pseudonym, COALESCE(person, ''), step, position, messages, canceled, received, events, created_at, finished_at`

func scan(scan func(...any) error) (*Erasure, error) {
	e := &Erasure{}
	var created int64
	var finished sql.NullInt64
	err := scan(&e.ID, &e.AccountID, &e.Pseudonym, &e.sealed, &e.step, &e.position, &e.Messages, &e.Canceled, &e.Received, &e.Events, &created, &finished)
	e.CreatedAt, e.FinishedAt = db.At(created), db.AtNull(finished)
	return e, err
}

// insertErasure stores an erasure, unless one of the same person is in progress.
func insertErasure(tx *db.Tx, e *Erasure) (bool, error) {
	n, err := tx.Exec(`INSERT INTO person_erasures (id, account_id, pseudonym, person, step, position, messages, canceled, received, events, retry_at, created_at)
 VALUES ($1, $2, $3, $4, 0, '', 0, 0, 0, 0, 0, $5) ON CONFLICT DO NOTHING`, e.ID, e.AccountID, e.Pseudonym, e.sealed, db.Ms(e.CreatedAt))
	return n == 1, err
}

// find returns an erasure. If there is none, its account's data was erased in the meantime.
func find(q *db.Query, where string, args ...any) (*Erasure, error) {
	found := false
	e, err := scan(func(dest ...any) (err error) {
		found, err = q.Row(`SELECT `+columns+` FROM person_erasures WHERE `+where, args...).Scan(dest...)
		return err
	})
	if err == nil && !found {
		err = errNoAccount
	}
	return e, err
}

func findErasure(q *db.Query, accountID, id string) (*Erasure, error) {
	return find(q, `account_id = $1 AND id = $2`, accountID, id)
}

// findLatest returns the erasure of a person that is in progress, or otherwise one that has ended.
func findLatest(q *db.Query, p *person.Person) (*Erasure, error) {
	return find(q, `account_id = $1 AND pseudonym = $2 ORDER BY CASE WHEN finished_at IS NULL THEN 0 ELSE 1 END, id DESC LIMIT 1`, p.AccountID, p.Pseudonym)
}

func list(q *db.Query, n int, where string, args ...any) (out []*Erasure, err error) {
	err = q.Page(n, func(rows *sql.Rows) error {
		e, err := scan(rows.Scan)
		out = append(out, e)
		return err
	}, `SELECT `+columns+` FROM person_erasures WHERE `+where, args...)
	return out, err
}

func listErasures(q *db.Query, accountID string, n int) ([]*Erasure, error) {
	return list(q, n, `account_id = $1 ORDER BY id DESC`, accountID)
}

// listOpen lists erasures that no process works on.
func listOpen(q *db.Query, now time.Time) ([]*Erasure, error) {
	return list(q, maxListed, `finished_at IS NULL AND retry_at <= $1 ORDER BY account_id, pseudonym`, db.Ms(now))
}

// claim assigns an erasure to this process, unless another process holds it or it has changed, and reads its position.
func claim(tx *db.Tx, e *Erasure, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE person_erasures SET retry_at = $1 WHERE id = $2 AND finished_at IS NULL AND retry_at <= $3`, db.Ms(now.Add(leaseFor)), e.ID, db.Ms(now))
	if err != nil || n == 0 {
		return false, err
	}
	_, err = tx.Row(`SELECT step, position FROM person_erasures WHERE id = $1`, e.ID).Scan(&e.step, &e.position)
	return err == nil, err
}

func saveProgress(tx *db.Tx, e *Erasure, retryAt time.Time) error {
	var at int64
	if !retryAt.IsZero() {
		at = db.Ms(retryAt)
	}
	_, err := tx.Exec(`UPDATE person_erasures SET step = $1, position = $2, retry_at = $3 WHERE id = $4 AND finished_at IS NULL`, e.step, e.position, at, e.ID)
	return err
}

// counts are the results of a piece of work.
type counts struct{ messages, canceled, received, events int64 }

// addCounts adds counts in the transaction of the work, so that they are added exactly once.
func addCounts(tx *db.Tx, e *Erasure, n counts) error {
	_, err := tx.Exec(`UPDATE person_erasures SET messages = messages + $1, canceled = canceled + $2, received = received + $3, events = events + $4 WHERE id = $5`, n.messages, n.canceled, n.received, n.events, e.ID)
	return err
}

// finish ends an erasure, deletes the person's address, and reads the counts.
func finish(tx *db.Tx, e *Erasure, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE person_erasures SET finished_at = $1, person = NULL, position = '' WHERE id = $2 AND finished_at IS NULL`, db.Ms(now), e.ID)
	if err != nil || n == 0 {
		return false, err
	}
	_, err = tx.Row(`SELECT messages, canceled, received, events FROM person_erasures WHERE id = $1`, e.ID).Scan(&e.Messages, &e.Canceled, &e.Received, &e.Events)
	return true, err
}

// deleteFinished deletes some of an account's erasures that ended before a time.
func deleteFinished(tx *db.Tx, accountID string, before time.Time) error {
	_, err := tx.Exec(fmt.Sprintf(`DELETE FROM person_erasures WHERE id IN (SELECT id FROM person_erasures WHERE account_id = $1 AND finished_at < $2 ORDER BY id LIMIT %d)`, maxListed), accountID, db.Ms(before))
	return err
}
