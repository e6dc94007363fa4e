package inbox

import (
	"database/sql"
	"slices"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// findState returns an account's revision and number of unread messages, or zeros if it has no inbox messages.
func findState(q *db.Query, accountID string) (revision, unread int64, err error) {
	_, err = q.Row(`SELECT revision, unread FROM inbox_states WHERE account_id = $1`, accountID).Scan(&revision, &unread)
	return revision, unread, err
}

// conversationColumns are the columns of a conversation of the table c.
const conversationColumns = `c.id, c.phone, COALESCE(c.contact_id, ''), COALESCE(c.username, ''), c.sender_id, COALESCE(c.name, ''), c.last_at, c.last_preview, c.last_out, c.unread`

// A conversationRow contains the values of conversationColumns that need a conversion.
type conversationRow struct {
	c       *Conversation
	at, out int64
}

func (r *conversationRow) dest() []any {
	c := r.c
	return []any{&c.ID, &c.Phone, &c.ContactID, &c.Username, &c.SenderID, &c.Name, &r.at, &c.LastPreview, &r.out, &c.Unread}
}

// set sets the converted fields.
func (r *conversationRow) set() { r.c.LastAt, r.c.LastOut = db.At(r.at), r.out == 1 }

func scanConversation(scan func(...any) error) (c Conversation, err error) {
	r := conversationRow{c: &c}
	err = scan(r.dest()...)
	r.set()
	return c, err
}

// findConversation returns one of an account's conversations, or nil.
func findConversation(q *db.Query, accountID, id string) (*Conversation, error) {
	if !ValidID(id) {
		return nil, nil //nolint:nilnil // a missing conversation is not an error
	}
	found := false
	c, err := scanConversation(func(dest ...any) (err error) {
		found, err = q.Row(`SELECT `+conversationColumns+` FROM conversations c WHERE c.id = $1 AND c.account_id = $2`, id, accountID).Scan(dest...)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	return &c, nil
}

// listConversations returns the next n of an account's conversations, newest first, with the results of findState
// from the same moment.
func listConversations(q *db.Query, accountID string, after position, n int) (out []Conversation, revision, unread int64, err error) {
	read := func() error {
		return q.IndexedPage(n, func(rows *sql.Rows) error {
			c, err := scanConversation(func(dest ...any) error { return rows.Scan(append(dest, &revision, &unread)...) })
			out = append(out, c)
			return err
		}, `SELECT `+conversationColumns+`, COALESCE((SELECT revision FROM inbox_states WHERE account_id = $1), 0), COALESCE((SELECT unread FROM inbox_states WHERE account_id = $1), 0)
 FROM conversations c WHERE c.account_id = $1 AND (c.last_at, c.id) < ($2, $3) ORDER BY c.last_at DESC, c.id DESC`, accountID, after.at, after.id)
	}
	if err = read(); err != nil || len(out) > 0 {
		return out, revision, unread, err
	}
	if revision, unread, err = findState(q, accountID); err == nil { // no row; read again, in case a message arrived before findState
		err = read()
	}
	return out, revision, unread, err
}

const messageColumns = `i.id, i.direction, i.type, i.content, i.media_url, i.mime_type, i.file_name, i.choice_id, i.choice_title, i.response, i.reply_to, m.status, m.scheduled_at, i.at, i.edited_at, i.deleted_at, i.standby, ` + isOwn + `, ` + mediaColumns

// isOwn is 1 for a message that the owner of the account's number has written on another device, and otherwise 0.
const isOwn = `CASE WHEN i.direction = 'out' AND i.provider_id IS NOT NULL THEN 1 ELSE 0 END`

// mediaColumns are the columns of a message's attachment.
const mediaColumns = `COALESCE(a.id, ''), COALESCE(a.state, ''), COALESCE(a.reason, ''), COALESCE(a.mime_type, ''), COALESCE(a.shown, 0)`

// A mediaRow contains the values of mediaColumns.
type mediaRow struct {
	id, state, reason, kind string
	shown                   int64
}

func (r *mediaRow) dest() []any { return []any{&r.id, &r.state, &r.reason, &r.kind, &r.shown} }

// set sets the fields of a message's attachment.
func (r *mediaRow) set(m *Message) {
	switch r.state {
	case mediaStored:
		m.MediaID, m.MediaShown, m.MIMEType = r.id, r.shown == 1, r.kind
	case mediaPending:
		m.MediaMissing = MediaPending
	case mediaMissing:
		m.MediaMissing = r.reason
	}
}

// scanMessage reads messageColumns and the columns after them.
func scanMessage(scan func(...any) error, more ...any) (m Message, err error) {
	var direction, kind string
	var media, mime, file, status, choice, title, response, replyTo sql.NullString
	var at, standby, own int64
	var scheduled, edited, deleted sql.NullInt64
	var attached mediaRow
	err = scan(slices.Concat([]any{&m.ID, &direction, &kind, &m.Content, &media, &mime, &file, &choice, &title, &response, &replyTo, &status, &scheduled, &at, &edited, &deleted, &standby, &own}, attached.dest(), more)...)
	m.Out, m.Type, m.MediaURL, m.MIMEType, m.FileName = direction == "out", gateway.InboundType(kind), media.String, mime.String, file.String
	m.Choice, m.Response, m.ReplyTo = gateway.Choice{ID: choice.String, Title: title.String}, response.String, replyTo.String
	m.Status, m.Scheduled, m.At, m.EditedAt, m.DeletedAt = message.Status(status.String), scheduled.Valid, db.At(at), db.AtNull(edited), db.AtNull(deleted)
	m.Standby, m.FromPhone = standby == 1, own == 1
	attached.set(&m)
	return m, err
}

const sentOnes = ` LEFT JOIN messages m ON i.direction = 'out' AND m.id = i.id` + ofMedia

const ofMedia = ` LEFT JOIN inbox_media a ON a.message_id = i.id`

func listMessages(q *db.Query, conversation string, after position, n int) ([]Message, error) {
	out := []Message{}
	err := q.IndexedPage(n, func(rows *sql.Rows) error {
		m, err := scanMessage(rows.Scan)
		out = append(out, m)
		return err
	}, `SELECT `+messageColumns+` FROM inbox_messages i`+sentOnes+` WHERE i.conversation_id = $1 AND (i.at, i.id) < ($2, $3) ORDER BY i.at DESC, i.id DESC`, conversation, after.at, after.id)
	return out, err
}

// findMessage returns a message of an account's conversation. found is false if the message does not belong to it.
func findMessage(q *db.Query, account, conversation, id string) (m Message, found bool, err error) {
	m, err = scanMessage(func(dest ...any) (err error) {
		found, err = q.Row(`SELECT `+messageColumns+` FROM inbox_messages i`+sentOnes+` WHERE i.id = $1 AND i.conversation_id = $2 AND i.account_id = $3`, id, conversation, account).Scan(dest...)
		return err
	})
	return m, found, err
}

// senderOf returns the account's sender that received or sent a message of a conversation, or "" if there is no such message.
func senderOf(q *db.Query, conversation, id string) (senderID string, err error) {
	_, err = q.Row(`SELECT sender_id FROM inbox_messages WHERE id = $1 AND conversation_id = $2`, id, conversation).Scan(&senderID)
	return senderID, err
}

// A quotedMessage is the message that another one replies to.
type quotedMessage struct {
	out              bool
	providerID, text string
}

// findQuoted returns the message that a message replies to, if it was exchanged between the same number of the
// account and the same person.
func findQuoted(q *db.Query, m *message.Message) (to quotedMessage, found bool, err error) {
	var direction, kind, text string
	var provider, file sql.NullString
	found, err = q.Row(`SELECT i.direction, i.provider_id, i.type, i.content, i.file_name FROM inbox_messages i JOIN conversations c ON c.id = i.conversation_id
 WHERE i.id = $1 AND i.account_id = $2 AND i.sender_id = $3 AND c.person = `+person.Resolved("$2", "$4"), m.Options.ReplyTo, m.AccountID, m.SenderID, person.Form(m.Address)).Scan(&direction, &provider, &kind, &text, &file)
	return quotedMessage{direction == "out", provider.String, preview(gateway.InboundType(kind), text, file.String)}, found, err
}

// walkMessages calls fn with the next n messages of an account's conversations, newest first.
func walkMessages(q *db.Query, accountID string, after position, n int, fn func(*Found)) error {
	return q.Page(n, func(rows *sql.Rows) error {
		var f Found
		r := conversationRow{c: &f.Conversation}
		var err error
		f.Message, err = scanMessage(rows.Scan, r.dest()...)
		r.set()
		fn(&f)
		return err
	}, `SELECT `+messageColumns+`, `+conversationColumns+` FROM inbox_messages i JOIN conversations c ON c.id = i.conversation_id`+sentOnes+`
 WHERE i.account_id = $1 AND i.conversation_id IS NOT NULL AND (i.at, i.id) < ($2, $3) ORDER BY i.at DESC, i.id DESC`, accountID, after.at, after.id)
}

// oldest returns the position of the n-th oldest message before a time, or of the last one if there are fewer. found
// is false if there are none. It reads only messages with an ID below the given one.
func oldest(q *db.Query, before int64, below string, n int) (to position, found bool, err error) {
	found, err = q.Row(`SELECT at, id FROM (SELECT at, id FROM inbox_messages WHERE at < $1 AND id < $2 ORDER BY at, id LIMIT CAST($3 AS BIGINT)) AS old ORDER BY at DESC, id DESC LIMIT 1`,
		before, below, n).Scan(&to.at, &to.id)
	return to, found, err
}
