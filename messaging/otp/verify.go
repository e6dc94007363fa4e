package otp

import (
	"context"
	"strings"

	"griot/internal/db"
	"griot/internal/fault"
	"griot/internal/id"
	"griot/internal/phone"
	"griot/internal/seal"
	"griot/messaging/account"
)

// Verify judges a guess at the code of a challenge of the account, or of the
// latest live one for a number when to is given instead. It returns nil for the
// right code, once.
//
// Test keys see the challenges of the sandbox only.
//
// Errors: invalid_request, invalid_phone; invalid_code, expired, too_many_attempts, and not_found
// for what is absent, another's, used or void.
func (s *Service) Verify(ctx context.Context, c *account.Caller, challengeID, to, code string) error {
	switch {
	case (challengeID == "") == (to == ""):
		return fault.InvalidRequest.On("challengeId").Say("Send either challengeId or to.")
	case code == "":
		return fault.InvalidRequest.On("code").Say("code is required.")
	}
	who := asker{accountID: c.Account.ID, sandboxOnly: c.Kind == account.Test}
	if to != "" {
		number, ok := phone.Parse(to)
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
	return s.judge(ctx, who, challengeID, code)
}

// asker is whose challenges can be seen.
type asker struct {
	accountID   string
	sandboxOnly bool
}

// judge counts the guess before it is compared: whatever happens in between, it has counted.
func (s *Service) judge(ctx context.Context, who asker, challengeID, code string) error {
	now, mac := s.o.Now(), s.mac(challengeID, code)
	var refused *fault.Kind
	err := s.write(ctx, func(tx *db.Tx) error {
		refused = nil
		stored, counted, err := addAttempt(tx, who, challengeID, now)
		switch {
		case err != nil:
			return err
		case !counted:
			refused, err = why(&tx.Query, who, challengeID)
			return err
		case !seal.Equal(stored, mac):
			refused = fault.OTPInvalidCode
			return nil
		}
		return use(tx, challengeID, now)
	})
	if err != nil {
		return err
	}
	if refused != nil {
		return refuse(refused)
	}
	return nil
}

// refuse says that a code was not verified.
func refuse(k *fault.Kind) error { return k.Err().With("valid", false) }
