package login

import (
	"context"
	"time"

	"griot/auth/events"
	"griot/auth/tenant"
	"griot/gateway"
	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/phone"
)

// tokenTime is how long a token is good: an older one needs no revocation.
const tokenTime = 15 * time.Minute

// Cancel undoes what a phone has proved, when its owner sends NON, STOP or CANCEL
// and nothing else to a receiver: its live sessions end, and the tokens of its
// last 15 minutes are revoked. The message is taken when there was something to
// undo; otherwise it is whatever the number's owner makes of it (STOP to an
// account's sender is an opt-out). SMS is not taken: its sender is easily forged.
func (s *Service) Cancel(ctx context.Context, in gateway.Inbound) (taken bool, err error) {
	number, valid := phone.Parse(in.From)
	if !s.Receives(&in) || !valid || !cancels(in.Text) {
		return false, nil
	}
	c := &cancellation{phone: number, messageID: in.ID, now: s.now()}
	if err := s.db.Write(ctx, c.write); err != nil {
		return false, err
	}
	told := false
	for _, u := range c.undone {
		s.moved(u.LoginID)
		told = told || u.told
	}
	if told {
		s.told()
	}
	return c.taken, nil
}

// cancels reports whether a message is the one word that cancels.
func cancels(text string) bool {
	if len(text) > maxText {
		return false
	}
	switch fold(text) {
	case "non", "stop", "cancel":
		return true
	}
	return false
}

// cancellation is one message that cancels, and what it has undone.
type cancellation struct {
	phone     phone.Number
	messageID string
	now       time.Time
	ids       []string // of events: a second run takes the same
	undone    []undone
	taken     bool
}

// undone is a login or a token that the person took back.
type undone struct {
	*tenant.Event
	told    bool // its tenant is
	tokenID string
}

func (u *undone) tell(tx *db.Tx) error {
	if u.Type == tenant.LoginCanceled {
		return events.Insert(tx, events.LoginCanceled, u.Event, events.Detail{})
	}
	return events.Insert(tx, events.LoginRevoked, u.Event, events.Detail{TokenID: u.tokenID, Reason: events.ByPerson})
}

func (c *cancellation) write(tx *db.Tx) error {
	c.undone, c.taken = nil, false
	// In this order: a code that is redeemed meanwhile is either dead here or a token below.
	if err := markCanceled(tx, c); err != nil {
		return err
	}
	if err := markTokensRevoked(tx, c); err != nil {
		return err
	}
	if len(c.undone) == 0 {
		again, err := seenMessage(tx, c.messageID)
		c.taken = again
		return err
	}
	for _, u := range c.undone {
		if err := tenant.Record(tx, u.Event); err != nil {
			return err
		}
		if u.told {
			if err := u.tell(tx); err != nil {
				return err
			}
		}
	}
	c.taken = true
	return insertMessage(tx, c.messageID, c.undone[0].LoginID, c.now)
}

// undo notes that a session or token of the phone is undone.
func (c *cancellation) undo(typ string, u undone) {
	n := len(c.undone)
	if n == len(c.ids) {
		c.ids = append(c.ids, id.New(c.now))
	}
	u.ID, u.Type, u.At, u.Actor, u.Phone = c.ids[n], typ, c.now, tenant.ActorUser, c.phone
	c.undone = append(c.undone, u)
}
