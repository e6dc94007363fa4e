package message

import (
	"time"

	"griot/internal/db"
)

// What follows ends an attempt, or the waiting after one. Each is fenced by the
// attempt's number and reports false, changing nothing, when another worker has
// the message by now, or a receipt has already raised it as far.

// Outcome is how an attempt ended.
type Outcome struct {
	Status     Status // Sent, Failed or Expired
	At         time.Time
	ProviderID string
	Failure    *Failure  // why it is not Sent
	Due        time.Time // Sent: when the next way is taken unless the message has arrived; zero: never
	Note       string    // Sent: how it was carried, when not as it is
	Step       string    // to append to the timeline, from [Then]
}

// Finish ends the attempt that m carries.
func Finish(tx *db.Tx, m *Message, o *Outcome) (bool, error) {
	text, args := finish(m, o)
	n, err := tx.Exec(text, args...)
	return n == 1, err
}

const (
	finishKept   = `UPDATE messages SET ` + keep + finishRest
	finishErased = `UPDATE messages SET ` + erase + finishRest
	finishRest   = `, status = $1, rank = $2, due_at = $3, provider_id = $4, failure = $5, sent_at = $6, failed_at = $7, timeline = timeline || $8, calls = $9,
 unknown_at = COALESCE(unknown_at, $10) WHERE id = $11 AND attempt = $12 AND rank < $2`
)

func finish(m *Message, o *Outcome) (text string, args []any) {
	text = finishErased
	if !o.Due.IsZero() {
		text = finishKept
	}
	var sent, failed any
	if o.Status == Sent {
		sent = db.Ms(o.At)
	} else {
		failed = db.Ms(o.At)
	}
	return text, []any{
		string(o.Status), o.Status.Rank(), db.NullMs(o.Due), db.Null(o.ProviderID), encodeJSON(o.Failure, o.Failure == nil), sent, failed, o.Step, m.Calls,
		db.NullMs(m.UnknownAt), m.ID, m.Attempt,
	}
}

// Postpone keeps the attempt's message SENDING with an unknown outcome, to be looked at again at due.
func Postpone(tx *db.Tx, m *Message, unknownSince, due time.Time, step string) (bool, error) {
	n, err := tx.Exec(`UPDATE messages SET unknown_at = $1, due_at = $2, timeline = timeline || $3, calls = $4 WHERE id = $5 AND attempt = $6 AND status = 'SENDING'`,
		db.Ms(unknownSince), db.Ms(due), step, m.Calls, m.ID, m.Attempt)
	return n == 1, err
}

// Requeue puts the attempt's message back among those that wait, until due. m.Tries
// and m.Calls are stored with it. Nothing of it may have been handed over.
func Requeue(tx *db.Tx, m *Message, due time.Time, step string) (bool, error) {
	n, err := tx.Exec(`UPDATE messages SET status = 'QUEUED', rank = $1, due_at = $2, tries = $3, calls = $4, timeline = timeline || $5 WHERE id = $6 AND attempt = $7 AND status = 'SENDING'`,
		Queued.Rank(), db.Ms(due), m.Tries, m.Calls, step, m.ID, m.Attempt)
	return n == 1, err
}

// Advance puts the message, found in a status, on another way, as SENDING under
// the next attempt number and a lease. It is m as it was before; left is what was tried.
func Advance(tx *db.Tx, m *Message, from Status, next Way, left []Way, lease time.Time, step string) (bool, error) {
	n, err := tx.Exec(`UPDATE messages SET channel = $1, sender_id = $2, from_address = $3, gateway = $4, address = $5, hop = hop + 1, left_behind = $6, tries = 0, calls = $7,
 unknown_at = NULL, provider_id = NULL, failure = NULL, status = 'SENDING', rank = $8, attempt = attempt + 1, due_at = $9, timeline = timeline || $10
 WHERE id = $11 AND attempt = $12 AND status = $13`,
		string(next.Channel), next.SenderID, next.From, next.Gateway, next.Address, encodeJSON(left, len(left) == 0), m.Calls,
		Sending.Rank(), db.Ms(lease), step, m.ID, m.Attempt, string(from))
	return n == 1, err
}

// Settle ends the waiting of a message that a gateway has: there is no way left to
// try. It is SENT, by the way that w names.
func Settle(tx *db.Tx, m *Message, w Way, step string) (bool, error) {
	n, err := tx.Exec(`UPDATE messages SET `+erase+`, status = 'SENT', rank = $1, due_at = NULL, failure = NULL, channel = $2, sender_id = $3, from_address = $4, gateway = $5, address = $6,
 provider_id = $7, calls = $8, timeline = timeline || $9 WHERE id = $10 AND attempt = $11 AND rank <= $1`,
		Sent.Rank(), string(w.Channel), w.SenderID, w.From, w.Gateway, w.Address, db.Null(w.ProviderID), m.Calls, step, m.ID, m.Attempt)
	return n == 1, err
}
