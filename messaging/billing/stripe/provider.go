package stripe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/stripe/stripe-go/v82"

	"example.com/griot/messaging/billing"
)

// Name is the provider's name.
const Name = "stripe"

const (
	callTimeout = 10 * time.Second
	retries     = 2   // of a failed call, with the same idempotency key
	pageSize    = 100 // of a list; a customer has only a few subscriptions
)

// Options configure a [Provider].
type Options struct {
	Key           string            // the secret key, whose prefix shows whether it is LIVE or TEST
	WebhookSecret string            // signs events
	Prices        map[string]string // from price ID to plan
	URL           string            // another server with Stripe's API, for tests; empty: Stripe
	Log           *slog.Logger
}

// Provider implements [billing.Provider].
type Provider struct {
	o      Options
	mode   billing.Mode
	client *sdk.Client
}

// ErrKey is returned for a text that is no secret key.
var ErrKey = errors.New("stripe: the secret key begins with sk_live_, rk_live_, sk_test_, or rk_test_")

// ModeOf returns the mode of a secret key.
//
// Errors: [ErrKey].
func ModeOf(key string) (billing.Mode, error) {
	for prefix, mode := range map[string]billing.Mode{"sk_live_": billing.Live, "rk_live_": billing.Live, "sk_test_": billing.Test, "rk_test_": billing.Test} {
		if strings.HasPrefix(key, prefix) && len(key) > len(prefix) {
			return mode, nil
		}
	}
	return "", ErrKey
}

// New returns the provider of a secret key.
//
// Errors: [ErrKey].
func New(o Options) (*Provider, error) {
	mode, err := ModeOf(o.Key)
	if err != nil {
		return nil, err
	}
	config := &sdk.BackendConfig{
		HTTPClient: &http.Client{Timeout: callTimeout}, MaxNetworkRetries: sdk.Int64(retries), EnableTelemetry: sdk.Bool(false),
		LeveledLogger: &sdk.LeveledLogger{Level: sdk.LevelNull},
	}
	if o.URL != "" {
		config.URL = sdk.String(o.URL)
	}
	return &Provider{o: o, mode: mode, client: sdk.NewClient(o.Key, sdk.WithBackends(sdk.NewBackendsWithConfig(config)))}, nil
}

// Name implements [billing.Provider].
func (p *Provider) Name() string { return Name }

// Mode implements [billing.Provider].
func (p *Provider) Mode() billing.Mode { return p.mode }

// Prices implements [billing.Provider]. It leaves out prices that are archived or do not exist at Stripe.
func (p *Provider) Prices(ctx context.Context) ([]billing.Price, error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var out []billing.Price
	var errs []error
	for id, plan := range p.o.Prices {
		wg.Go(func() {
			found, err := p.client.V1Prices.Retrieve(ctx, id, nil)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case isMissing(err):
				p.o.Log.Warn("Stripe does not have a price of billing.stripe.prices", "price", id)
			case err != nil:
				errs = append(errs, failed("reading a price", err))
			case found.Active && found.Recurring != nil && p.fits(found.Livemode):
				out = append(out, billing.Price{
					ID: id, Plan: plan, Amount: found.UnitAmount, Currency: string(found.Currency), Interval: string(found.Recurring.Interval), IntervalCount: found.Recurring.IntervalCount,
				})
			}
		})
	}
	wg.Wait()
	slices.SortFunc(out, func(a, b billing.Price) int { return strings.Compare(a.ID, b.ID) })
	return out, errors.Join(errs...)
}

// fits reports whether an object has the key's mode.
func (p *Provider) fits(live bool) bool { return live == (p.mode == billing.Live) }

// CreateCustomer implements [billing.Provider].
func (p *Provider) CreateCustomer(ctx context.Context, c *billing.NewCustomer) (string, error) {
	params := &sdk.CustomerCreateParams{Email: &c.Email, Name: &c.Name, PreferredLocales: sdk.StringSlice([]string{c.Lang}), Metadata: map[string]string{"account": c.AccountID}}
	params.SetIdempotencyKey(c.Key)
	made, err := p.client.V1Customers.Create(ctx, params)
	if err != nil {
		return "", failed("making a customer", err)
	}
	return made.ID, nil
}

// Subscriptions implements [billing.Provider].
func (p *Provider) Subscriptions(ctx context.Context, customer string) ([]billing.Subscription, error) {
	var out []billing.Subscription
	params := &sdk.SubscriptionListParams{Customer: &customer} // without ended subscriptions
	params.Limit, params.Single = sdk.Int64(pageSize), true
	for s, err := range p.client.V1Subscriptions.List(ctx, params) {
		if err != nil {
			return nil, failed("reading subscriptions", err)
		}
		if p.fits(s.Livemode) {
			out = append(out, p.subscription(s))
		}
	}
	return out, nil
}

func (p *Provider) subscription(s *sdk.Subscription) billing.Subscription {
	out := billing.Subscription{
		ID: s.ID, Status: string(s.Status), TrialEndsAt: at(s.TrialEnd), EndsAt: at(s.CancelAt),
		Entitled: s.Status == sdk.SubscriptionStatusActive || s.Status == sdk.SubscriptionStatusTrialing,
	}
	if s.Items == nil {
		return out
	}
	for _, item := range s.Items.Data {
		if item.Price == nil || out.Plan != "" {
			continue
		}
		out.ItemID, out.PriceID, out.Plan, out.PeriodEnd = item.ID, item.Price.ID, p.o.Prices[item.Price.ID], at(item.CurrentPeriodEnd)
	}
	if s.CancelAtPeriodEnd && out.EndsAt.IsZero() {
		out.EndsAt = out.PeriodEnd
	}
	out.Entitled = out.Entitled && out.Plan != ""
	return out
}

// Invoices implements [billing.Provider].
func (p *Provider) Invoices(ctx context.Context, customer string, limit int) ([]billing.Invoice, error) {
	out := []billing.Invoice{}
	params := &sdk.InvoiceListParams{Customer: &customer}
	params.Limit, params.Single = sdk.Int64(int64(limit)), true
	for i, err := range p.client.V1Invoices.List(ctx, params) {
		if err != nil {
			return nil, failed("reading invoices", err)
		}
		if i.Status == sdk.InvoiceStatusDraft || !p.fits(i.Livemode) {
			continue
		}
		out = append(out, billing.Invoice{
			ID: i.ID, Number: i.Number, Status: string(i.Status), Currency: string(i.Currency), Amount: i.Total, At: at(i.Created), URL: i.HostedInvoiceURL, PDF: i.InvoicePDF,
		})
	}
	return out, nil
}

// at converts Stripe's time, which is in seconds, with 0 for none.
func at(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

func isMissing(err error) bool {
	e, ok := errors.AsType[*sdk.Error](err)
	return ok && e.Code == sdk.ErrorCodeResourceMissing
}

// failed describes a failed call. It omits the response's text, which might contain the request's data.
func failed(doing string, err error) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return fmt.Errorf("stripe: %s: %w", doing, err)
	}
	if e.Code == sdk.ErrorCodeResourceMissing && e.Param == "customer" {
		return billing.ErrNoCustomer
	}
	return fmt.Errorf("stripe: %s: HTTP %d, type %q, code %q, param %q, request %s", doing, e.HTTPStatusCode, e.Type, e.Code, e.Param, e.RequestID)
}
