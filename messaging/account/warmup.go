package account

import (
	"context"
	"strconv"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

// WarmUp lets a new sender begin slowly: so many messages on its first day, and
// on each day after that twice as many, until it needs no limit. Its zero value is none.
type WarmUp struct {
	From  int64 // the UTC day on which it begins, counted from 1970-01-01
	First int64 // messages of that day
	Days  int64 // after so many there is no limit; 0: there is no warm-up
}

// Limits of a warm-up: what it amounts to on its last day fits an int64 with room.
const (
	MaxWarmUpDays  = 30
	MaxWarmUpFirst = 1_000_000
)

// The warm-up of a number that has been linked to a phone.
const (
	linkedFirst = 20
	linkedDays  = 7
)

// Allowance returns how many messages may go on a day; ok is false when there is no limit.
func (w WarmUp) Allowance(day int64) (limit int64, ok bool) {
	since := max(day-w.From, 0) // the clock may have been set back
	if since >= w.Days {
		return 0, false
	}
	return w.First << min(since, MaxWarmUpDays), true
}

// Now is the directory's time.
func (d *Directory) Now() time.Time { return d.now() }

// SetWarmUp gives a sender a warm-up, or with the zero value ends it; found is false when there is no such sender.
// First and Days are within their limits.
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

// BeginLinkedWarmUp lets a sender begin slowly whose number has just been linked for the first time, unless it has a warm-up.
// Providers close linked numbers that write much at once. After the commit, call [Directory.ForgetAll].
func BeginLinkedWarmUp(tx *db.Tx, senderID string, day int64) error {
	begun, err := beginWarmUp(tx, senderID, WarmUp{From: day, First: linkedFirst, Days: linkedDays})
	if err != nil || !begun {
		return err
	}
	return NoteChange(tx)
}
