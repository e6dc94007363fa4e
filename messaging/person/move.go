package person

import (
	"cmp"

	"example.com/griot/internal/db"
)

// A Move is a report that a person has another number, or another WhatsApp ID.
type Move struct {
	OldNumber, OldID string // before; either can be empty
	Number, ID       string // after; either can be empty
	Username         string // without @; empty: unknown
	At               int64  // the time of the change, in Unix milliseconds
}

// Move continues an account's data about a person under the new number or, if it is unknown, under the new ID. The
// conversation moves, and joins that of the new address if there is one. The opt-outs and the counts of messages then
// apply to both addresses, because the old number can get another owner, whom nothing else concerns: it never becomes
// an alias of the new one. What is later than the change stays with the old number for the same reason. Move reports
// whether a conversation has moved or an opt-out is new. It does nothing for anything that is not a number or an ID.
func (k *Key) Move(tx *db.Tx, accountID string, m *Move) (moved bool, err error) {
	address := cmp.Or(m.Number, m.ID)
	if KindOf(m.OldID) == ID && m.OldID != m.ID {
		defer func() {
			if err == nil {
				_, err = Separate(tx, accountID, m.OldID)
			}
		}()
	}
	for _, old := range []string{m.OldNumber, m.OldID} {
		if kind, to := KindOf(old), KindOf(address); kind != Number && kind != ID || to != Number && to != ID {
			continue
		}
		from, err := Find(&tx.Query, accountID, old)
		if err != nil {
			return false, err
		}
		to, err := Find(&tx.Query, accountID, address)
		if err != nil {
			return false, err
		}
		for _, pair := range [][2]string{{from, to}, {k.Pseudonym(accountID, old), k.Pseudonym(accountID, address)}} {
			changed, err := m.move(tx, accountID, pair[0], pair[1])
			if err != nil {
				return false, err
			}
			moved = moved || changed
		}
	}
	if moved {
		_, err = k.Join(tx, accountID, m.ID, m.Number)
	}
	return moved, err
}

// move moves and copies the data of one form to another.
func (m *Move) move(tx *db.Tx, accountID, from, to string) (moved bool, err error) {
	if from == to {
		return false, nil
	}
	if _, err := tx.Exec(`INSERT INTO recipient_counts (account_id, recipient, day, used) SELECT account_id, $2, day, used FROM recipient_counts WHERE account_id = $1 AND recipient = $3
 ON CONFLICT (account_id, recipient, day) DO UPDATE SET used = CASE WHEN excluded.used > recipient_counts.used THEN excluded.used ELSE recipient_counts.used END`, accountID, to, from); err != nil {
		return false, err
	}
	if moved, err = m.moveConversation(tx, accountID, from, to); err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO opt_outs (account_id, channel, person, address, reason, at) SELECT o.account_id, o.channel, $2, $2, o.reason, o.at FROM opt_outs o WHERE o.account_id = $1 AND o.person = $3 AND o.at <= $4
 AND NOT EXISTS (SELECT 1 FROM opt_out_keywords w WHERE w.account_id = $1 AND w.channel = o.channel AND w.person = $2 AND w.at > $4) ON CONFLICT (account_id, channel, person) DO NOTHING`, accountID, to, from, m.At)
	if err != nil {
		return false, err
	}
	_, err = tx.Exec(`INSERT INTO opt_out_keywords (account_id, channel, person, at) SELECT account_id, channel, $2, at FROM opt_out_keywords WHERE account_id = $1 AND person = $3 AND at <= $4
 ON CONFLICT (account_id, channel, person) DO NOTHING`, accountID, to, from, m.At)
	return moved || n > 0, err
}

// moveConversation moves the conversation with a form, unless its contact has written after the change.
func (m *Move) moveConversation(tx *db.Tx, accountID, from, to string) (moved bool, err error) {
	if _, found, err := m.movable(&tx.Query, accountID, from); err != nil || !found {
		return false, err
	}
	if _, err := tx.Exec(raiseRevision, accountID); err != nil {
		return false, err
	}
	c, found, err := m.movable(&tx.Query, accountID, from) // again, with the inbox locked
	if err != nil || !found {
		return false, err
	}
	if _, err := tx.Exec(`UPDATE inbox_messages SET from_address = $2 WHERE conversation_id = $1 AND direction = 'in'`, c.id, cmp.Or(m.Number, m.ID)); err != nil {
		return false, err
	}
	if _, err := tx.Exec(`UPDATE conversations SET phone = '', contact_id = NULL WHERE id = $1`, c.id); err != nil {
		return false, err
	}
	if err := joinConversations(tx, accountID, from, to); err != nil {
		return false, err
	}
	number := m.Number
	if number == "" && KindOf(to) == Number {
		number = to
	}
	_, err = tx.Exec(`UPDATE conversations SET phone = $3, contact_id = COALESCE($4, contact_id), username = COALESCE($5, username) WHERE account_id = $1 AND person = $2`,
		accountID, to, Digits(number), db.Null(m.ID), db.Null(m.Username))
	return true, err
}

// movable returns the conversation with a form if its contact has not written after the change.
func (m *Move) movable(q *db.Query, accountID, from string) (c conversation, found bool, err error) {
	if c, found, err = conversationOf(q, accountID, from); err != nil || !found {
		return c, false, err
	}
	var one int
	later, err := q.Row(`SELECT 1 FROM inbox_messages WHERE conversation_id = $1 AND direction = 'in' AND at > $2 LIMIT 1`, c.id, m.At).Scan(&one)
	return c, !later, err
}
