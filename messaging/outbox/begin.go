package outbox

import (
	"context"
	"database/sql"
	"time"

	"griot/internal/db"
	"griot/messaging/message"
	"griot/messaging/quota"
)

// BeginResult is the result of [Store.Begin].
type BeginResult struct {
	Message *message.Message // SENDING, to be handed over now; nil: it has changed, the node's lease is lost, or the sender's day is full
	DayFull bool
}

// beginRequest is one call of [Store.Begin], with its result.
type beginRequest struct {
	entry  Entry
	until  time.Time
	day    *SenderDay
	fence  func(*db.Tx) (bool, error)
	result BeginResult
}

// Begin marks a message as SENDING just before its gateway is called. It is to be looked at again at until. A day that
// isn't nil is that of a warming sender, which the message is counted in.
//
// An error means that nothing was written, or that it is not known: the gateway must not be called then.
func (s *Store) Begin(ctx context.Context, entry Entry, until time.Time, day *SenderDay) (BeginResult, error) {
	b := &beginRequest{entry: entry, until: until, day: day, fence: s.node.fence}
	err := s.writer.begin(ctx, b)
	return b.result, err
}

func (b *beginRequest) run(tx *db.Tx) error {
	b.result = BeginResult{}
	mine, err := b.fence(tx)
	if err != nil || !mine {
		return err
	}
	if b.day != nil {
		ok, err := quota.TakeSender(tx, b.day.SenderID, b.day.Day, b.day.Limit)
		if b.result.DayFull = !ok; err != nil || !ok {
			return err
		}
	}
	err = tx.Each(func(rows *sql.Rows) (err error) {
		b.result.Message, err = message.Scan(rows.Scan)
		return err
	}, `UPDATE messages SET status = 'SENDING', rank = 20, attempt = attempt + 1, calls = calls + 1, due_at = $1
 WHERE id = $2 AND attempt = $3 AND status IN ('SCHEDULED', 'QUEUED', 'SENDING') RETURNING `+message.Columns, db.Ms(b.until), b.entry.ID, b.entry.Version)
	if err == nil && b.result.Message == nil && b.day != nil {
		return quota.GiveBackSender(tx, b.day.SenderID, b.day.Day)
	}
	return err
}
