package person

import (
	"database/sql"

	"example.com/griot/internal/db"
)

// A pair is a WhatsApp ID and the number of the same person. An account that has seen both together joins them: the ID
// becomes an alias of the number. If the pair is withdrawn, for example because the number has another owner, the ID
// becomes a person of its own again.

// Join records in an account that a WhatsApp ID and a number belong to one person. The account's data under the ID
// then belongs to the number. An opt-out of either, even of an erased one, then applies to both. If the ID was joined
// with another number, it is first separated from it ([Separate]). Join reports whether it has changed anything. If
// both are joined already, it executes a single query. It does nothing for anything that is not an ID and a number.
func (k *Key) Join(tx *db.Tx, accountID, id, number string) (changed bool, err error) {
	if KindOf(id) != ID || KindOf(number) != Number {
		return false, nil
	}
	joined, err := Joined(&tx.Query, accountID, id, number)
	if err != nil || joined {
		return false, err
	}
	if _, err := separate(tx, accountID, id, Form(number)); err != nil {
		return false, err
	}
	if changed, err = Learn(tx, accountID, id, number); err != nil || !changed {
		return false, err
	}
	if _, err := tx.Exec(`UPDATE conversations SET phone = $3, contact_id = COALESCE(contact_id, $4) WHERE account_id = $1 AND person = `+Resolved("$1", "$2")+` AND phone = ''`,
		accountID, Form(number), Digits(number), id); err != nil {
		return false, err
	}
	return true, k.joinPseudonyms(tx, accountID, id, number)
}

// Joined reports whether an account has joined a WhatsApp ID with a number.
func Joined(q *db.Query, accountID, id, number string) (joined bool, err error) {
	var one int
	return q.Row(`SELECT 1 FROM person_aliases i WHERE i.account_id = $1 AND i.alias = $2 AND i.person = `+Resolved("$1", "$3"), accountID, id, Form(number)).Scan(&one)
}

// joinPseudonyms joins the pseudonyms of a pair if an opt-out is kept under one of them.
func (k *Key) joinPseudonyms(tx *db.Tx, accountID, id, number string) error {
	ofID, ofNumber := k.Pseudonym(accountID, id), k.Pseudonym(accountID, number)
	var one int
	found, err := tx.Row(`SELECT 1 FROM opt_outs WHERE account_id = $1 AND channel IN ('whatsapp', 'whatsapp_marketing') AND person IN (`+Resolved("$1", "$2")+`, `+Resolved("$1", "$3")+`) LIMIT 1`, accountID, ofID, ofNumber).Scan(&one)
	if err != nil || !found {
		return err
	}
	_, err = Learn(tx, accountID, ofID, ofNumber)
	return err
}

// Separate ends the pair of a WhatsApp ID and a number in an account. The opt-outs from WhatsApp and the counts of
// messages then apply to both. Messages stay with the number, and the ID's next message starts a conversation of its
// own. Separate reports whether the account had joined the ID.
func Separate(tx *db.Tx, accountID, id string) (separated bool, err error) {
	if KindOf(id) != ID {
		return false, nil
	}
	return separate(tx, accountID, id, "")
}

// separate is like [Separate], except for a pair with the number keep, which another transaction might just have joined.
func separate(tx *db.Tx, accountID, id, keep string) (separated bool, err error) {
	var number string
	separated, err = tx.Row(`DELETE FROM person_aliases WHERE account_id = $1 AND alias = $2 AND person <> `+Resolved("$1", "$3")+` RETURNING person`, accountID, id, keep).Scan(&number)
	if err != nil || !separated {
		return false, err
	}
	for _, text := range copies {
		if _, err := tx.Exec(text, accountID, id, number); err != nil {
			return false, err
		}
	}
	n, err := tx.Exec(`UPDATE conversations SET contact_id = NULL, username = NULL WHERE account_id = $1 AND person = $2 AND contact_id = $3`, accountID, number, id)
	if err == nil && n > 0 {
		_, err = tx.Exec(raiseRevision, accountID)
	}
	return true, err
}

// copies are the statements that give an account's ($1) ID ($2) what applies to the number ($3) from which it is
// separated. They lock rows in the order of acceptances.
var copies = []string{
	`INSERT INTO recipient_counts (account_id, recipient, day, used) SELECT account_id, $2, day, used FROM recipient_counts WHERE account_id = $1 AND recipient = $3 ON CONFLICT (account_id, recipient, day) DO NOTHING`,
	`INSERT INTO opt_outs (account_id, channel, person, address, reason, at) SELECT account_id, channel, $2, $2, reason, at FROM opt_outs WHERE account_id = $1 AND channel IN ('whatsapp', 'whatsapp_marketing') AND person = $3 ON CONFLICT (account_id, channel, person) DO NOTHING`,
	`INSERT INTO opt_out_keywords (account_id, channel, person, at) SELECT account_id, channel, $2, at FROM opt_out_keywords WHERE account_id = $1 AND channel IN ('whatsapp', 'whatsapp_marketing') AND person = $3 ON CONFLICT (account_id, channel, person) DO NOTHING`,
}

// SeparateAll ends the pair of a WhatsApp ID and a number in all accounts that have joined them. It reports whether one had.
func SeparateAll(tx *db.Tx, id, number string) (separated bool, err error) {
	var accountIDs []string
	if err := tx.Each(func(rows *sql.Rows) error {
		var accountID string
		err := rows.Scan(&accountID)
		accountIDs = append(accountIDs, accountID)
		return err
	}, `SELECT account_id FROM person_aliases WHERE alias = $1 ORDER BY account_id`, id); err != nil {
		return false, err
	}
	for _, accountID := range accountIDs {
		joined, err := Joined(&tx.Query, accountID, id, number)
		if err != nil {
			return false, err
		}
		if !joined {
			continue
		}
		if _, err := Separate(tx, accountID, id); err != nil {
			return false, err
		}
		separated = true
	}
	return separated, nil
}
