package inbox

import (
	"database/sql"

	"example.com/griot/internal/db"
)

// selectHidden returns the time since which each account's inbox has been hidden. 0 means that it is not hidden.
func selectHidden(q *db.Query) (map[string]int64, error) {
	out := map[string]int64{}
	err := q.Each(func(rows *sql.Rows) error {
		var account string
		var since int64
		err := rows.Scan(&account, &since)
		out[account] = since
		return err
	}, `SELECT account_id, COALESCE(hidden_since, 0) FROM inbox_states`)
	return out, err
}

// findHidden returns the time since which an inbox has been hidden. 0 means that it is not hidden or has never received a message.
func findHidden(q *db.Query, accountID string) (since int64, err error) {
	_, err = q.Row(`SELECT COALESCE(hidden_since, 0) FROM inbox_states WHERE account_id = $1`, accountID).Scan(&since)
	return since, err
}

// updateHidden stores the time since which an inbox has been hidden, unless another process has changed it. 0 means
// that it is not hidden.
func updateHidden(tx *db.Tx, accountID string, from, to int64) error {
	_, err := tx.Exec(`UPDATE inbox_states SET hidden_since = NULLIF(CAST($3 AS BIGINT), 0) WHERE account_id = $1 AND COALESCE(hidden_since, 0) = $2`, accountID, from, to)
	return err
}

// selectConversationIDs lists an account's conversations with an ID before below, those with the oldest last message first.
func selectConversationIDs(q *db.Query, accountID, below string, n int) (ids []string, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM conversations WHERE account_id = $1 AND id < $2 ORDER BY last_at, id LIMIT CAST($3 AS BIGINT)`, accountID, below, n)
	return ids, err
}

// purgeConversation deletes a conversation's oldest messages, and the conversation with its last one, if the inbox has been
// hidden since the given time. It locks the account first, like every visible change.
func purgeConversation(tx *db.Tx, accountID string, since int64, conversation string) (more bool, err error) {
	n, err := tx.Exec(`UPDATE inbox_states SET revision = revision + 1 WHERE account_id = $1 AND hidden_since = $2`, accountID, since)
	if err != nil || n == 0 {
		return false, err
	}
	_, more, err = deleteOldest(tx, accountID, conversation)
	return more, err
}

// deleteOldest deletes a conversation's oldest messages, and the conversation with its last one. The account must be
// locked. deleteOldest returns the number of deleted inbound messages.
func deleteOldest(tx *db.Tx, accountID, conversation string) (received int64, more bool, err error) {
	var to position
	if _, err := tx.Row(`SELECT at, id FROM (SELECT at, id FROM inbox_messages WHERE conversation_id = $1 ORDER BY at, id LIMIT CAST($2 AS BIGINT)) AS old ORDER BY at DESC, id DESC LIMIT 1`,
		conversation, hiddenPurge).Scan(&to.at, &to.id); err != nil {
		return 0, false, err
	}
	var unread int64
	if _, err := tx.Row(`SELECT count(*) FROM inbox_messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.conversation_id = $1 AND (m.at, m.id) <= ($2, $3)
 AND m.direction = 'in' AND m.revision > c.read_to`, conversation, to.at, to.id).Scan(&unread); err != nil {
		return 0, false, err
	}
	if _, err := tx.Exec(`UPDATE inbox_states SET unread = unread - $1 WHERE account_id = $2`, unread, accountID); err != nil {
		return 0, false, err
	}
	if _, err := tx.Exec(`UPDATE conversations SET unread = unread - $1 WHERE id = $2`, unread, conversation); err != nil {
		return 0, false, err
	}
	if _, err := tx.Row(`SELECT count(*) FROM inbox_messages WHERE conversation_id = $1 AND (at, id) <= ($2, $3) AND direction = 'in'`, conversation, to.at, to.id).Scan(&received); err != nil {
		return 0, false, err
	}
	if _, err := tx.Exec(`DELETE FROM inbox_messages WHERE conversation_id = $1 AND (at, id) <= ($2, $3)`, conversation, to.at, to.id); err != nil {
		return 0, false, err
	}
	gone, err := tx.Exec(`DELETE FROM conversations WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM inbox_messages m WHERE m.conversation_id = $1)`, conversation)
	return received, gone == 0, err
}
