package outbox

import (
	"context"
	"database/sql"
	"time"

	"griot/internal/db"
	"griot/messaging/message"
	"griot/messaging/quota"
)

// Begun is what became of a beginning.
type Begun struct {
	Message *message.Message // SENDING, to be handed over now; nil: it has changed, the node's lease is lost, or the day is full
	DayFull bool
}

// beginning is a message that is about to be handed over.
type beginning struct {
	key    Key
	until  time.Time
	day    *SenderDay
	fence  func(*db.Tx) (bool, error)
	result Begun
}

// Begin marks a message as being handed over, to be looked at again at until, and takes one of a day of its sender,
// unless day is nil. It comes just before the call.
//
// An error means that nothing was written, or that it is not known: nothing may be handed over then.
func (s *Store) Begin(ctx context.Context, k Key, until time.Time, day *SenderDay) (Begun, error) {
	b := &beginning{key: k, until: until, day: day, fence: s.node.fence}
	err := s.writer.begin(ctx, b)
	return b.result, err
}

func (b *beginning) run(tx *db.Tx) error {
	b.result = Begun{}
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
 WHERE id = $2 AND attempt = $3 AND status IN ('SCHEDULED', 'QUEUED', 'SENDING') RETURNING `+message.Columns, db.Ms(b.until), b.key.ID, b.key.Version)
	if err == nil && b.result.Message == nil && b.day != nil {
		return quota.GiveBackSender(tx, b.day.SenderID, b.day.Day)
	}
	return err
}
