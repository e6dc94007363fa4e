package account

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/audit"
)

// ErrEmailTaken reports that an address belongs to another account.
var ErrEmailTaken = errors.New("account: the address is another account's")

// Spec describes a new account.
type Spec struct {
	Name, Email  string
	Lang         i18n.Lang // empty: the default
	Plan         string    // empty: free
	RecipientCap int64     // maximum messages per recipient and day; 0: the plan's limit
	Senders      []Sender
	Projects     []string
}

// Create creates an account with its senders and projects, in one transaction. The returned account has these senders
// in this order, without the platform's.
//
// Errors: [ErrEmailTaken], [ErrNoPlan], [ErrSenderTaken].
func (d *Directory) Create(ctx context.Context, s *Spec) (*Account, error) {
	now := d.now()
	a := &Account{ID: id.New(now), Name: s.Name, Email: NormalEmail(s.Email), Lang: cmp.Or(s.Lang, i18n.Default), Subscription: Subscription{Plan: s.Plan}, OwnCap: s.RecipientCap, CreatedAt: now}
	if s.Plan == "" {
		a.Subscription.Plan = planFree
	}
	for i, sender := range s.Senders {
		sender.ID, sender.AccountID, sender.Position = newSenderID(now), a.ID, i
		a.Senders = append(a.Senders, sender)
	}
	var projects []Project
	for _, name := range s.Projects {
		projects = append(projects, Project{ID: id.New(now), AccountID: a.ID, Name: name, CreatedAt: now})
	}
	event := audit.New(ctx, now, a.ID, audit.AccountCreated, a.ID, "email", a.Email, "plan", a.Subscription.Plan)
	err := d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if refused, err = insertAccount(tx, a); err != nil || refused != nil {
			return refused, err
		}
		for i := range a.Senders {
			if fresh, err := insertSender(tx, &a.Senders[i], now); err != nil || !fresh {
				return nil, cmp.Or(err, ErrSenderTaken) // roll back
			}
		}
		for i := range projects {
			if err := insertProject(tx, &projects[i]); err != nil {
				return nil, err
			}
		}
		return nil, audit.Record(tx, event)
	})
	if err != nil {
		return nil, err
	}
	found, err := d.Account(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	made := *found
	made.Senders = a.Senders
	return &made, nil
}

// Accounts lists all accounts, oldest first, without their senders.
func (d *Directory) Accounts(ctx context.Context) ([]Account, error) {
	plans, err := d.allPlans(ctx)
	if err != nil {
		return nil, err
	}
	list, err := db.Select(d.db.Read(ctx), readAccount, `SELECT `+accountColumns+` FROM accounts ORDER BY id`)
	for i := range list {
		d.applySubscription(&list[i], plans, d.now())
	}
	return list, err
}

// A Change is a change of an account. Nil fields are unchanged.
type Change struct {
	Name, Email   *string
	Lang          *string // fr or en
	TimeZone      *string // see [ValidTimeZone]
	Country       *string // see [CheckCountry]; empty: none
	Plan          *string
	PlanExpiresAt *time.Time     // zero: none
	TrialEndsAt   *time.Time     // zero: none
	RecipientCap  *int64         // 0: the plan's limit
	FallbackAfter *time.Duration // 0: no limit

	// ShownProfile and ShownTerms are the versions that a form showed: see [Account.ProfileVersion] and
	// [Account.TermsVersion]. Empty versions are not checked.
	ShownProfile, ShownTerms string
}

// details describes the change for the audit log.
func (c *Change) details() (out []string) {
	for _, text := range []struct {
		name string
		to   *string
	}{{"name", c.Name}, {"email", c.Email}, {"lang", c.Lang}, {"timeZone", c.TimeZone}, {"country", c.Country}, {"plan", c.Plan}} {
		if text.to != nil {
			out = append(out, text.name, *text.to)
		}
	}
	for _, at := range []struct {
		name string
		to   *time.Time
	}{{"planExpiresAt", c.PlanExpiresAt}, {"trialEndsAt", c.TrialEndsAt}} {
		switch {
		case at.to == nil:
		case at.to.IsZero():
			out = append(out, at.name, "none")
		default:
			out = append(out, at.name, at.to.UTC().Format(time.RFC3339))
		}
	}
	if c.RecipientCap != nil {
		out = append(out, "recipientCap", strconv.FormatInt(*c.RecipientCap, 10))
	}
	if c.FallbackAfter != nil {
		out = append(out, "fallbackAfter", c.FallbackAfter.String())
	}
	return out
}

// Change changes an account. found is false if the account does not exist.
//
// Errors: [ErrEmailTaken], [ErrNoPlan], [forms.ErrStale].
func (d *Directory) Change(ctx context.Context, accountID string, c *Change) (found bool, err error) {
	if c.Email != nil {
		email := NormalEmail(*c.Email)
		c.Email = &email
	}
	event := audit.New(ctx, d.now(), accountID, audit.AccountChanged, accountID, c.details()...)
	err = d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		switch err := c.checkShown(tx, accountID); {
		case errors.Is(err, forms.ErrStale):
			found = true
			return err, nil
		case err != nil:
			return nil, err
		}
		if found, refused, err = updateAccount(tx, accountID, c); err != nil || !found || refused != nil {
			return refused, err
		}
		return nil, recordChange(tx, event)
	})
	d.ForgetAll()
	return found, err
}
