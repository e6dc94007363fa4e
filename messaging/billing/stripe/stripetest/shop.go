package stripetest

import (
	"log/slog"
	"testing"

	sdk "github.com/stripe/stripe-go/v82"

	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/billing/stripe"
)

// NewShop starts a server that sells each plan, Pro also by the year and Business in francs. It returns the server with
// its provider.
func NewShop(t testing.TB) (*Server, billing.Provider) {
	t.Helper()
	s := New(t)
	for id, amount := range map[string]int64{"price_starter": 900, "price_pro": 4900, "price_pro_year": 49050, "price_business": 1990000} {
		s.AddPrice(id, amount)
	}
	s.SetPrice("price_pro_year", func(p *sdk.Price) { p.Recurring.Interval = sdk.PriceRecurringIntervalYear })
	s.SetPrice("price_business", func(p *sdk.Price) { p.Currency = "xof" })
	return s, s.Provider(t)
}

// Provider returns a provider of the server's prices for the paid plans.
func (s *Server) Provider(t testing.TB) billing.Provider {
	t.Helper()
	p, err := stripe.New(stripe.Options{
		Key: Key, WebhookSecret: WebhookSecret, URL: s.URL, Log: slog.New(slog.DiscardHandler),
		Prices: map[string]string{"price_starter": "starter", "price_pro": "pro", "price_pro_year": "pro", "price_business": "business"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
