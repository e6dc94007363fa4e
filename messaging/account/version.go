package account

import (
	"strconv"

	"example.com/griot/internal/db"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/i18n"
)

// ProfileVersion returns the version of the values in an owner's settings form: see package forms.
func (a *Account) ProfileVersion() string {
	return forms.Version(a.Name, string(a.Lang), a.TimeZone, a.Country)
}

// TermsVersion returns the version of the values in an operator's form: plan, its end, trial, and the account's own limit.
func (a *Account) TermsVersion() string {
	return forms.Version(a.Subscription.Plan, strconv.FormatInt(db.Ms(a.Subscription.ExpiresAt), 10), strconv.FormatInt(db.Ms(a.Subscription.TrialEndsAt), 10), strconv.FormatInt(a.OwnCap, 10))
}

// Version returns the version of a plan's limits: see package forms.
func (p *Plan) Version() string {
	return forms.Version(strconv.FormatInt(p.DailyLimit, 10), strconv.Itoa(p.Rate), strconv.FormatBool(p.Inbox), strconv.FormatInt(p.RecipientCap, 10))
}

// checkShown returns [forms.ErrStale] if the account has changed since a form showed it.
func (c *Change) checkShown(tx *db.Tx, accountID string) error {
	if c.ShownProfile == "" && c.ShownTerms == "" {
		return nil
	}
	if found, err := lockAccount(tx, accountID); err != nil || !found {
		return err
	}
	stored, err := findAccount(&tx.Query, accountID)
	if err != nil || stored == nil {
		return err
	}
	next := *stored
	c.apply(&next)
	if err := forms.CheckVersion(c.ShownProfile, stored.ProfileVersion(), next.ProfileVersion()); err != nil {
		return err
	}
	return forms.CheckVersion(c.ShownTerms, stored.TermsVersion(), next.TermsVersion())
}

// apply changes the fields that the versions are derived from.
func (c *Change) apply(a *Account) {
	if c.Name != nil {
		a.Name = *c.Name
	}
	if c.Lang != nil {
		a.Lang = i18n.Lang(*c.Lang)
	}
	if c.TimeZone != nil {
		a.TimeZone = *c.TimeZone
	}
	if c.Country != nil {
		a.Country = *c.Country
	}
	if c.Plan != nil {
		a.Subscription.Plan = *c.Plan
	}
	if c.PlanExpiresAt != nil {
		a.Subscription.ExpiresAt = *c.PlanExpiresAt
	}
	if c.TrialEndsAt != nil {
		a.Subscription.TrialEndsAt = *c.TrialEndsAt
	}
	if c.RecipientCap != nil {
		a.OwnCap = *c.RecipientCap
	}
}
