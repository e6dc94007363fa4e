package account

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/audit"
)

// A WhatsAppLink is a number that a person signs in with, identified by the login service's issuer and subject. A
// number signs in for one address, and an address has one number.
type WhatsAppLink struct {
	Email           string
	Issuer, Subject string
	Phone           string // masked
	LinkedAt        time.Time
}

// WhatsAppLink returns the number that an address has linked, or nil.
func (d *Directory) WhatsAppLink(ctx context.Context, email string) (*WhatsAppLink, error) {
	return findLink(d.db.Read(ctx), NormalEmail(email))
}

// LinkWhatsApp links a number to a session's address. It replaces an earlier number and ends that number's other
// sessions. linked is false if the number belongs to another address that still belongs to an account.
func (d *Directory) LinkWhatsApp(ctx context.Context, s *Session, l WhatsAppLink) (linked bool, err error) {
	l.Email, l.LinkedAt = s.Email, d.now()
	event := audit.New(ctx, l.LinkedAt, s.accountID, audit.WhatsAppLinked, l.Phone)
	err = d.db.Write(ctx, func(tx *db.Tx) error {
		linked = false
		other, err := findLinked(&tx.Query, l.Issuer, l.Subject)
		if err != nil {
			return err
		}
		if other != "" && other != l.Email {
			of, err := selectAffiliations(&tx.Query, other)
			if err != nil || len(of) > 0 {
				return err
			}
			if err := deleteLink(tx, other); err != nil {
				return err
			}
		}
		linked = true
		if other != l.Email { // it might replace an earlier number
			if err := endLinkedSessions(tx, s); err != nil {
				return err
			}
		}
		if err := storeLink(tx, &l); err != nil {
			return err
		}
		return audit.Record(tx, event)
	})
	return linked, err
}

// UnlinkWhatsApp removes the number of a session's address and returns it, or nil if there was none. It ends the
// other sessions that were opened with the number.
func (d *Directory) UnlinkWhatsApp(ctx context.Context, s *Session) (was *WhatsAppLink, err error) {
	now := d.now()
	err = d.db.Write(ctx, func(tx *db.Tx) error {
		if was, err = findLink(&tx.Query, s.Email); err != nil || was == nil {
			return err
		}
		if err := deleteLink(tx, s.Email); err != nil {
			return err
		}
		if err := endLinkedSessions(tx, s); err != nil {
			return err
		}
		return audit.Record(tx, audit.New(ctx, now, s.accountID, audit.WhatsAppUnlinked, was.Phone))
	})
	return was, err
}

// WhatsAppSignIn reports whether people who have signed in by WhatsApp can enter an account.
func (d *Directory) WhatsAppSignIn(ctx context.Context, accountID string) (bool, error) {
	return allowsWhatsApp(d.db.Read(ctx), accountID)
}

// AllowWhatsAppSignIn enables or disables sign-in by WhatsApp for everyone in the account. If it is disabled, the
// sessions that were opened this way end.
func (d *Directory) AllowWhatsAppSignIn(ctx context.Context, c *Caller, allow bool) error {
	if err := MayAllowWhatsApp.Check(c, d.now()); err != nil {
		return err
	}
	accountID := c.Account.ID
	value := "off"
	if allow {
		value = "on"
	}
	event := audit.New(ctx, d.now(), accountID, audit.AccountChanged, accountID, "whatsappSignIn", value)
	return d.db.Write(ctx, func(tx *db.Tx) error {
		changed, err := setWhatsApp(tx, accountID, allow)
		if err != nil || !changed {
			return err
		}
		return audit.Record(tx, event)
	})
}

// ByCode reports whether a session's person has entered a code from an email. Otherwise, they have signed in by WhatsApp.
func (s *Session) ByCode() bool { return !s.CodeAt.IsZero() }

// mayEnter reports whether a session can enter an account. It refuses a session without a code if the account does
// not allow sign-in by WhatsApp.
func (d *Directory) mayEnter(ctx context.Context, s *Session, accountID string) (bool, error) {
	if s.ByCode() {
		return true, nil
	}
	return d.WhatsAppSignIn(ctx, accountID)
}

// An Opening is the result of a sign-in by WhatsApp.
type Opening int

// The results.
const (
	NotLinked   Opening = iota // no address has linked the number, or the address belongs to no account
	SwitchedOff                // none of the address's accounts allows sign-in by WhatsApp
	Opened
)

// OpenLinked opens a session for the address that a number is linked to, in the first of its accounts that allows it.
// It returns the token for the session's cookie.
func (s *SignIn) OpenLinked(ctx context.Context, issuer, subject string, b *Browser) (token string, session *Session, how Opening, err error) {
	now := s.d.now()
	token = id.Token(tokenBytes)
	made := Session{ID: id.New(now), ExpiresAt: now.Add(SessionTime)}
	err = s.d.db.Write(ctx, func(tx *db.Tx) error {
		how = NotLinked
		email, err := findLinked(&tx.Query, issuer, subject)
		if err != nil || email == "" {
			return err
		}
		of, err := selectAffiliations(&tx.Query, email)
		if err != nil {
			return err
		}
		for _, in := range of {
			allowed, err := allowsWhatsApp(&tx.Query, in.AccountID)
			if err != nil {
				return err
			}
			if !allowed {
				how = SwitchedOff
				continue
			}
			how = Opened
			made.Email, made.accountID, made.NewBrowser = email, in.AccountID, !s.knows(b, email)
			if err := insertSession(tx, &made, seal.Hash(token), now); err != nil {
				return err
			}
			return audit.Record(tx, s.d.sessionEvent(ctx, audit.SessionOpened, made.ID, in.AccountID, in.MemberID, email).With("by", "whatsapp"))
		}
		return nil
	})
	if err != nil || how != Opened {
		return "", nil, how, err
	}
	s.addKnown(b, made.Email)
	return token, &made, Opened, nil
}
