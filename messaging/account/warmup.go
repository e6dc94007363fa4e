package account

import (
	"context"
	"strconv"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

// A WarmUp increases the daily limit of a new sender gradually: First messages on the first day, and twice as many on
// each following day, until there is no limit. The zero value is no warm-up.
type WarmUp struct {
	From  int64 // the first UTC day, counted from 1970-01-01
	First int64 // messages on the first day
	Days  int64 // number of days with a limit; 0: no warm-up
}

// Limits of a warm-up. The number of messages on its last day fits in an int64.
const (
	MaxWarmUpDays  = 30
	MaxWarmUpFirst = 1_000_000
)

// The warm-up of a number that has been linked to a phone.
const (
	linkedFirst = 20
	linkedDays  = 7
)

// Allowance returns the maximum number of messages on a day. ok is false if there is no limit.
func (w WarmUp) Allowance(day int64) (limit int64, ok bool) {
	since := max(day-w.From, 0) // the clock might have been set back
	if since >= w.Days {
		return 0, false
	}
	return w.First << min(since, MaxWarmUpDays), true
}

// Now returns the directory's time.
func (d *Directory) Now() time.Time { return d.now() }

// SetWarmUp starts a sender's warm-up or, with the zero value, ends it. found is false if there is no such sender.
// First and Days must be within their limits.
func (d *Directory) SetWarmUp(ctx context.Context, senderID string, w WarmUp) (found bool, err error) {
	now := d.now()
	err = d.db.Write(ctx, func(tx *db.Tx) (err error) {
		accountID := ""
		if accountID, found, err = updateWarmUp(tx, senderID, w); err != nil || !found {
			return err
		}
		event := audit.New(ctx, now, accountID, audit.SenderChanged, senderID, "warmUpFirst", strconv.FormatInt(w.First, 10), "warmUpDays", strconv.FormatInt(w.Days, 10))
		return recordChange(tx, event)
	})
	d.ForgetAll()
	return found && err == nil, err
}

// BeginLinkedWarmUp starts the warm-up of a sender whose number has just been linked for the first time, unless it
// already has one, because providers close linked numbers that send many messages immediately. Call
// [Directory.ForgetAll] after the commit.
func BeginLinkedWarmUp(tx *db.Tx, senderID string, day int64) error {
	begun, err := beginWarmUp(tx, senderID, WarmUp{From: day, First: linkedFirst, Days: linkedDays})
	if err != nil || !begun {
		return err
	}
	return NoteChange(tx)
}
