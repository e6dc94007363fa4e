package inbox

import (
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
)

// nextRevision counts a visible change of an account and returns its revision. It locks the
// account's inbox until the end of the transaction.
func nextRevision(tx *db.Tx, accountID string) (revision int64, err error) {
	_, err = tx.Row(`INSERT INTO inbox_states (account_id, revision, unread) VALUES ($1, 1, 0)
 ON CONFLICT (account_id) DO UPDATE SET revision = inbox_states.revision + 1 RETURNING revision`, accountID).Scan(&revision)
	return revision, err
}

// conversationWith returns the id of an account's conversation with a person, as returned by [person.Find], or "".
func conversationWith(q *db.Query, accountID, who string) (id string, err error) {
	_, err = q.Row(`SELECT id FROM conversations WHERE account_id = $1 AND person = $2`, accountID, who).Scan(&id)
	return id, err
}

const insertMessage = `INSERT INTO inbox_messages (id, account_id, conversation_id, direction, channel, type, content, media_url, mime_type, file_name, from_address, sender_id, provider_id, revision, at,
 choice_id, choice_title, response, reply_to, standby)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) ON CONFLICT DO NOTHING`

func insertReceived(tx *db.Tx, r *received, conversation string, revision int64) (fresh bool, err error) {
	in := r.in
	n, err := tx.Exec(insertMessage, r.id, r.sender.AccountID, db.Null(conversation), "in", string(in.Channel), string(in.Type), in.Text, db.Null(in.MediaURL), db.Null(in.MIMEType),
		db.Null(in.FileName), in.Address(), r.sender.ID, in.ID, revision, db.Ms(in.At),
		db.Null(in.Choice.ID), db.Null(in.Choice.Title), db.Null(in.Response), db.Null(r.replyTo), db.Flag(in.Standby))
	return n == 1, err
}

