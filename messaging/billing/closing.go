package billing

import (
	"griot/internal/db"
	"griot/internal/fault"
)

// MayClose returns why an account cannot be closed: a subscription that renews would go on to be charged.
//
// Errors: [fault.SubscriptionActive].
func (s *Service) MayClose(tx *db.Tx, accountID string) (refused, err error) {
	c, err := customerOf(&tx.Query, s.Provider(), s.Mode(), accountID)
	if err != nil || c == nil || !c.sub.renews() {
		return nil, err
	}
	return fault.SubscriptionActive.Err(), nil
}

// renews reports whether the provider will go on to charge for a subscription.
func (s *Subscription) renews() bool {
	if s == nil || !s.EndsAt.IsZero() {
		return false
	}
	switch s.Status {
	case "active", "trialing", "past_due", "unpaid", "paused":
		return true
	}
	return false
}
