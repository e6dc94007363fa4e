package account

import (
	"cmp"
	"context"
	"errors"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/quota"
)

// A Signup determines who can create an account without an operator.
type Signup string

// The settings of [Directory.Signup].
const (
	SignupClosed Signup = "closed" // no one: operators create accounts
	SignupInvite Signup = "invite" // members of another account, and people who are invited to one
	SignupOpen   Signup = "open"   // everyone who proves that an address is theirs
)

// Errors of signing up.
var (
	ErrSignupClosed  = errors.New("account: this person may not make an account")
	ErrSignupsUsedUp = errors.New("account: as many codes as a day may have were mailed to addresses without an account")
)

// LimitSignUps limits the codes that are mailed to addresses without an account, per client address and for all
// clients per day. Zero values are no limit.
func (s *SignIn) LimitSignUps(ofClient limit.Rate, daily int) {
	s.signUps, s.dailySignUps = ofClient.Limiter(s.d.now), daily
}

// mayBeNew reports whether a code can be mailed to an address without an account.
//
// Errors: [ErrSignupsUsedUp], once per day.
func (s *SignIn) mayBeNew(ctx context.Context, c *Code) (ok bool, err error) {
	if s.d.Signup != SignupOpen {
		return false, nil
	}
	if ok, _ := s.signUps.Allow(c.client); !ok {
		return false, nil
	}
	if s.dailySignUps == 0 {
		return true, nil
	}
	day := quota.Day(c.now)
	err = s.d.db.Write(ctx, func(tx *db.Tx) (err error) {
		ok, err = countSignUp(tx, day, int64(s.dailySignUps))
		return err
	})
	if err == nil && !ok && s.fullDay.Swap(day) != day {
		err = ErrSignupsUsedUp
	}
	return ok, err
}

// MaySignUp reports whether the person of a session can create an account. No one can own two.
func (d *Directory) MaySignUp(ctx context.Context, s *Session) (bool, error) {
	if d.Signup != SignupOpen && d.Signup != SignupInvite {
		return false, nil
	}
	if own, err := ByEmail(d.db.Read(ctx), s.Email); err != nil || own != nil { // including a closed one
		return false, err
	}
	of, err := d.Affiliations(ctx, s.Email)
	if err != nil {
		return false, err
	}
	if d.Signup == SignupOpen || len(of) > 0 {
		return true, nil
	}
	return mayHaveCode(d.db.Read(ctx), s.Email, d.now())
}

// HasClosedAccount reports whether the account of a session's person is closed and not erased yet.
func (d *Directory) HasClosedAccount(ctx context.Context, s *Session) (bool, error) {
	own, err := ByEmail(d.db.Read(ctx), s.Email)
	return own != nil && own.Closed(), err
}

// SignUp creates an account on the free plan for the person of a session, with a test key, which is returned only
// this once. It switches the session to the account.
//
// Errors: [fault.InvalidRequest] for the name, [ErrSignupClosed], [ErrEmailTaken] if another request has created it at the same time, [ErrKeyMade] if
// another key has the ID of the form.
func (d *Directory) SignUp(ctx context.Context, s *Session, name string, lang i18n.Lang, form forms.Creation) (a *Account, testKey string, err error) {
	if name, err = CheckAccountName(name); err != nil {
		return nil, "", err
	}
	if may, err := d.MaySignUp(ctx, s); err != nil || !may {
		return nil, "", cmp.Or(err, ErrSignupClosed)
	}
	now := d.now()
	a = &Account{ID: id.New(now), Name: name, Email: s.Email, Lang: cmp.Or(lang, i18n.Default), Subscription: Subscription{Plan: planFree}, CreatedAt: now}
	fresh := (&KeySpec{Form: form, AccountID: a.ID, Kind: Test}).make(now)
	created := audit.New(ctx, now, a.ID, audit.AccountCreated, a.ID, "email", a.Email, "plan", planFree)
	keyMade := keyCreated(ctx, fresh.key)
	created.Actor, keyMade.Actor = actorOf("", s.Email), actorOf("", s.Email)
	events := []*audit.Event{created, keyMade, d.sessionEvent(ctx, audit.SessionOpened, s.ID, a.ID, "", s.Email)}
	err = d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if refused, err = insertAccount(tx, a); err != nil || refused != nil {
			return refused, err
		}
		if inserted, err := insertKey(tx, fresh.key, seal.Hash(fresh.secret)); err != nil || !inserted {
			return nil, cmp.Or(err, ErrKeyMade) // roll back
		}
		if err := updateSessionAccount(tx, s.ID, a.ID); err != nil {
			return nil, err
		}
		for _, event := range events {
			if err := audit.Record(tx, event); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		return nil, "", err
	}
	s.accountID = a.ID
	a, err = d.Account(ctx, a.ID)
	return a, fresh.secret, err
}

// SignedUp returns the account and the test key that a form has created a moment ago for the person of a session. It
// returns nil if there is none, or if the key has been revoked.
func (d *Directory) SignedUp(ctx context.Context, s *Session, form forms.Creation) (a *Account, testKey string, err error) {
	own, err := ByEmail(d.db.Read(ctx), s.Email)
	if err != nil || own == nil || own.Closed() {
		return nil, "", err
	}
	before, err := madeBefore(d.db.Read(ctx), &KeySpec{Form: form, AccountID: own.ID}, d.now())
	if err != nil || before.key == nil {
		return nil, "", err
	}
	return own, before.secret, nil
}
