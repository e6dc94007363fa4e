package message

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/internal/phone"
)

const insertColumns = `id, notification_id, account_id, project_id, requested_channel, channel, recipient, address,
 sender_id, from_address, gateway, content, sensitive, source, status, rank, attempt, due_at, timeline, charged_day, created_at, scheduled_at, expires_at,
 wish, conversation_id, metadata`

const insertMessage = `INSERT INTO messages (` + insertColumns + `)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)`

// Insert stores a new message.
func Insert(tx *db.Tx, m *Message) error {
	_, err := tx.Exec(insertMessage, insertArgs(m)...)
	return err
}

func insertArgs(m *Message) []any {
	stored := m.Content
	if m.Sensitive {
		stored = Content{Sealed: m.Sealed}
	}
	var day any
	if m.ChargedDay != 0 {
		day = m.ChargedDay
	}
	return []any{
		m.ID, m.NotificationID, m.AccountID, db.Null(m.ProjectID), string(m.RequestedChannel), string(m.Channel), m.To, m.Address,
		db.Null(m.SenderID), db.Null(m.From), db.Null(m.Gateway), string(appendAny(nil, &stored)), flag(m.Sensitive), string(m.Source), string(m.Status), m.Status.Rank(), m.Attempt, db.NullMs(m.DueAt),
		string(m.Timeline), day, db.Ms(m.CreatedAt), db.NullMs(m.ScheduledAt), db.Ms(m.ExpiresAt),
		encodeJSON(&m.Wish, m.Wish == Wish{}), db.Null(m.ConversationID), encodeJSON(m.Metadata, len(m.Metadata) == 0),
	}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// erase takes a sensitive message's content away when nobody will need it again.
const erase = `content = CASE WHEN sensitive = 1 THEN '{}' ELSE content END`

// keep leaves it there: the next way will need it.
const keep = `content = content`

const columns = `id, notification_id, account_id, project_id, requested_channel, channel, recipient, address, sender_id, from_address, gateway, content, sensitive, source, status,
 attempt, claimed_from, due_at, unknown_at, provider_id, failure, timeline, charged_day, created_at, scheduled_at, expires_at, sent_at, delivered_at, read_at, failed_at,
 wish, hop, left_behind, tries, calls, conversation_id, metadata`

type row struct {
	m                                                             Message
	project, sender, from, gateway, claimed, provider, failure    sql.NullString
	wish, left, conversation, metadata                            sql.NullString
	due, unknown, day, scheduled, sent, delivered, read, failedAt sql.NullInt64
	requested, channel, content, source, status, timeline         string
	created, expires                                              int64
}

func (r *row) dest() []any {
	return []any{
		&r.m.ID, &r.m.NotificationID, &r.m.AccountID, &r.project, &r.requested, &r.channel, &r.m.To, &r.m.Address, &r.sender, &r.from, &r.gateway, &r.content, &r.m.Sensitive, &r.source, &r.status,
		&r.m.Attempt, &r.claimed, &r.due, &r.unknown, &r.provider, &r.failure, &r.timeline, &r.day, &r.created, &r.scheduled, &r.expires, &r.sent, &r.delivered, &r.read, &r.failedAt,
		&r.wish, &r.m.Hop, &r.left, &r.m.Tries, &r.m.Calls, &r.conversation, &r.metadata,
	}
}

func (r *row) message() (*Message, error) {
	m := r.m
	if err := json.Unmarshal([]byte(r.content), &m.Content); err != nil {
		return nil, fmt.Errorf("message %s: content: %w", m.ID, err)
	}
	m.Sealed, m.Content.Sealed = m.Content.Sealed, ""
	for _, c := range []struct {
		name string
		from sql.NullString
		to   any
	}{{"failure", r.failure, &m.Failure}, {"wish", r.wish, &m.Wish}, {"left_behind", r.left, &m.Left}, {"metadata", r.metadata, &m.Metadata}} {
		if !c.from.Valid {
			continue
		}
		if err := json.Unmarshal([]byte(c.from.String), c.to); err != nil {
			return nil, fmt.Errorf("message %s: %s: %w", m.ID, c.name, err)
		}
	}
	m.To = phone.Shown(m.To) // older rows hold it as it was received
	m.ConversationID = r.conversation.String
	m.ProjectID, m.SenderID, m.From, m.Gateway = r.project.String, r.sender.String, r.from.String, r.gateway.String
	m.RequestedChannel, m.Channel, m.Source = gateway.Channel(r.requested), gateway.Channel(r.channel), Source(r.source)
	m.Status, m.ClaimedFrom, m.Timeline = Status(r.status), Status(r.claimed.String), Timeline(r.timeline)
	m.ProviderID, m.ChargedDay = r.provider.String, r.day.Int64
	m.DueAt, m.UnknownAt, m.CreatedAt, m.ExpiresAt = db.AtNull(r.due), db.AtNull(r.unknown), db.At(r.created), db.At(r.expires)
	m.ScheduledAt = db.AtNull(r.scheduled)
	m.SentAt, m.DeliveredAt, m.ReadAt, m.FailedAt = db.AtNull(r.sent), db.AtNull(r.delivered), db.AtNull(r.read), db.AtNull(r.failedAt)
	return &m, nil
}

// Get returns the message with an id, or nil.
func Get(q *db.Query, id string) (*Message, error) {
	var r row
	found, err := q.Row(`SELECT `+columns+` FROM messages WHERE id = $1`, id).Scan(r.dest()...)
	if err != nil || !found {
		return nil, err
	}
	return r.message()
}

// DueSenders lists the senders that have messages due at now. It looks once at each
// sender that has any message on its way, however many wait.
func DueSenders(q *db.Query, now time.Time) ([]string, error) {
	var out []string
	err := q.Each(func(rows *sql.Rows) error {
		var sender string
		err := rows.Scan(&sender)
		out = append(out, sender)
		return err
	}, sendersWithDue+`SELECT id FROM s WHERE id IS NOT NULL AND EXISTS (SELECT 1 FROM messages d WHERE d.sender_id = s.id AND d.due_at <= $1)`, db.Ms(now))
	return out, err
}

// sendersWithDue steps from sender to sender over the index of what is due.
const sendersWithDue = `WITH RECURSIVE s (id) AS (
 SELECT MIN(sender_id) FROM messages WHERE due_at IS NOT NULL
 UNION ALL SELECT (SELECT MIN(m.sender_id) FROM messages m WHERE m.due_at IS NOT NULL AND m.sender_id > s.id) FROM s WHERE s.id IS NOT NULL)
 `

// UnderWay counts the messages that are to be looked at until a time, by the index
// alone: those that wait or are being sent, with a few that are soon to be.
func UnderWay(q *db.Query, until time.Time) (n int64, err error) {
	_, err = q.Row(sendersWithDue+`SELECT CAST(COALESCE(SUM((SELECT count(*) FROM messages d WHERE d.sender_id = s.id AND d.due_at <= $1)), 0) AS BIGINT) FROM s WHERE id IS NOT NULL`, db.Ms(until)).Scan(&n)
	return n, err
}

// Claim takes up to n messages of a sender that are due, for attempts that end before lease.
// Each comes back with a new attempt number, the status that it had in
// ClaimedFrom, and as SENDING: one that was found SENDING had been with a worker
// that is gone. A SENT one, whose next way is due, stays SENT.
func Claim(tx *db.Tx, senderID string, now, lease time.Time, n int) ([]*Message, error) {
	return collect(&tx.Query, `UPDATE messages SET claimed_from = status, attempt = attempt + 1, due_at = $1,
 status = CASE WHEN status = 'SENT' THEN status ELSE 'SENDING' END, rank = CASE WHEN status = 'SENT' THEN rank ELSE 20 END
 WHERE id IN (SELECT id FROM messages WHERE sender_id = $2 AND due_at <= $3 ORDER BY due_at LIMIT CAST($4 AS BIGINT) /*lock*/) RETURNING `+columns, db.Ms(lease), senderID, db.Ms(now), n)
}

// collect reads the messages of an answer whose columns are columns.
func collect(q *db.Query, text string, args ...any) (out []*Message, err error) {
	err = q.Each(into(&out), text, args...)
	return out, err
}

// collectPage is collect for the first n of a list.
func collectPage(q *db.Query, n int, text string, args ...any) (out []*Message, err error) {
	err = q.Page(n, into(&out), text, args...)
	return out, err
}

func into(out *[]*Message) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var r row
		if err := rows.Scan(r.dest()...); err != nil {
			return err
		}
		m, err := r.message()
		*out = append(*out, m)
		return err
	}
}

