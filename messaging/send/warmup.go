package send

import (
	"context"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/quota"
)

// codeWarmingUp is why a message leaves a sender whose day is full.
const codeWarmingUp = "sender_warming_up"

// warmDay is a day of a sender that warms up.
type warmDay struct {
	sender string
	day    int64
	limit  int64
	over   time.Time // when the next day begins
	taken  bool      // one of it is m's
}

// warming returns the day of m's sender; nil when there is no limit to it, as for nearly all. A message that may have
// been handed over already was counted then.
func (e *Engine) warming(a *account.Account, m *message.Message) *warmDay {
	if !m.UnknownAt.IsZero() {
		return nil
	}
	for i := range a.Senders {
		s := &a.Senders[i]
		if s.ID != m.SenderID {
			continue
		}
		now := e.o.Now()
		d := &warmDay{sender: s.ID, day: quota.Day(now), over: quota.Begins(quota.Day(now) + 1)}
		ok := false
		if d.limit, ok = s.WarmUp.Allowance(d.day); !ok {
			return nil
		}
		return d
	}
	return nil // removed; what waits with it still goes
}

// dayFull looks whether a sender's day has room, or takes one message of it. When there is none left, m is put on its
// next way (again: go on with it), or back until the next day; a message that is worth nothing tomorrow goes all the
// same. Who looks before it waits for its turn neither waits in vain nor uses up the gateway's pace.
func (e *Engine) dayFull(ctx context.Context, a *account.Account, m *message.Message, d *warmDay, place *ticket, take bool) (after *message.Message, again, full bool) {
	if d == nil {
		return nil, false, false
	}
	full, err := e.fill(ctx, d, take)
	if err == nil && !full {
		return nil, false, false
	}
	failure := &gateway.Error{Class: gateway.RateLimited, Code: codeWarmingUp}
	var next onward
	more := false
	if err == nil {
		next, more, err = e.onward(ctx, a, m, failure)
	}
	switch {
	case err != nil:
		e.o.Log.Error("counting a message of a sender that warms up", "messageId", m.ID, "err", err)
		place.leave("", false)
		return e.park(ctx, m, e.o.Now().Add(parkFor)), false, true
	case more:
		place.leave("", false)
		after, again = e.advance(ctx, m, next, message.Sending, message.FailureOf(failure))
		return after, again, true
	case m.Sensitive:
		return nil, false, false
	}
	until := place.park(d.over)
	place.leave("", false)
	if until.After(m.ExpiresAt) {
		until = m.ExpiresAt
	}
	note := "its sender warms up, and has sent what it may today; waits until " + d.over.UTC().Format(time.RFC3339)
	return e.putBack(ctx, m, until, e.step(m, message.Queued, nil, note)), false, true
}

func (e *Engine) fill(ctx context.Context, d *warmDay, take bool) (full bool, err error) {
	if !take {
		used, err := quota.SenderUsed(e.o.DB.Read(ctx), d.sender, d.day)
		return used >= d.limit, err
	}
	err = e.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
		d.taken, err = quota.TakeSender(tx, d.sender, d.day, d.limit)
		return err
	})
	return !d.taken, err
}

// giveDayBack returns what was taken for an attempt that handed nothing over.
func (e *Engine) giveDayBack(ctx context.Context, m *message.Message, d *warmDay) {
	if err := e.o.DB.Write(ctx, func(tx *db.Tx) error { return quota.GiveBackSender(tx, d.sender, d.day) }); err != nil {
		e.o.Log.Error("giving back what a warm-up counted", "messageId", m.ID, "err", err) // the day has one less
	}
}
