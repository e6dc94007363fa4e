package audit

import (
	"database/sql"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

// PersonPage reads the next n of an account's events by ID, and returns those whose target is a person. next is "" after the last.
func PersonPage(q *db.Query, p *person.Person, after string, n int) (list []*Event, next string, err error) {
	read := 0
	err = q.Page(n, func(rows *sql.Rows) error {
		e, err := scan(rows)
		if err != nil {
			return err
		}
		read, next = read+1, e.ID
		if p.Has(e.Target) {
			list = append(list, e)
		}
		return nil
	}, `SELECT `+columns+` FROM account_audit_events WHERE account_id = $1 AND id > $2 ORDER BY id`, p.AccountID, after)
	if read < n {
		next = ""
	}
	return list, next, err
}

// Erase replaces an event's target.
func Erase(tx *db.Tx, eventID, pseudonym string) error {
	_, err := tx.Exec(`UPDATE account_audit_events SET target = $1 WHERE id = $2`, pseudonym, eventID)
	return err
}
