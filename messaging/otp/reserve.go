package otp

import (
	"context"
	"errors"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// errReplay reports that a message was stored with the request's idempotency key in the meantime.
var errReplay = errors.New("otp: a replay")

// claimLifetime is the time for which a request holds its idempotency key before another request with the key is counted.
const claimLifetime = time.Minute

// reserve counts a request, and returns an error if it must not be sent. A request is counted even if it fails later.
// Only a concurrent request with the same key is not counted. seq orders the challenges of a number. claimed means
// that this request holds the key, until deleteClaim.
//
// Errors: errReplay, otp_rate_limited, otp_blocked.
func (s *Service) reserve(ctx context.Context, c *account.Caller, r *Request, now time.Time) (seq int64, claimed bool, err error) {
	limits := s.o.Limits
	if s.simulated(c, r) {
		limits = nil // simulated codes are free
	}
	tooFewVerified, err := limits.tooFewVerified(s.o.DB.Read(ctx), c.Account.ID, r.number, now)
	if err != nil {
		return 0, false, err
	}
	var refused error
	err = s.write(ctx, func(tx *db.Tx) (err error) {
		refused = nil
		who, err := person.Find(&tx.Query, c.Account.ID, string(r.number))
		if err != nil {
			return err
		}
		if r.IdempotencyKey != "" {
			if claimed, err = insertClaim(tx, c.Account.ID, r.IdempotencyKey, now); err != nil {
				return err
			}
			if !claimed { // another request with the key is in progress
				seq, err = lastSeq(&tx.Query, c.Account.ID, who)
				return err
			}
			holder, err := message.FindKeyHolder(&tx.Query, s.sweptKeys, c.Account.ID, r.IdempotencyKey)
			if err != nil {
				return err
			}
			if holder != nil {
				refused = errReplay
				return deleteClaim(tx, c.Account.ID, r.IdempotencyKey)
			}
		}
		if seq, refused, err = countRequest(tx, c.Account.ID, who, now); err == nil && refused == nil {
			refused, err = limits.count(tx, c.Account.ID, r.number, tooFewVerified, now)
		}
		if err != nil || refused == nil || r.IdempotencyKey == "" {
			return err
		}
		return deleteClaim(tx, c.Account.ID, r.IdempotencyKey)
	})
	if err != nil {
		return 0, false, err
	}
	return seq, claimed, refused
}

// countRequest counts a request of an account for a person, as returned by [person.Find], unless there have been three in ten minutes.
func countRequest(tx *db.Tx, accountID, who string, now time.Time) (seq int64, refused, err error) {
	seq, ok, err := addRequest(tx, accountID, who, now)
	if err != nil || ok {
		return seq, nil, err
	}
	oldest, err := oldestRequest(&tx.Query, accountID, who)
	return 0, apierror.OTPRateLimited.After(oldest.Add(ratePeriod).Sub(now)), err
}
