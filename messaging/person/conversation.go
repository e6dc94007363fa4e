package person

import (
	"database/sql"

	"example.com/griot/internal/db"
)

// raiseRevision counts a visible change of an account's inbox, and locks the inbox until the end of the transaction.
const raiseRevision = `INSERT INTO inbox_states (account_id, revision, unread) VALUES ($1, 1, 0) ON CONFLICT (account_id) DO UPDATE SET revision = inbox_states.revision + 1`

// A conversation is the part of a row of conversations that two joined conversations need.
type conversation struct {
	id, sender, preview           string
	name, contactID, username     sql.NullString
	lastAt, lastOut, unread, read int64
}

func conversationOf(q *db.Query, accountID, person string) (c conversation, found bool, err error) {
	found, err = q.Row(`SELECT id, sender_id, last_preview, name, contact_id, username, last_at, last_out, unread, read_to FROM conversations WHERE account_id = $1 AND person = $2`, accountID, person).
		Scan(&c.id, &c.sender, &c.preview, &c.name, &c.contactID, &c.username, &c.lastAt, &c.lastOut, &c.unread, &c.read)
	return c, found, err
}

// joinConversations assigns the conversation with an alias to its person. If the person has a conversation, the
// messages move there, and the alias's conversation ends.
func joinConversations(tx *db.Tx, accountID, alias, person string) error {
	if _, found, err := conversationOf(&tx.Query, accountID, alias); err != nil || !found {
		return err
	}
	if _, err := tx.Exec(raiseRevision, accountID); err != nil {
		return err
	}
	from, found, err := conversationOf(&tx.Query, accountID, alias) // again, with the inbox locked
	if err != nil || !found {
		return err
	}
	to, both, err := conversationOf(&tx.Query, accountID, person)
	if err != nil {
		return err
	}
	if !both {
		_, err = tx.Exec(`UPDATE conversations SET person = $2 WHERE id = $1`, from.id, person)
		return err
	}
	return to.absorb(tx, accountID, &from)
}

// absorb moves the messages of a conversation into c, and deletes the conversation. If either has unread messages, c
// is read up to the earlier of both positions, so that no unread message counts as read; read ones can then count as
// unread again.
func (c *conversation) absorb(tx *db.Tx, accountID string, from *conversation) error {
	if _, err := tx.Exec(`UPDATE inbox_messages SET conversation_id = $2 WHERE conversation_id = $1`, from.id, c.id); err != nil {
		return err
	}
	if _, err := tx.Exec(`DELETE FROM conversations WHERE id = $1`, from.id); err != nil {
		return err
	}
	before := c.unread + from.unread
	read := max(c.read, from.read)
	if before > 0 {
		read = min(c.read, from.read)
	}
	newer, older := c, from
	if from.lastAt > c.lastAt {
		newer, older = from, c
	}
	name, username := newer.name, newer.username
	if !name.Valid {
		name = older.name
	}
	contactID := from.contactID
	if !contactID.Valid {
		contactID, username = c.contactID, c.username
	}
	if _, err := tx.Exec(`UPDATE conversations SET sender_id = $2, last_preview = $3, name = $4, contact_id = $5, username = $6, last_at = $7, last_out = $8, read_to = $9,
 unread = (SELECT count(*) FROM inbox_messages m WHERE m.conversation_id = $1 AND m.direction = 'in' AND m.revision > $9) WHERE id = $1`,
		c.id, newer.sender, newer.preview, name, contactID, username, newer.lastAt, newer.lastOut, read); err != nil {
		return err
	}
	_, err := tx.Exec(`UPDATE inbox_states SET unread = unread - $2 + (SELECT c.unread FROM conversations c WHERE c.id = $3) WHERE account_id = $1`, accountID, before, c.id)
	return err
}
