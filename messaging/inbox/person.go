package inbox

import (
	"database/sql"
	"strconv"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// DeleteSent removes a message of the account from its conversation.
func DeleteSent(tx *db.Tx, m *message.Message) error {
	if m.ConversationID == "" {
		return nil
	}
	if _, err := nextRevision(tx, m.AccountID); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE conversations SET last_preview = '' WHERE id = $1 AND last_at = $2`, m.ConversationID, db.Ms(m.CreatedAt)); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM inbox_messages WHERE id = $1 AND direction = 'out'`, m.ID)
	return err
}

// ConversationOf returns an account's conversation with a person, or nil.
func ConversationOf(q *db.Query, p *person.Person) (*Conversation, error) {
	id, err := conversationWith(q, p.AccountID, p.Forms[0])
	if err != nil || id == "" {
		return nil, err
	}
	return findConversation(q, p.AccountID, id)
}

// EraseConversation deletes the next messages of an account's conversation with a person, and deletes the
// conversation with its last message. It returns the number of those that the person had written, and whether there
// are more.
func EraseConversation(tx *db.Tx, p *person.Person) (received int64, more bool, err error) {
	conversation, err := conversationWith(&tx.Query, p.AccountID, p.Forms[0])
	if err != nil || conversation == "" {
		return 0, false, err
	}
	if _, err := nextRevision(tx, p.AccountID); err != nil {
		return 0, false, err
	}
	return deleteOldest(tx, p.AccountID, conversation)
}

// A Received is a message from a person, within or outside a conversation, or one to the person that the owner of the
// account's number has written on another device.
type Received struct {
	Message
	Channel  gateway.Channel
	SenderID string // the account's sender that received it
}

// PersonPage reads the next n [Received] messages of a person at an account, latest first: those of a conversation
// or, without one, those outside conversations. The latter are searched among all of the account's messages, so a
// page can be short or empty although more pages follow. next is "" after the last page.
func PersonPage(q *db.Query, p *person.Person, conversation, after string, n int) (list []Received, next string, err error) {
	from := newest()
	if s, id, ok := strings.Cut(after, " "); ok {
		if from.at, err = strconv.ParseInt(s, 10, 64); err != nil {
			return nil, "", err
		}
		from.id = id
	}
	where, of := `i.account_id = $3 AND i.conversation_id IS NULL`, p.AccountID
	if conversation != "" {
		where, of = `i.conversation_id = $3`, conversation
	}
	read := 0
	err = q.Page(n, func(rows *sql.Rows) error {
		var r Received
		var account, direction, from, kind string
		var media, mime, file, choice, title, response sql.NullString
		var ms, standby, own int64
		var edited, deleted sql.NullInt64
		var attached mediaRow
		if err := rows.Scan(&ms, &r.ID, &account, &direction, &from, &r.Channel, &r.SenderID, &kind, &r.Content, &media, &mime, &file, &choice, &title, &response, &edited, &deleted, &standby, &own, &attached.id, &attached.state, &attached.reason, &attached.kind, &attached.shown); err != nil {
			return err
		}
		read++
		next = strconv.FormatInt(ms, 10) + " " + r.ID
		if r.FromPhone = own == 1; account != p.AccountID || !r.FromPhone && (direction != "in" || !p.Has(from)) {
			return nil
		}
		r.EditedAt, r.DeletedAt, r.Standby = db.AtNull(edited), db.AtNull(deleted), standby == 1
		r.At, r.Type, r.MediaURL, r.MIMEType, r.FileName = db.At(ms), gateway.InboundType(kind), media.String, mime.String, file.String
		r.Choice, r.Response = gateway.Choice{ID: choice.String, Title: title.String}, response.String
		attached.set(&r.Message)
		list = append(list, r)
		return nil
	}, `SELECT i.at, i.id, i.account_id, i.direction, i.from_address, i.channel, i.sender_id, i.type, i.content, i.media_url, i.mime_type, i.file_name, i.choice_id, i.choice_title, i.response, i.edited_at, i.deleted_at, i.standby, `+isOwn+`, `+mediaColumns+`
 FROM inbox_messages i`+ofMedia+` WHERE `+where+` AND (i.at, i.id) < ($1, $2) ORDER BY i.at DESC, i.id DESC`, from.at, from.id, of)
	if read < n {
		next = ""
	}
	return list, next, err
}

// DeleteReceived deletes a message that is in no conversation.
func DeleteReceived(tx *db.Tx, id string) (int64, error) {
	return tx.Exec(`DELETE FROM inbox_messages WHERE id = $1 AND conversation_id IS NULL`, id)
}
