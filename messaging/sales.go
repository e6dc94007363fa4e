package messaging

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"example.com/griot/internal/config"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/billing/stripe"
)

// sales is the configuration of the sale of plans.
type sales struct {
	service  *billing.Service
	provider billing.Provider // nil: an operator sets plans
}

func openSales(s *Service, c *config.Config) (*sales, error) {
	o := billing.Options{DB: s.e.DB, Directory: s.Directory, Contact: cmp.Or(c.Billing.Contact, c.Operator.Contact), Now: s.e.Now, Log: s.e.Log, URL: c.API.URL}
	if from := c.Billing.Stripe; c.Billing.Provider == config.BillingStripe {
		var err error
		if o.Provider, err = stripe.New(stripe.Options{Key: from.SecretKey, WebhookSecret: from.WebhookSecret, Prices: from.Prices, URL: from.URL, Log: s.e.Log}); err != nil {
			return nil, err
		}
	}
	return &sales{billing.New(o), o.Provider}, nil
}

// startSales checks that the plans with prices are in the database.
func (s *Service) startSales(ctx context.Context) error {
	if s.sales.provider == nil {
		return nil
	}
	plans, err := s.Directory.Plans(ctx)
	if err != nil {
		return err
	}
	for _, name := range s.c.Billing.Stripe.Prices {
		if !slices.ContainsFunc(plans, func(p account.Plan) bool { return p.Name == name }) {
			return fmt.Errorf("billing.stripe.prices: there is no plan %q", name)
		}
	}
	s.e.Log.InfoContext(ctx, "plans are sold with Stripe", "mode", string(s.sales.provider.Mode()))
	return nil
}
