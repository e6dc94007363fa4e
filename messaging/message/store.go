package message

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"griot/gateway"
	"griot/internal/db"
)

const insertMessage = `INSERT INTO messages (id, notification_id, account_id, project_id, requested_channel, channel, recipient, address,
 sender_id, from_address, gateway, content, sensitive, source, status, rank, attempt, due_at, timeline, charged_day, created_at, scheduled_at, expires_at)
 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`

// Insert stores a new message.
func Insert(tx *db.Tx, m *Message) error {
	stored := m.Content
	if m.Sensitive {
		stored = Content{Sealed: m.Sealed}
	}
	content, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	var day any
	if m.ChargedDay != 0 {
		day = m.ChargedDay
	}
	_, err = tx.Exec(insertMessage, m.ID, m.NotificationID, m.AccountID, db.Null(m.ProjectID), string(m.RequestedChannel), string(m.Channel), m.To, m.Address,
		db.Null(m.SenderID), db.Null(m.From), db.Null(m.Gateway), string(content), flag(m.Sensitive), string(m.Source), string(m.Status), m.Status.Rank(), m.Attempt, db.NullMs(m.DueAt),
		string(m.Timeline), day, db.Ms(m.CreatedAt), db.NullMs(m.ScheduledAt), db.Ms(m.ExpiresAt))
	return err
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// erase takes a sensitive message's content away when the gateway has it or never will.
const erase = `content = CASE WHEN sensitive = 1 THEN '{}' ELSE content END`

const columns = `id, notification_id, account_id, project_id, requested_channel, channel, recipient, address, sender_id, from_address, gateway, content, sensitive, source, status,
 attempt, claimed_from, due_at, unknown_at, provider_id, failure, timeline, charged_day, created_at, scheduled_at, expires_at, sent_at, delivered_at, read_at, failed_at`

type row struct {
	m                                                             Message
	project, sender, from, gateway, claimed, provider, failure    sql.NullString
	due, unknown, day, scheduled, sent, delivered, read, failedAt sql.NullInt64
	requested, channel, content, source, status, timeline         string
	created, expires                                              int64
}

func (r *row) dest() []any {
	return []any{
		&r.m.ID, &r.m.NotificationID, &r.m.AccountID, &r.project, &r.requested, &r.channel, &r.m.To, &r.m.Address, &r.sender, &r.from, &r.gateway, &r.content, &r.m.Sensitive, &r.source, &r.status,
		&r.m.Attempt, &r.claimed, &r.due, &r.unknown, &r.provider, &r.failure, &r.timeline, &r.day, &r.created, &r.scheduled, &r.expires, &r.sent, &r.delivered, &r.read, &r.failedAt,
	}
}

func (r *row) message() (*Message, error) {
	m := r.m
	if err := json.Unmarshal([]byte(r.content), &m.Content); err != nil {
		return nil, fmt.Errorf("message %s: content: %w", m.ID, err)
	}
	m.Sealed, m.Content.Sealed = m.Content.Sealed, ""
	if r.failure.Valid {
		if err := json.Unmarshal([]byte(r.failure.String), &m.Failure); err != nil {
			return nil, fmt.Errorf("message %s: failure: %w", m.ID, err)
		}
	}
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

// Due reports whether any message is due at now.
func Due(q *db.Query, now time.Time) (bool, error) {
	var one int
	return q.Row(`SELECT 1 FROM messages WHERE due_at <= $1 LIMIT 1`, db.Ms(now)).Scan(&one)
}

// Claim takes up to n messages that are due, for attempts that end before lease.
// Each comes back as SENDING with a new attempt number, the status that it had in
// ClaimedFrom: a message found SENDING had been with a worker that is gone.
func Claim(tx *db.Tx, now, lease time.Time, n int) ([]*Message, error) {
	return collect(&tx.Query, `UPDATE messages SET claimed_from = status, status = 'SENDING', rank = 20, attempt = attempt + 1, due_at = $1
 WHERE id IN (SELECT id FROM messages WHERE due_at <= $2 ORDER BY due_at LIMIT $3 /*lock*/) RETURNING `+columns, db.Ms(lease), db.Ms(now), n)
}

// collect reads the messages of an answer whose columns are columns.
func collect(q *db.Query, text string, args ...any) (out []*Message, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var r row
		if err := rows.Scan(r.dest()...); err != nil {
			return err
		}
		m, err := r.message()
		out = append(out, m)
		return err
	}, text, args...)
	return out, err
}

// Reclaim makes every message due that a worker had when the process ended. Only
// for a database that no other process uses.
func Reclaim(tx *db.Tx, now time.Time) error {
	_, err := tx.Exec(`UPDATE messages SET due_at = $1 WHERE due_at > $1 AND status = 'SENDING' AND unknown_at IS NULL`, db.Ms(now))
	return err
}

