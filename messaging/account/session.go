package account

import (
	"context"
	"time"

	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/audit"
)

// SessionTime is the lifetime of a dashboard session.
const SessionTime = 12 * time.Hour

// A Session is the session of a person who has proved that an email address is theirs.
type Session struct {
	ID, Email string
	ExpiresAt time.Time
	CodeAt    time.Time // the time at which its person last entered a code from an email; zero: never
	Caller    *Caller   // for the current account; nil: the address belongs to no account
	// NewBrowser is set for a session that was just opened if its address had not signed in before in this browser.
	NewBrowser bool

	accountID string
}

// AccountID returns the ID of the session's current account, or "" if there is none.
func (s *Session) AccountID() string { return s.accountID }

// An Affiliation is an account that an address belongs to.
type Affiliation struct {
	AccountID, Name string
	Role            Role
	MemberID        string // for a member
}

// Session returns the session for a cookie's token, or nil. Each call checks whether the address still belongs to the account.
func (d *Directory) Session(ctx context.Context, token string) (*Session, error) {
	s, err := findSession(d.db.Read(ctx), seal.Hash(token), d.now())
	if err != nil || s == nil {
		return nil, err
	}
	if s.accountID == "" {
		return s, nil
	}
	if enters, err := d.mayEnter(ctx, s, s.accountID); err != nil || !enters {
		return s, err
	}
	a, err := d.Account(ctx, s.accountID)
	if err != nil || a == nil || a.Closed() {
		return s, err
	}
	c := &Caller{Account: a, Kind: Dashboard, KeyID: s.ID, Email: s.Email, Role: RoleOwner, CodeAt: s.CodeAt}
	if a.Email != s.Email {
		if c.MemberID, c.Role, err = findMember(d.db.Read(ctx), a.ID, s.Email); err != nil || c.MemberID == "" {
			return s, err
		}
	}
	s.Caller = c
	return s, nil
}

// Actor returns the actor for changes made by a session's requests.
func (s *Session) Actor() actor.Actor {
	if s.Caller == nil {
		return actor.Actor{Type: actor.Member, Email: s.Email}
	}
	return actorOf(s.Caller.MemberID, s.Email)
}

// actorOf returns the audit log's actor for a person of an account. Without a memberID, it is the account's owner.
func actorOf(memberID, email string) actor.Actor {
	if memberID == "" {
		return actor.Actor{Type: actor.Owner, Email: email}
	}
	return actor.Actor{Type: actor.Member, ID: memberID, Email: email}
}

// sessionEvent returns the audit event of a session in an account.
func (d *Directory) sessionEvent(ctx context.Context, action, sessionID, accountID, memberID, email string) *audit.Event {
	event := audit.New(ctx, d.now(), accountID, action, sessionID)
	event.Actor = actorOf(memberID, email)
	return event
}

// Affiliations lists the accounts of an address: its own first, then those that it is a member of, latest first.
func (d *Directory) Affiliations(ctx context.Context, email string) ([]Affiliation, error) {
	return selectAffiliations(d.db.Read(ctx), email)
}

// SwitchAccount changes a session's current account. found is false if the address does not belong to that account.
//
// Errors: recent_code_required if the account does not allow sign-in by WhatsApp, and the session's person has signed in this way.
func (d *Directory) SwitchAccount(ctx context.Context, s *Session, accountID string) (found bool, err error) {
	of, err := d.Affiliations(ctx, s.Email)
	if err != nil {
		return false, err
	}
	memberID := ""
	for _, b := range of {
		if b.AccountID == accountID {
			found, memberID = true, b.MemberID
		}
	}
	if !found || s.accountID == accountID {
		return found, nil
	}
	if enters, err := d.mayEnter(ctx, s, accountID); err != nil || !enters {
		if err == nil {
			err = apierror.RecentCodeRequired.Err()
		}
		return true, err
	}
	s.accountID = accountID
	event := d.sessionEvent(ctx, audit.SessionOpened, s.ID, accountID, memberID, s.Email)
	return true, d.db.Write(ctx, func(tx *db.Tx) error {
		if err := updateSessionAccount(tx, s.ID, accountID); err != nil {
			return err
		}
		return audit.Record(tx, event)
	})
}

// CloseSession ends a session. Ending it again changes nothing.
func (d *Directory) CloseSession(ctx context.Context, s *Session) error {
	memberID := ""
	if s.Caller != nil {
		memberID = s.Caller.MemberID
	}
	event := d.sessionEvent(ctx, audit.SessionClosed, s.ID, s.accountID, memberID, s.Email)
	return d.db.Write(ctx, func(tx *db.Tx) error {
		if ended, err := endSession(tx, s.ID); err != nil || !ended || s.Caller == nil {
			return err
		}
		return audit.Record(tx, event)
	})
}
