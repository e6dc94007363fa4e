package account

import (
	"context"
	"time"

	"griot/internal/db"
	"griot/internal/seal"
)

// SessionTime is how long a session of the dashboard lasts.
const SessionTime = 12 * time.Hour

// Session is the session of a person who has proved an e-mail address.
type Session struct {
	ID, Email string
	ExpiresAt time.Time
	Caller    *Caller // in the account that they look at; nil: the address belongs to none

	accountID string
}

// AccountID returns the id of the session's current account; empty: none.
func (s *Session) AccountID() string { return s.accountID }

// Affiliation is an account that an address belongs to.
type Affiliation struct {
	AccountID, Name string
	Owner           bool
}

// Session returns the session of a cookie's token, or nil. Whether the address
// still belongs to the account is asked each time.
func (d *Directory) Session(ctx context.Context, token string) (*Session, error) {
	s, err := findSession(d.db.Read(ctx), seal.Hash(token), d.now())
	if err != nil || s == nil || s.accountID == "" {
		return s, err
	}
	a, err := d.Account(ctx, s.accountID)
	if err != nil || a == nil {
		return s, err
	}
	c := &Caller{Account: a, Kind: Dashboard, KeyID: s.ID, Email: s.Email}
	if a.Email != s.Email {
		if c.MemberID, err = findMember(d.db.Read(ctx), a.ID, s.Email); err != nil || c.MemberID == "" {
			return s, err
		}
	}
	s.Caller = c
	return s, nil
}

// Affiliations lists the accounts of an address: its own first, then those that it is a member of, the latest first.
func (d *Directory) Affiliations(ctx context.Context, email string) ([]Affiliation, error) {
	return selectAffiliations(d.db.Read(ctx), email)
}

// SwitchAccount changes a session's current account; found is false when the address doesn't belong to that account.
func (d *Directory) SwitchAccount(ctx context.Context, s *Session, accountID string) (found bool, err error) {
	of, err := d.Affiliations(ctx, s.Email)
	if err != nil {
		return false, err
	}
	for _, b := range of {
		found = found || b.AccountID == accountID
	}
	if !found {
		return false, nil
	}
	s.accountID = accountID
	return true, d.db.Write(ctx, func(tx *db.Tx) error { return updateSessionAccount(tx, s.ID, accountID) })
}

// CloseSession ends a session; to end it again changes nothing.
func (d *Directory) CloseSession(ctx context.Context, s *Session) error {
	return d.db.Write(ctx, func(tx *db.Tx) error { return endSession(tx, s.ID) })
}
