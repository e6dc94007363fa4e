package account

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/audit"
)

// InvitationCodeTime is the lifetime of the code in an invitation's email.
const InvitationCodeTime = 24 * time.Hour // M166

// AddCode adds a code to an invitation that is not stored yet, and returns its digits for the email.
func (s *SignIn) AddCode(i *Invitation) (digits string) {
	digits = id.Code(codeDigits)
	i.codeMAC = s.mac(i.ID, i.Email, digits)
	return digits
}

// AcceptByCode accepts an invitation with the token from its link and the code from its email, once, and opens a
// session for the invited address in the account. It does not count toward the sign-in codes that can be mailed to
// the address. The invitation's code is not bound to a browser. It is useless without the token, which is too long to
// read out over the phone.
//
// It returns the token for the session's cookie. opened is false if the token or the code is wrong, used, or expired,
// or was tried too often. Callers cannot distinguish these cases. During [forms.RepeatTime], the same browser gets its
// session again if it is still open. current is the token of a session that the new one replaces if it belongs to the
// address.
func (s *SignIn) AcceptByCode(ctx context.Context, token string, b *Browser, digits, current string) (cookie string, session *Session, opened bool, err error) {
	now, hash := s.d.now(), seal.Hash(token)
	made := Session{ID: id.New(now), ExpiresAt: now.Add(SessionTime), CodeAt: now}
	memberID := id.New(now)
	err = s.d.db.Write(ctx, func(tx *db.Tx) (err error) {
		cookie, session = "", nil
		tried, found, err := tryInvitationCode(tx, hash, now)
		if err != nil || !found || !s.codes.Made(tried.codeMAC, encodeMAC, tried.ID, tried.Email, digits) {
			return err
		}
		seeds := s.seeds(tried.ID, b)
		if tried.acceptedIn != "" {
			if cookie, session, err = findOpened(&tx.Query, seeds, now); err != nil || session == nil {
				return err
			}
			return untryInvitationCode(tx, hash)
		}
		i, refused, err := s.d.acceptIn(ctx, tx, hash, tried.Email, made.ID, memberID, now)
		if err != nil || refused != nil {
			return err
		}
		if err := untryInvitationCode(tx, hash); err != nil {
			return err
		}
		if current != "" {
			if _, err := endSessionOf(tx, seal.Hash(current), i.Email); err != nil {
				return err
			}
		}
		cookie, session = forms.Token(seeds.First()), &made
		made.Email, made.accountID, made.NewBrowser = i.Email, i.AccountID, !s.knows(b, i.Email)
		if err := insertSession(tx, &made, seal.Hash(cookie), now); err != nil {
			return err
		}
		as, _, err := findMember(&tx.Query, i.AccountID, i.Email) // it differs from memberID if they were already a member
		if err != nil {
			return err
		}
		return audit.Record(tx, s.d.sessionEvent(ctx, audit.SessionOpened, made.ID, i.AccountID, as, i.Email))
	})
	if err != nil || session == nil {
		return "", nil, false, err
	}
	s.addKnown(b, session.Email)
	return cookie, session, true, nil
}
