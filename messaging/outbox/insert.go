package outbox

import (
	"strings"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
)

const insertColumns = `id, notification_id, account_id, project_id, requested_channel, channel, recipient, address, sender_id, from_address, gateway, content, sensitive, source,
 status, rank, version, due_at, timeline, charged_day, created_at, scheduled_at, expires_at, options, conversation_id, order_key, calls, metadata`

// sensitiveSeqOffset is subtracted from the sequence numbers of one-time codes and other sensitive messages, so that
// they come first.
const sensitiveSeqOffset = 1 << 62

// insertStatement returns the statement that inserts n messages. Each row's last value is its sequence number.
func insertStatement(n int) string {
	var b strings.Builder
	b.WriteString(`INSERT INTO messages (` + insertColumns + `, seq) VALUES `)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("(" + db.Placeholders(1+i*insertWidth, insertWidth) + ")")
	}
	return b.String()
}

// insertWidth is the number of values in a row: insertColumns and the sequence number.
const insertWidth = 29

// exceptOrderKeys returns a condition that excludes n order keys, whose placeholders follow $3.
func exceptOrderKeys(n int) string {
	if n == 0 {
		return ""
	}
	return ` AND order_key NOT IN (` + db.Placeholders(4, n) + `)`
}

// insertValues returns a message's row in the order of insertColumns.
func insertValues(m *message.Message) []any {
	var day any
	if m.ChargedDay != 0 {
		day = m.ChargedDay
	}
	return []any{
		m.ID, m.NotificationID, m.AccountID, db.Null(m.ProjectID), string(m.RequestedChannel), string(m.Channel), m.To, m.Address,
		db.Null(m.SenderID), db.Null(m.From), db.Null(m.Gateway), m.StoredContent(), db.Flag(m.Sensitive), string(m.Source), string(m.Status), m.Status.Rank(), m.Version, db.NullMs(m.DueAt),
		string(m.Timeline), day, db.Ms(m.CreatedAt), db.NullMs(m.ScheduledAt), db.Ms(m.ExpiresAt), db.Null(m.StoredOptions()), db.Null(m.ConversationID), m.OrderKey(), m.Calls, db.Null(m.StoredMetadata()),
	}
}

// setStatus sets the message's status to SENDING or QUEUED. It overwrites the result of an earlier run of the same transaction.
func (a *Acceptance) setStatus(begin bool) {
	m := a.Message
	if m.Status != message.Queued && m.Status != message.Sending {
		return
	}
	m.Status, m.DueAt, m.Version, m.Calls = message.Queued, time.Time{}, 0, 0
	if begin {
		m.Status, m.DueAt, m.Version, m.Calls = message.Sending, a.BeginUntil, 1, 1
	}
}
