package account

import (
	"cmp"
	"context"
	"errors"

	"example.com/griot/internal/db"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/quota"
)

// Signup is who may make an account by themselves.
type Signup string

// The settings of [Directory.Signup].
const (
	SignupClosed Signup = "closed" // nobody: operators make accounts
	SignupInvite Signup = "invite" // who is a member of another account, or is invited to one
	SignupOpen   Signup = "open"   // everybody who proves an address
)

// Errors of signing up.
var (
	ErrSignupClosed  = errors.New("account: this person may not make an account")
	ErrSignupsUsedUp = errors.New("account: as many codes as a day may have were mailed to addresses without an account")
)

// LimitSignUps bounds the codes that are mailed to addresses that have no account: of one client's address, and of all
// in a day. Zero values are no bound.
func (s *SignIn) LimitSignUps(ofClient limit.Rate, daily int) {
	s.signUps, s.dailySignUps = ofClient.Limiter(s.d.now), daily
}

// mayBeNew reports whether a code may be mailed to an address that has no account.
//
// Errors: [ErrSignupsUsedUp], once a day.
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

// MaySignUp reports whether the person of a session may make an account of their own. Nobody has two.
func (d *Directory) MaySignUp(ctx context.Context, s *Session) (bool, error) {
	if d.Signup != SignupOpen && d.Signup != SignupInvite {
		return false, nil
	}
	if own, err := ByEmail(d.db.Read(ctx), s.Email); err != nil || own != nil { // one that is closed, too
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

// SignUp makes an account on the free plan for the person of a session, with a test key, which is returned this once,
// and switches the session to the account.
//
// Errors: [ErrSignupClosed], [ErrEmailTaken] when another has made it at the same time.
func (d *Directory) SignUp(ctx context.Context, s *Session, name string, lang i18n.Lang) (a *Account, testKey string, err error) {
	if may, err := d.MaySignUp(ctx, s); err != nil || !may {
		return nil, "", cmp.Or(err, ErrSignupClosed)
	}
	now := d.now()
	a = &Account{ID: id.New(now), Name: name, Email: s.Email, Lang: cmp.Or(lang, i18n.Default), Subscription: Subscription{Plan: planFree}, CreatedAt: now}
	testKey = newKey(Test)
	k := (&KeySpec{AccountID: a.ID, Kind: Test}).key(testKey, now)
	created := audit.New(ctx, now, a.ID, audit.AccountCreated, a.ID, "email", a.Email, "plan", planFree)
	keyMade := keyCreated(ctx, k)
	created.Actor, keyMade.Actor = actorOf("", s.Email), actorOf("", s.Email)
	events := []*audit.Event{created, keyMade, d.sessionEvent(ctx, audit.SessionOpened, s.ID, a.ID, "", s.Email)}
	var refused error
	err = d.db.Write(ctx, func(tx *db.Tx) (err error) {
		if refused, err = insertAccount(tx, a); err != nil || refused != nil {
			return err
		}
		if _, err := insertKey(tx, k, seal.Hash(testKey)); err != nil {
			return err
		}
		if err := updateSessionAccount(tx, s.ID, a.ID); err != nil {
			return err
		}
		for _, event := range events {
			if err := audit.Record(tx, event); err != nil {
				return err
			}
		}
		return nil
	})
	if err = cmp.Or(err, refused); err != nil {
		return nil, "", err
	}
	s.accountID = a.ID
	a, err = d.Account(ctx, a.ID)
	return a, testKey, err
}
