package outbox

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/quota"
)

// BeginResult is the result of [Store.Begin].
type BeginResult struct {
	Message   *message.Message // SENDING, to be submitted now; nil: it has changed, the node's lease is lost, or one of the following
	DayFull   bool             // the daily limit of its sender's warm-up is reached
	Suspended bool             // its account is suspended
	OptedOut  string           // the failure code if its recipient has opted out of it; one-time codes are sent anyway
}

// A beginRequest is one call of [Store.Begin] with its result.
type beginRequest struct {
	entry     Entry
	message   *message.Message
	form      string // of its recipient's address, for comparisons
	pseudonym string // of its recipient
	until     time.Time
	day       *SenderDay
	result    BeginResult
}

// Begin marks a message, which was read at the version of its entry, as SENDING just before its gateway is called.
// until is the time of its check. A day that is not nil is that of a sender in a warm-up, in which the message is
// counted.
//
// An error means that nothing was written, or that this is unknown. In that case, the gateway must not be called.
func (s *Store) Begin(ctx context.Context, entry Entry, m *message.Message, until time.Time, day *SenderDay) (BeginResult, error) {
	b := &beginRequest{entry: entry, message: m, until: until, day: day}
	if !m.Options.Code {
		b.form, b.pseudonym = person.Form(m.Address), s.people.Pseudonym(m.AccountID, m.Address)
	}
	err := s.writer.begin(ctx, b)
	if err == nil {
		err = s.explain(ctx, b)
	}
	return b.result, err
}

// beginAll marks messages as SENDING, unless the node's lease is lost.
func beginAll(tx *db.Tx, all []*beginRequest, fence func(*db.Tx, *bool) error) error {
	held := false
	if err := fence(tx, &held); err != nil {
		return err
	}
	for _, b := range all {
		b.result = BeginResult{}
	}
	if err := tx.Flush(); err != nil || !held {
		return err
	}
	for _, b := range all {
		if b.day != nil {
			if err := b.countInDay(tx); err != nil {
				return err
			}
		} else if err := b.update(tx); err != nil {
			return err
		}
	}
	return nil
}

// countInDay counts the message in the sender's day, and reverts this if the message has changed.
func (b *beginRequest) countInDay(tx *db.Tx) error {
	ok, err := quota.CountSender(tx, b.day.SenderID, b.day.Day, b.day.Limit)
	if b.result.DayFull = !ok; err != nil || !ok {
		return err
	}
	if err := b.update(tx); err != nil {
		return err
	}
	if err := tx.Flush(); err != nil || b.result.Message != nil {
		return err
	}
	return quota.RefundSender(tx, b.day.SenderID, b.day.Day)
}

var (
	beginUpdate = `UPDATE messages SET status = 'SENDING', rank = 20, version = version + 1, calls = calls + 1, due_at = $1
 WHERE id = $2 AND version = $3 AND status IN ('SCHEDULED', 'QUEUED', 'SENDING') AND NOT EXISTS (` + suspension + `)`
	beginCode      = beginUpdate + ` RETURNING ` + message.Columns
	beginUnless    = beginUpdate + notOptedOut + ` RETURNING ` + message.Columns
	beginMarketing = beginUpdate + notStopped + ` RETURNING ` + message.Columns
)

func (b *beginRequest) update(tx *db.Tx) error {
	text, args := beginCode, []any{db.Ms(b.until), b.entry.ID, b.entry.Version}
	if !b.message.Options.Code {
		text, args = beginUnless, append(args, b.form, b.pseudonym)
	}
	if b.message.IsMarketing() {
		text = beginMarketing
	}
	return tx.Queue(func(scan db.Scan) (err error) {
		b.result.Message, err = message.Scan(scan)
		return err
	}, unversioned(text), args...)
}
