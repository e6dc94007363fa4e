package otp

import (
	"context"
	"errors"
	"time"

	"griot/internal/db"
	"griot/internal/fault"
	"griot/messaging/account"
	"griot/messaging/message"
)

// errReplay says that the key of a request was tied to a message meanwhile.
var errReplay = errors.New("otp: a replay")

// claimTime is how long the first request under a key may take before another one counts.
const claimTime = time.Minute

// reserve counts a request, and says whether it may be sent. What it counts stays
// counted whatever becomes of the request; only a request that doubles another one
// under the same key does not count. turn orders the challenges of a number; claimed
// says that the key is noted as under way, until it is released.
//
// Errors: errReplay, otp_rate_limited, otp_blocked.
func (s *Service) reserve(ctx context.Context, c *account.Caller, r *Request, now time.Time) (turn int64, claimed bool, err error) {
	g := s.o.Limits
	if s.simulated(c, r) {
		g = nil // nothing leaves that could be pumped
	}
	tripped, err := g.tripped(s.o.DB.Read(ctx), c.Account.ID, r.number, now)
	if err != nil {
		return 0, false, err
	}
	var refused error
	err = s.write(ctx, func(tx *db.Tx) (err error) {
		refused = nil
		if r.IdempotencyKey != "" {
			if claimed, err = claim(tx, c.Account.ID, r.IdempotencyKey, now); err != nil {
				return err
			}
			if !claimed { // its double is at work
				turn, err = lastTurn(&tx.Query, c.Account.ID, string(r.number))
				return err
			}
			holder, err := message.Remembered(&tx.Query, c.Account.ID, r.IdempotencyKey)
			if err != nil {
				return err
			}
			if holder != nil {
				refused = errReplay
				return release(tx, c.Account.ID, r.IdempotencyKey)
			}
		}
		if turn, refused, err = count(tx, c.Account.ID, string(r.number), now); err == nil && refused == nil {
			refused, err = g.take(tx, c.Account.ID, r.number, tripped, now)
		}
		if err != nil || refused == nil || r.IdempotencyKey == "" {
			return err
		}
		return release(tx, c.Account.ID, r.IdempotencyKey)
	})
	if err != nil {
		return 0, false, err
	}
	return turn, claimed, refused
}

// count adds a request to the account's for the number, unless there have been three in ten minutes.
func count(tx *db.Tx, accountID, address string, now time.Time) (turn int64, refused, err error) {
	turn, ok, err := addRequest(tx, accountID, address, now)
	if err != nil || ok {
		return turn, nil, err
	}
	oldest, err := oldestRequest(&tx.Query, accountID, address)
	return 0, fault.OTPRateLimited.After(oldest.Add(ratePeriod).Sub(now)), err
}
