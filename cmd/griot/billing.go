package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/billing/stripe"
)

// openBilling makes the sale of plans. The plans that have prices must be in the database.
func openBilling(ctx context.Context, directory *account.Directory, s *settings) (*billing.Service, error) {
	o := billing.Options{DB: s.db, Directory: directory, Contact: cmp.Or(s.billing.Contact, s.operator.Contact), Now: clock.System, Log: s.log, URL: s.apiURL}
	if s.billing.Provider != config.BillingStripe {
		return billing.New(o), nil
	}
	plans, err := directory.Plans(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range s.billing.Stripe.Prices {
		if !slices.ContainsFunc(plans, func(p account.Plan) bool { return p.Name == name }) {
			return nil, fmt.Errorf("billing.stripe.prices: there is no plan %q", name)
		}
	}
	from := s.billing.Stripe
	if o.Provider, err = stripe.New(stripe.Options{Key: from.SecretKey, WebhookSecret: from.WebhookSecret, Prices: from.Prices, URL: from.URL, Log: s.log}); err != nil {
		return nil, err
	}
	s.log.Info("plans are sold with Stripe", "mode", string(o.Provider.Mode()))
	return billing.New(o), nil
}
