package otp

import (
	"cmp"
	"context"
	"strings"
	"time"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/visible"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/person"
)

// A Guess is a code that a person has entered.
type Guess struct {
	ChallengeID, To string // only one of the two: a challenge, or the number whose latest live challenge is used
	Code            string // as typed or pasted ([visible.Code])
	Sandbox         bool   // for a simulated challenge
}

// Verify compares a guess with the code of a challenge of the account (M105 to M111). It returns nil for the correct
// code, once. Test keys and sandbox requests verify simulated challenges, and all others verify real ones.
//
// Errors: invalid_request, invalid_phone; invalid_code, expired, too_many_attempts, and not_found for a challenge
// that is missing, belongs to another account, or is used or void.
func (s *Service) Verify(ctx context.Context, c *account.Caller, g *Guess) error {
	err := s.verify(ctx, c, g)
	s.o.Metrics.Checked(checkResult(err))
	return err
}

func (s *Service) verify(ctx context.Context, c *account.Caller, g *Guess) error {
	challengeID, code := g.ChallengeID, visible.Code(g.Code)
	switch {
	case (challengeID == "") == (g.To == ""):
		return apierror.InvalidRequest.On("challengeId").Detailf("Send either challengeId or to.")
	case code == "":
		return apierror.InvalidRequest.On("code").Detailf("code is required.")
	}
	who := requester{accountID: c.Account.ID, sandbox: sandboxRequested(c, g.Sandbox)}
	if g.To != "" {
		number, ok := phone.Parse(g.To)
		if !ok {
			return apierror.InvalidPhone.On("to")
		}
		var err error
		if challengeID, err = latestChallenge(s.o.DB.Read(ctx), who, person.Form(string(number)), s.o.Now()); err != nil {
			return err
		}
	}
	if rest, ok := strings.CutPrefix(challengeID, id.Challenge); !ok || !id.Valid(rest) {
		return notVerified(apierror.OTPNotFound)
	}
	return s.checkGuess(ctx, who, challengeID, code)
}

// A requester is the caller that verifies a code.
type requester struct {
	accountID string
	sandbox   bool // only simulated challenges; false: only real ones
}

// checkGuess counts a guess and compares it in one conditional UPDATE, which marks the challenge as used if the guess
// is correct. Therefore, at most five of several concurrent guesses are compared, and only one is accepted.
func (s *Service) checkGuess(ctx context.Context, who requester, challengeID, code string) error {
	now, macs := s.o.Now(), s.macs(challengeID, code)
	var refused *apierror.Kind
	err := s.write(ctx, func(tx *db.Tx) error {
		refused = nil
		right, counted, err := countGuess(tx, who, challengeID, macs, now)
		switch {
		case err != nil:
			return err
		case !counted:
			st, err := readState(&tx.Query, who, challengeID)
			refused = cmp.Or(st.refusal(now), apierror.OTPNotFound)
			return err
		case !right:
			refused = apierror.OTPInvalidCode
		}
		return nil
	})
	if err == nil && refused != nil {
		err = notVerified(refused)
	}
	return err
}

// A challengeState determines whether a challenge can be verified.
type challengeState struct {
	found    bool
	attempts int
	used     bool
	expires  time.Time
}

// refusal returns the reason why no more guesses are accepted, or nil if they are. Too many attempts take precedence over the expiry.
func (s *challengeState) refusal(now time.Time) *apierror.Kind {
	switch {
	case !s.found || s.used:
		return apierror.OTPNotFound
	case s.attempts >= maxAttempts:
		return apierror.OTPTooManyAttempts
	case !now.Before(s.expires):
		return apierror.OTPExpired
	}
	return nil
}

// notVerified returns the error for a code that was not verified.
func notVerified(k *apierror.Kind) error { return k.Err().With("valid", false) }
