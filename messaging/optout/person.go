package optout

import (
	"database/sql"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/person"
)

// OfPerson returns a person's opt-outs, by channel.
func OfPerson(q *db.Query, p *person.Person) (out []*OptOut, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		o, at := &OptOut{}, int64(0)
		err := rows.Scan(&o.Channel, &o.Address, &o.Reason, &at)
		o.At = db.At(at)
		out = append(out, o)
		return err
	}, `SELECT channel, address, reason, at FROM opt_outs WHERE account_id = $1 AND channel IN ('whatsapp', 'whatsapp_marketing', 'sms', 'email') AND person = $2 ORDER BY channel`, p.AccountID, p.Forms[0])
	return out, err
}

// ErasePerson replaces a person's address in their opt-outs, which stay in effect, and in the times of their
// keywords. It reports whether there were any opt-outs.
func ErasePerson(tx *db.Tx, p *person.Person) (bool, error) {
	list, err := OfPerson(&tx.Query, p)
	if err != nil {
		return false, err
	}
	for _, o := range list {
		if _, err := Add(tx, p.AccountID, o.Channel, p.Pseudonym, o.Reason, o.At); err != nil {
			return false, err
		}
		if _, err := Remove(tx, p.AccountID, o.Channel, o.Address); err != nil {
			return false, err
		}
	}
	_, err = tx.Exec(`DELETE FROM opt_out_keywords WHERE account_id = $1 AND person = $2`, p.AccountID, p.Forms[0])
	return len(list) > 0, err
}
