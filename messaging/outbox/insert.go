package outbox

import (
	"strconv"
	"strings"
	"time"

	"griot/internal/db"
	"griot/messaging/inbox"
	"griot/messaging/message"
	"griot/messaging/quota"
	"griot/messaging/webhook"
)

const insertColumns = `id, notification_id, account_id, project_id, requested_channel, channel, recipient, address, sender_id, from_address, gateway, content, sensitive, source,
 status, rank, attempt, due_at, timeline, charged_day, created_at, scheduled_at, expires_at, wish, conversation_id, order_key, calls, metadata`

// codesFirst is added to the sequence numbers of all but one-time codes and other sensitive messages, so that these come first.
const codesFirst = 1 << 62

// insertOne numbers a message by the row that it becomes: SQLite has one writer.
var insertOne = `INSERT INTO messages (` + insertColumns + `, seq) VALUES (` + places(1, 28) +
	`, (SELECT COALESCE(MAX(rowid), 0) + 1 FROM messages) - CASE WHEN $13 = 1 THEN ` + strconv.Itoa(codesFirst) + ` ELSE 0 END)`

// places writes n placeholders, the first of which is $first.
func places(first, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(first+i))
	}
	return b.String()
}

// except is a condition that leaves out n order keys, whose placeholders follow $2.
func except(n int) string {
	if n == 0 {
		return ""
	}
	return ` AND order_key NOT IN (` + places(3, n) + `)`
}

// rowOf is a message's row as it is inserted, in the order of insertColumns.
func rowOf(m *message.Message) []any {
	var day any
	if m.ChargedDay != 0 {
		day = m.ChargedDay
	}
	return []any{
		m.ID, m.NotificationID, m.AccountID, db.Null(m.ProjectID), string(m.RequestedChannel), string(m.Channel), m.To, m.Address,
		db.Null(m.SenderID), db.Null(m.From), db.Null(m.Gateway), m.StoredContent(), flag(m.Sensitive), string(m.Source), string(m.Status), m.Status.Rank(), m.Version, db.NullMs(m.DueAt),
		string(m.Timeline), day, db.Ms(m.CreatedAt), db.NullMs(m.ScheduledAt), db.Ms(m.ExpiresAt), db.Null(m.StoredOptions()), db.Null(m.ConversationID), m.OrderKey(), m.Calls, db.Null(m.StoredMetadata()),
	}
}

// set makes the message one that is being handed over, or one that waits for its turn. A transaction may run twice.
func (a *Acceptance) set(begin bool) {
	m := a.Message
	if m.Status != message.Queued && m.Status != message.Sending {
		return
	}
	m.Status, m.DueAt, m.Version, m.Calls = message.Queued, time.Time{}, 0, 0
	if begin {
		m.Status, m.DueAt, m.Version, m.Calls = message.Sending, a.Until, 1, 1
	}
}

// forgetKey unties a key from the message to which the same transaction has tied it.
const forgetKey = `DELETE FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND message_id = $3`

// store decides about an acceptance and stores it, all or nothing.
func (a *Acceptance) store(tx *db.Tx) error {
	a.Refusal, a.Used = Stored, 0
	m := a.Message
	if a.Key != "" {
		n, err := tx.Exec(`INSERT INTO idempotency_keys (account_id, key, message_id, fingerprint) VALUES ($1, $2, $3, $4) ON CONFLICT (account_id, key) DO NOTHING`, m.AccountID, a.Key, m.ID, a.Fingerprint)
		if err != nil {
			return err
		}
		if n == 0 {
			return a.meet(tx)
		}
	}
	if err := a.charge(tx); err != nil {
		return err
	}
	if a.Refusal == Stored {
		return a.insert(tx)
	}
	if a.Key == "" {
		return nil
	}
	_, err := tx.Exec(forgetKey, m.AccountID, a.Key, m.ID) // a refusal leaves nothing behind
	return err
}

// meet decides what a key is that was taken already: the repetition's, or another's.
func (a *Acceptance) meet(tx *db.Tx) error {
	a.Refusal = KeyTaken
	holder, err := message.Remembered(&tx.Query, a.Message.AccountID, a.Key)
	if err == nil && holder != nil && !holder.Replays(a.Message.ProjectID, a.Message.Status == message.Sandbox) {
		a.Refusal = KeyForeign
	}
	return err
}

// charge takes the day's unit and the recipient's, both or neither. A simulated message uses none.
func (a *Acceptance) charge(tx *db.Tx) (err error) {
	m, day := a.Message, quota.Day(a.Message.CreatedAt)
	if m.Status == message.Sandbox {
		a.Used, err = quota.Used(&tx.Query, m.AccountID, day)
		return err
	}
	m.ChargedDay = day
	if a.RecipientCap > 0 {
		if ok, err := quota.TakeRecipient(tx, m.AccountID, m.Recipient(), day, a.RecipientCap); err != nil || !ok {
			a.Refusal = RecipientFull
			return err
		}
	}
	used, ok, err := quota.Take(tx, m.AccountID, day, a.DailyLimit)
	if a.Used = used; err != nil || ok {
		return err
	}
	a.Refusal = NoQuota
	if a.RecipientCap > 0 {
		return quota.GiveBackRecipient(tx, m.AccountID, m.Recipient(), day)
	}
	return nil
}

// insert stores the row, and what goes with it.
func (a *Acceptance) insert(tx *db.Tx) error {
	if err := inbox.Join(tx, a.Message); err != nil {
		return err
	}
	a.set(!a.Until.IsZero())
	if _, err := tx.Exec(insertOne, rowOf(a.Message)...); err != nil {
		return err
	}
	for _, e := range a.Events {
		if err := webhook.Insert(tx, e); err != nil {
			return err
		}
	}
	if a.Beside == nil {
		return nil
	}
	return a.Beside(tx, a.Message)
}
