package billing

import (
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
)

// MayClose returns the reason why an account cannot be closed: a subscription that renews would continue to be charged.
//
// Errors: [apierror.SubscriptionActive].
func (s *Service) MayClose(tx *db.Tx, accountID string) (refused, err error) {
	c, err := customerOf(&tx.Query, s.Provider(), s.Mode(), accountID)
	if err != nil || c == nil || !c.sub.renews() {
		return nil, err
	}
	return apierror.SubscriptionActive.Err(), nil
}

// Renews reports whether any provider will continue to charge an account.
func Renews(q *db.Query, accountID string) (bool, error) {
	var one int
	return q.Row(`SELECT 1 FROM billing_customers WHERE account_id = $1 AND subscription_id IS NOT NULL AND ends_at IS NULL AND status IN ('active', 'trialing', 'past_due', 'unpaid', 'paused') LIMIT 1`, accountID).Scan(&one)
}

// renews reports whether the provider will continue to charge for a subscription.
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
