package inbox

import (
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
)

// findReceived returns a received message by the gateway's ID.
func findReceived(q *db.Query, senderID, providerID string) (m stored, found bool, err error) {
	return findStored(q, senderID, providerID, "in")
}

// findOwn returns a message that the owner of the account's number has written on another device, by the gateway's ID. Its
// author is the person to whom it was written, because only reports about this person's conversation change it.
func findOwn(q *db.Query, senderID, providerID string) (m stored, found bool, err error) {
	m, found, err = findStored(q, senderID, providerID, "out")
	m.author = m.person
	return m, found, err
}

func findStored(q *db.Query, senderID, providerID, direction string) (m stored, found bool, err error) {
	found, err = q.Row(`SELECT i.id, i.from_address, COALESCE(c.person, ''), i.type, i.content, COALESCE(i.file_name, ''), i.edited_at, i.deleted_at
 FROM inbox_messages i LEFT JOIN conversations c ON c.id = i.conversation_id WHERE i.sender_id = $1 AND i.provider_id = $2 AND i.direction = $3`, senderID, providerID, direction).
		Scan(&m.id, &m.author, &m.person, &m.kind, &m.content, &m.fileName, &m.edited, &m.deleted)
	return m, found, err
}

// revise applies a change that the message accepts. changed is false if another one was faster. The account must be locked.
func (m *stored) revise(tx *db.Tx, c *gateway.Change) (changed bool, err error) {
	var n int64
	shown := "[deleted]"
	if c.Kind == gateway.MessageDeleted {
		n, err = tx.Exec(`UPDATE inbox_messages SET content = '', media_url = NULL, mime_type = NULL, file_name = NULL, choice_id = NULL, choice_title = NULL, response = NULL, deleted_at = $2
 WHERE id = $1 AND deleted_at IS NULL`, m.id, db.Ms(c.At))
	} else {
		shown = preview(m.kind, c.Content.Text, m.fileName)
		n, err = tx.Exec(`UPDATE inbox_messages SET content = $2, edited_at = $3 WHERE id = $1 AND deleted_at IS NULL AND (edited_at IS NULL OR edited_at < $3)`, m.id, c.Content.Text, db.Ms(c.At))
	}
	if err != nil || n == 0 {
		return false, err
	}
	if c.Kind == gateway.MessageDeleted {
		if _, err := tx.Exec(`UPDATE inbox_media SET message_id = NULL WHERE message_id = $1`, m.id); err != nil {
			return false, err
		}
	}
	err = m.updatePreview(tx, shown)
	return err == nil, err
}

// complete gives the message its content, as a new one: it is unread again. changed is false if another one was faster.
// The account must be locked.
func (m *stored) complete(tx *db.Tx, r *received, revision int64) (changed bool, err error) {
	in := r.in
	n, err := tx.Exec(`UPDATE inbox_messages SET type = $2, content = $3, media_url = $4, mime_type = $5, file_name = $6, choice_id = $7, choice_title = $8, response = $9, reply_to = $10
 WHERE id = $1 AND type = $11 AND deleted_at IS NULL AND edited_at IS NULL`, m.id, string(in.Type), in.Text, db.Null(in.MediaURL), db.Null(in.MIMEType), db.Null(in.FileName), db.Null(in.Choice.ID), db.Null(in.Choice.Title),
		db.Null(in.Response), db.Null(r.replyTo), string(gateway.InboundUnavailable))
	if err != nil || n == 0 {
		return false, err
	}
	n, err = tx.Exec(`UPDATE conversations SET unread = unread + 1 WHERE id = (SELECT i.conversation_id FROM inbox_messages i WHERE i.id = $1 AND i.revision <= conversations.read_to)`, m.id)
	if err == nil && n > 0 {
		_, err = tx.Exec(`UPDATE inbox_states SET unread = unread + 1 WHERE account_id = $1`, r.sender.AccountID)
	}
	if err == nil && n > 0 {
		_, err = tx.Exec(`UPDATE inbox_messages SET revision = $2 WHERE id = $1`, m.id, revision)
	}
	if err == nil {
		err = m.updatePreview(tx, preview(in.Type, in.Text, in.FileName))
	}
	return err == nil, err
}

// updatePreview shows the start of the message in the list of conversations, if it is the newest of its conversation.
func (m *stored) updatePreview(tx *db.Tx, shown string) error {
	_, err := tx.Exec(`UPDATE conversations SET last_preview = $2 WHERE id = (SELECT i.conversation_id FROM inbox_messages i WHERE i.id = $1) AND last_out = (SELECT CASE WHEN i.direction = 'out' THEN 1 ELSE 0 END FROM inbox_messages i WHERE i.id = $1)
 AND NOT EXISTS (SELECT 1 FROM inbox_messages i, inbox_messages n WHERE i.id = $1 AND n.conversation_id = i.conversation_id AND (n.at, n.id) > (i.at, i.id))`, m.id, shown)
	return err
}