// Reclaim makes every message due that a worker had when the process ended. Only
// for a database that no other process uses.
func Reclaim(tx *db.Tx, now time.Time) error {
	_, err := tx.Exec(`UPDATE messages SET due_at = $1 WHERE due_at > $1 AND status = 'SENDING' AND unknown_at IS NULL`, db.Ms(now))
	return err
}

// SetBack is for a clock that went back by a time, to now. What waits for a retry or
// its turn waits for as long as before; an attempt's lease, and the wait for a
// receipt, end after most. Several processes may do it: the more, the sooner a retry.
func SetBack(tx *db.Tx, now time.Time, by, most time.Duration) error {
	if _, err := tx.Exec(`UPDATE messages SET due_at = CASE WHEN due_at - $1 > $2 THEN due_at - $1 ELSE $2 END WHERE due_at > $2 AND status = 'QUEUED'`, by.Milliseconds(), db.Ms(now)); err != nil {
		return err
	}
	_, err := tx.Exec(`UPDATE messages SET due_at = $1 WHERE due_at > $1 AND status = 'SENDING'`, db.Ms(now.Add(most)))
	return err
}

// Cancel ends a message that nobody has begun to hand over. It reports false for any other.
func Cancel(tx *db.Tx, m *Message, at time.Time, step string) (bool, error) {
	n, err := tx.Exec(`UPDATE messages SET `+erase+`, status = $1, rank = $2, due_at = NULL, canceled_at = $3, timeline = timeline || $4
 WHERE id = $5 AND status IN ('SCHEDULED', 'QUEUED')`, string(Canceled), Canceled.Rank(), db.Ms(at), step, m.ID)
	return n == 1, err
}

