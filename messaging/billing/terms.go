package billing

import (
	"slices"
	"time"

	"example.com/griot/messaging/account"
)

const (
	planFree  = "free"
	planTrial = "pro" // the only plan whose trial an account can store

	// renewalGrace is the time for which a plan continues after the end of a paid period that renews, because the
	// provider collects the payment in the following hours. It also limits how long a plan lasts if no event arrives.
	renewalGrace = 3 * 24 * time.Hour
)

// current selects the subscription to use: the largest entitled plan, or the first one that requires a payment. order
// contains the plans' names, smallest first.
func current(all []Subscription, order []string) *Subscription {
	var best *Subscription
	better := func(a, b *Subscription) bool {
		if a.Entitled != b.Entitled {
			return a.Entitled
		}
		return slices.Index(order, a.Plan) > slices.Index(order, b.Plan)
	}
	for i := range all {
		if best == nil || better(&all[i], best) {
			best = &all[i]
		}
	}
	return best
}

// terms returns the account's subscription for a provider's subscription, which can be nil. Without a payment, it is
// the free plan, immediately.
func (s *Subscription) terms() account.Subscription {
	if s == nil || !s.Entitled || s.Plan == "" {
		return account.Subscription{Plan: planFree}
	}
	t := account.Subscription{Plan: s.Plan, ExpiresAt: s.EndsAt}
	if t.ExpiresAt.IsZero() && !s.PeriodEnd.IsZero() {
		t.ExpiresAt = s.PeriodEnd.Add(renewalGrace)
	}
	if s.Plan == planTrial {
		t.TrialEndsAt = s.TrialEndsAt
	}
	return t
}

func sameTerms(a, b account.Subscription) bool {
	return a.Plan == b.Plan && a.ExpiresAt.Equal(b.ExpiresAt) && a.TrialEndsAt.Equal(b.TrialEndsAt)
}

// equal reports whether two readings are equal.
func (s *Subscription) equal(o *Subscription) bool {
	if s == nil || o == nil {
		return s == o
	}
	return s.ID == o.ID && s.ItemID == o.ItemID && s.PriceID == o.PriceID && s.Plan == o.Plan && s.Status == o.Status && s.Entitled == o.Entitled &&
		s.PeriodEnd.Equal(o.PeriodEnd) && s.EndsAt.Equal(o.EndsAt) && s.TrialEndsAt.Equal(o.TrialEndsAt)
}
