package otp

import (
	"cmp"
	"context"
	"strings"
	"time"

	"griot/internal/db"
	"griot/internal/fault"
	"griot/internal/id"
	"griot/internal/phone"
	"griot/messaging/account"
)

// Guess is what somebody typed for a code.
type Guess struct {
	ChallengeID, To string // one of them: a challenge, or the number whose latest live one is meant
	Code            string
	Sandbox         bool // of a challenge that was simulated
}

// Verify judges a guess at the code of a challenge of the account. It returns nil
// for the right code, once. A test key's guess, and one in the sandbox, is at simulated
// challenges; all others are at real ones.
//
// Errors: invalid_request, invalid_phone; invalid_code, expired, too_many_attempts, and not_found
// for what is absent, another's, used or void.
func (s *Service) Verify(ctx context.Context, c *account.Caller, g *Guess) error {
	challengeID := g.ChallengeID
	switch {
	case (challengeID == "") == (g.To == ""):
		return fault.InvalidRequest.On("challengeId").Detailf("Send either challengeId or to.")
	case g.Code == "":
		return fault.InvalidRequest.On("code").Detailf("code is required.")
	}
	who := asker{accountID: c.Account.ID, sandbox: played(c, g.Sandbox)}
	if g.To != "" {
		number, ok := phone.Parse(g.To)
		if !ok {
			return fault.InvalidPhone.On("to")
		}
		var err error
		if challengeID, err = latest(s.o.DB.Read(ctx), who, string(number), s.o.Now()); err != nil {
			return err
		}
	}
	if rest, ok := strings.CutPrefix(challengeID, id.Challenge); !ok || !id.Valid(rest) {
		return refuse(fault.OTPNotFound)
	}
	return s.judge(ctx, who, challengeID, g.Code)
}

// asker is whose challenges can be seen.
type asker struct {
	accountID string
	sandbox   bool // the simulated ones, or else the real ones
}

// judge counts the guess before it tells what came of it: the count and, for the
// right code, the use are one conditional UPDATE, so that however many guess at
// once, five are judged and one code is used. What the guess is compared with never changes.
func (s *Service) judge(ctx context.Context, who asker, challengeID, code string) error {
	now, mac := s.o.Now(), s.mac(challengeID, code)
	var refused *fault.Kind
	err := s.write(ctx, func(tx *db.Tx) error {
		refused = nil
		right, counted, err := attempt(tx, who, challengeID, mac, now)
		switch {
		case err != nil:
			return err
		case !counted:
			st, err := standing(&tx.Query, who, challengeID)
			refused = cmp.Or(st.refusal(now), fault.OTPNotFound)
			return err
		case !right:
			refused = fault.OTPInvalidCode
		}
		return nil
	})
	if err == nil && refused != nil {
		err = refuse(refused)
	}
	return err
}

// stand is how a challenge stands.
type stand struct {
	found    bool
	attempts int
	used     bool
	expires  time.Time
}

// refusal says why no guess is judged any more; nil when it is. A challenge that was locked stays so.
func (s *stand) refusal(now time.Time) *fault.Kind {
	switch {
	case !s.found || s.used:
		return fault.OTPNotFound
	case s.attempts >= maxAttempts:
		return fault.OTPTooManyAttempts
	case !now.Before(s.expires):
		return fault.OTPExpired
	}
	return nil
}

// refuse says that a code was not verified.
func refuse(k *fault.Kind) error { return k.Err().With("valid", false) }