// updateConversation counts a received message in its conversation, which is created if it does not exist, and in the
// account. A message that is older than the conversation's last one changes neither its preview nor its position.
func updateConversation(tx *db.Tx, r *received, conversation, who string) error {
	in := r.in
	_, err := tx.Exec(`INSERT INTO conversations (id, account_id, person, phone, sender_id, name, last_at, last_preview, unread, read_to, contact_id, username) VALUES ($1, $2, $8, $3, $4, $5, $6, $7, 1, 0, $9, $10)
 ON CONFLICT (account_id, person) DO UPDATE SET unread = conversations.unread + 1, phone = excluded.phone, contact_id = COALESCE(excluded.contact_id, conversations.contact_id),
  username = CASE WHEN excluded.contact_id IS NULL THEN conversations.username ELSE excluded.username END, sender_id = excluded.sender_id, name = COALESCE(excluded.name, conversations.name),
  last_preview = CASE WHEN excluded.last_at >= conversations.last_at THEN excluded.last_preview ELSE conversations.last_preview END,
  last_out = CASE WHEN excluded.last_at >= conversations.last_at THEN 0 ELSE conversations.last_out END,
  last_at = CASE WHEN excluded.last_at >= conversations.last_at THEN excluded.last_at ELSE conversations.last_at END`,
		conversation, r.sender.AccountID, in.From, r.sender.ID, db.Null(in.DisplayName), db.Ms(in.At), preview(in.Type, in.Text, in.FileName), who, db.Null(in.Person.ID), db.Null(in.Person.Username))
	if err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE inbox_states SET unread = unread + 1 WHERE account_id = $1`, r.sender.AccountID)
	return err
}

// showSent shows a message of the account in the list of conversations, if it is the newest of its conversation. It
// returns false if the conversation has been purged since it was looked up.
func showSent(tx *db.Tx, conversation, shown string, at int64) (bool, error) {
	n, err := tx.Exec(`UPDATE conversations SET last_preview = CASE WHEN $1 >= last_at THEN $2 ELSE last_preview END, last_out = CASE WHEN $1 >= last_at THEN 1 ELSE last_out END, last_at = CASE WHEN $1 >= last_at THEN $1 ELSE last_at END
 WHERE id = $3`, at, shown, conversation)
	return n > 0, err
}

// insertOwn adds a message that the owner of the account's number has written on another device to a conversation.
func insertOwn(tx *db.Tx, s *account.Sender, c *gateway.Change, id, conversation string, revision int64) error {
	in := c.Content
	there, err := showSent(tx, conversation, preview(in.Type, in.Text, in.FileName), db.Ms(c.At))
	if err != nil || !there {
		return err
	}
	var replyTo string
	if in.ReplyTo.ProviderID != "" {
		if _, err := tx.Row(`SELECT id FROM inbox_messages WHERE sender_id = $1 AND provider_id = $2 AND conversation_id = $3`, s.ID, in.ReplyTo.ProviderID, conversation).Scan(&replyTo); err != nil {
			return err
		}
	}
	_, err = tx.Exec(insertMessage, id, s.AccountID, conversation, "out", string(c.Channel), string(in.Type), in.Text, nil, db.Null(in.MIMEType), db.Null(in.FileName),
		s.Address, s.ID, c.MessageID, revision, db.Ms(c.At), nil, nil, nil, db.Null(replyTo), 0)
	return err
}

// insertSent adds a message of the account to a conversation. It returns false if the conversation has been purged
// since it was looked up.
func insertSent(tx *db.Tx, m *message.Message, conversation string, revision int64) (bool, error) {
	there, err := showSent(tx, conversation, preview(gateway.InboundText, m.Content.Text, ""), db.Ms(m.CreatedAt))
	if err != nil || !there {
		return false, err
	}
	_, err = tx.Exec(insertMessage, m.ID, m.AccountID, conversation, "out", string(m.Channel), string(gateway.InboundText), m.Content.Text, nil, nil, nil,
		m.From, m.SenderID, nil, revision, db.Ms(m.CreatedAt), nil, nil, nil, db.Null(m.Options.ReplyTo), 0)
	return err == nil, err
}

// markRead marks all messages of a conversation as read, at a revision, and returns the account's remaining number of unread messages.
func markRead(tx *db.Tx, accountID, conversation string, revision int64) (unread int64, err error) {
	_, err = tx.Row(`UPDATE inbox_states SET unread = unread - COALESCE((SELECT c.unread FROM conversations c WHERE c.id = $2), 0) WHERE account_id = $1 RETURNING unread`, accountID, conversation).
		Scan(&unread)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(`UPDATE conversations SET unread = 0, read_to = $1 WHERE id = $2`, revision, conversation)
	return unread, err
}

// markUnread marks the latest inbound message as unread, if no other has arrived in the meantime. It returns the
// numbers of unread messages in the account and in the conversation.
func markUnread(tx *db.Tx, accountID, conversation string) (unread, mine int64, err error) {
	n, err := tx.Exec(`UPDATE conversations SET unread = 1, read_to = (SELECT max(m.revision) - 1 FROM inbox_messages m WHERE m.conversation_id = $1 AND m.direction = 'in')
 WHERE id = $1 AND unread = 0 AND EXISTS (SELECT 1 FROM inbox_messages m WHERE m.conversation_id = $1 AND m.direction = 'in')`, conversation)
	if err != nil {
		return 0, 0, err
	}
	if _, err = tx.Row(`UPDATE inbox_states SET unread = unread + $1 WHERE account_id = $2 RETURNING unread`, n, accountID).Scan(&unread); err != nil {
		return 0, 0, err
	}
	_, err = tx.Row(`SELECT unread FROM conversations WHERE id = $1`, conversation).Scan(&mine)
	return unread, mine, err
}

// A purgeBatch selects the messages that one transaction of a purge deletes: those up to a position, ordered by age.
// It excludes messages with a later ID, because they are new and might be counted after the purge has counted.
type purgeBatch struct {
	to    position
	below string
}

const inWindow = ` (m.at, m.id) <= ($1, $2) AND m.id < $3 `

// purge deletes the messages of a batch, which can belong to several accounts, and the conversations that are empty
// afterward. It first locks the accounts, ordered by ID.
func purge(tx *db.Tx, w purgeBatch) error {
	const unread = ` FROM inbox_messages m JOIN conversations c ON c.id = m.conversation_id WHERE` + inWindow + `AND m.direction = 'in' AND m.revision > c.read_to`
	for _, text := range []string{
		`INSERT INTO inbox_states (account_id, revision, unread) SELECT DISTINCT m.account_id, 1, 0 FROM inbox_messages m WHERE` + inWindow + `AND m.conversation_id IS NOT NULL ORDER BY 1
 ON CONFLICT (account_id) DO UPDATE SET revision = inbox_states.revision + 1`,
		`UPDATE inbox_states SET unread = inbox_states.unread - w.n FROM (SELECT m.account_id, count(*) AS n` + unread + ` GROUP BY m.account_id) AS w WHERE w.account_id = inbox_states.account_id`,
		`UPDATE conversations SET unread = conversations.unread - w.n FROM (SELECT m.conversation_id, count(*) AS n` + unread + ` GROUP BY m.conversation_id) AS w WHERE w.conversation_id = conversations.id`,
		`DELETE FROM conversations WHERE id IN (SELECT m.conversation_id FROM inbox_messages m WHERE` + inWindow + `)
 AND NOT EXISTS (SELECT 1 FROM inbox_messages k WHERE k.conversation_id = conversations.id AND (k.at, k.id) > ($1, $2))
 AND NOT EXISTS (SELECT 1 FROM inbox_messages k WHERE k.conversation_id = conversations.id AND (k.at, k.id) <= ($1, $2) AND k.id >= $3)`,
		`DELETE FROM inbox_messages WHERE (at, id) <= ($1, $2) AND id < $3`,
	} {
		if _, err := tx.Exec(text, w.to.at, w.to.id, w.below); err != nil {
			return err
		}
	}
	return nil
}
