package inbox

import (
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
)

// findRevised returns a received message by the gateway's ID.
func findRevised(q *db.Query, senderID, providerID string) (m revised, found bool, err error) {
	found, err = q.Row(`SELECT i.id, i.from_address, COALESCE(c.person, ''), i.type, i.content, COALESCE(i.file_name, ''), i.edited_at, i.deleted_at
 FROM inbox_messages i LEFT JOIN conversations c ON c.id = i.conversation_id WHERE i.sender_id = $1 AND i.provider_id = $2 AND i.direction = 'in'`, senderID, providerID).
		Scan(&m.id, &m.author, &m.person, &m.kind, &m.content, &m.fileName, &m.edited, &m.deleted)
	return m, found, err
}

// revise applies a change that the message accepts. changed is false if another one was faster. The account must be locked.
func (m *revised) revise(tx *db.Tx, c *gateway.Change) (changed bool, err error) {
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
	_, err = tx.Exec(`UPDATE conversations SET last_preview = $2 WHERE id = (SELECT i.conversation_id FROM inbox_messages i WHERE i.id = $1) AND last_out = 0
 AND NOT EXISTS (SELECT 1 FROM inbox_messages i, inbox_messages n WHERE i.id = $1 AND n.conversation_id = i.conversation_id AND (n.at, n.id) > (i.at, i.id))`, m.id, shown)
	return err == nil, err
}