// Rise is what a receipt says of a message.
type Rise struct {
	To         Status
	At         time.Time
	ProviderID string
	Failure    *Failure
	Due        time.Time // To is Sent: as in [Outcome]
	Step       string
}

// Raise applies a receipt: from the status that was read to a higher one. It
// reports false when the message has moved on since it was read.
func Raise(tx *db.Tx, m *Message, r *Rise) (bool, error) {
	stamp := func(of bool) any {
		if of {
			return db.Ms(r.At)
		}
		return nil
	}
	set := erase
	if !r.Due.IsZero() {
		set = keep
	}
	arrived := r.To == Delivered || r.To == Read
	n, err := tx.Exec(`UPDATE messages SET `+set+`, status = $1, rank = $2, due_at = $3, provider_id = COALESCE(provider_id, $4), failure = $5,
 sent_at = COALESCE(sent_at, $6), delivered_at = COALESCE(delivered_at, $7), read_at = COALESCE(read_at, $8), failed_at = COALESCE($9, failed_at), timeline = timeline || $10
 WHERE id = $11 AND status = $12 AND attempt = $13 AND rank < $2`, string(r.To), r.To.Rank(), db.NullMs(r.Due), db.Null(r.ProviderID), encodeJSON(r.Failure, r.Failure == nil),
		stamp(r.To == Sent || arrived), stamp(arrived), stamp(r.To == Read), stamp(r.To == Failed), r.Step, m.ID, string(m.Status), m.Attempt)
	return n == 1, err
}