// Outcome is how an attempt ended.
type Outcome struct {
	Status     Status // Sent, Failed or Expired
	At         time.Time
	ProviderID string
	Failure    *Failure // why it is not Sent
	Step       string   // to append to the timeline, from [Then]
}

// Finish ends the attempt that m carries. It reports false when the message was
// taken by another worker since, or a receipt has already raised it as far.
func Finish(tx *db.Tx, m *Message, o *Outcome) (bool, error) {
	var sent, failed any
	if o.Status == Sent {
		sent = db.Ms(o.At)
	} else {
		failed = db.Ms(o.At)
	}
	n, err := tx.Exec(`UPDATE messages SET `+erase+`, status = $1, rank = $2, due_at = NULL, provider_id = $3, failure = $4, sent_at = $5, failed_at = $6, timeline = timeline || $7
 WHERE id = $8 AND attempt = $9 AND rank < $2`, string(o.Status), o.Status.Rank(), db.Null(o.ProviderID), encodeFailure(o.Failure), sent, failed, o.Step, m.ID, m.Attempt)
	return n == 1, err
}

// Cancel ends a message that nobody has begun to hand over. It reports false for any other.
func Cancel(tx *db.Tx, m *Message, at time.Time, step string) (bool, error) {
	n, err := tx.Exec(`UPDATE messages SET `+erase+`, status = $1, rank = $2, due_at = NULL, canceled_at = $3, timeline = timeline || $4
 WHERE id = $5 AND status IN ('SCHEDULED', 'QUEUED')`, string(Canceled), Canceled.Rank(), db.Ms(at), step, m.ID)
	return n == 1, err
}

// Postpone keeps the attempt's message SENDING with an unknown outcome, to be looked at again at due.
func Postpone(tx *db.Tx, m *Message, unknownSince, due time.Time, step string) (bool, error) {
	n, err := tx.Exec(`UPDATE messages SET unknown_at = $1, due_at = $2, timeline = timeline || $3 WHERE id = $4 AND attempt = $5 AND status = 'SENDING'`,
		db.Ms(unknownSince), db.Ms(due), step, m.ID, m.Attempt)
	return n == 1, err
}

// Raise applies a receipt: from the status that was read to a higher one. It
// reports false when the message has moved on since it was read.
func Raise(tx *db.Tx, m *Message, to Status, at time.Time, providerID string, f *Failure, step string) (bool, error) {
	stamp := func(of bool) any {
		if of {
			return db.Ms(at)
		}
		return nil
	}
	arrived := to == Delivered || to == Read
	n, err := tx.Exec(`UPDATE messages SET `+erase+`, status = $1, rank = $2, due_at = NULL, provider_id = COALESCE(provider_id, $3), failure = $4,
 sent_at = COALESCE(sent_at, $5), delivered_at = COALESCE(delivered_at, $6), read_at = COALESCE(read_at, $7), failed_at = COALESCE($8, failed_at), timeline = timeline || $9
 WHERE id = $10 AND status = $11 AND attempt = $12 AND rank < $2`, string(to), to.Rank(), db.Null(providerID), encodeFailure(f),
		stamp(to == Sent || arrived), stamp(arrived), stamp(to == Read), stamp(to == Failed), step, m.ID, string(m.Status), m.Attempt)
	return n == 1, err
}

func encodeFailure(f *Failure) any {
	if f == nil {
		return nil
	}
	b, err := json.Marshal(f)
	if err != nil {
		return nil // not reached: nothing in a failure can fail to be written
	}
	return string(b)
}

// Remember ties an idempotency key to a message. It reports false, changing
// nothing, when the key is tied already.
func Remember(tx *db.Tx, accountID, key, messageID, fingerprint string) (bool, error) {
	n, err := tx.Exec(`INSERT INTO idempotency_keys (account_id, key, message_id, fingerprint) VALUES ($1, $2, $3, $4) ON CONFLICT (account_id, key) DO NOTHING`,
		accountID, key, messageID, fingerprint)
	return n == 1, err
}

// Forget unties a key from the message to which this transaction has tied it.
func Forget(tx *db.Tx, accountID, key, messageID string) error {
	_, err := tx.Exec(`DELETE FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND message_id = $3`, accountID, key, messageID)
	return err
}

// Remembered returns what a key is tied to; found is false for a fresh key.
func Remembered(q *db.Query, accountID, key string) (messageID, fingerprint string, found bool, err error) {
	found, err = q.Row(`SELECT message_id, fingerprint FROM idempotency_keys WHERE account_id = $1 AND key = $2`, accountID, key).Scan(&messageID, &fingerprint)
	return messageID, fingerprint, found, err
}
