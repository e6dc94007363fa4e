package billing

import (
	"context"
	"errors"
	"time"
)

// A Mode determines whether a provider moves real money.
type Mode string

// The modes.
const (
	Live Mode = "LIVE"
	Test Mode = "TEST"
)

// ManualName is the name of the provider with which operators set plans.
const ManualName = "manual"

// Errors of providers. If a provider cannot be reached, the error is the provider's own.
var (
	ErrManual     = errors.New("billing: an operator sets the plans")
	ErrNoCustomer = errors.New("billing: the provider does not have this customer")
	ErrSignature  = errors.New("billing: the event is not signed by the provider, or was signed too long ago")
	ErrMalformed  = errors.New("billing: the event is malformed")
)

// A Provider accepts payments. Its methods make one or a few calls, with their own time limit.
type Provider interface {
	Name() string
	Mode() Mode

	// Prices lists the prices for sale, from the allow-list of the configuration.
	Prices(ctx context.Context) ([]Price, error)
	// CreateCustomer creates a customer. Another call with the same key returns the same customer.
	CreateCustomer(ctx context.Context, c *NewCustomer) (id string, err error)
	// Subscriptions lists a customer's subscriptions that have not ended.
	Subscriptions(ctx context.Context, customer string) ([]Subscription, error)
	// Invoices lists a customer's latest invoices, newest first.
	Invoices(ctx context.Context, customer string, limit int) ([]Invoice, error)
	// Checkout returns the URL of a page on which a customer subscribes to a price. open is false if the page for the
	// key can no longer be used.
	Checkout(ctx context.Context, c *Checkout) (url string, open bool, err error)
	// Portal returns the URL of a page on which a customer changes or cancels a subscription.
	Portal(ctx context.Context, p *Portal) (url string, err error)
	// PageOrigins returns the origins of the pages of Checkout and Portal.
	PageOrigins() []string
	// Event verifies an event's signature, and that its time differs from now by at most five minutes.
	Event(body []byte, signature string, now time.Time) (*Event, error)
}

// A Price is the price of a plan for a period.
type Price struct {
	ID            string
	Plan          string
	Amount        int64  // in the currency's smallest unit
	Currency      string // ISO 4217, in lowercase
	Interval      string // day, week, month, or year
	IntervalCount int64
}

// A NewCustomer describes a customer to create.
type NewCustomer struct{ Key, AccountID, Name, Email, Lang string }

// A Subscription is a customer's subscription.
type Subscription struct {
	ID, ItemID, PriceID string
	Plan                string // the plan of an allowed price; empty: none
	Status              string // as named by the provider
	Entitled            bool   // the plan is paid for or in a trial
	PeriodEnd           time.Time
	EndsAt              time.Time // zero: it renews
	TrialEndsAt         time.Time // zero: no trial
}

// An Invoice is an invoice of a customer.
type Invoice struct {
	ID, Number, Status, Currency string
	Amount                       int64 // in the currency's smallest unit
	At                           time.Time
	URL, PDF                     string // the provider's pages; can be empty
}

// A Checkout describes a page on which a customer subscribes.
type Checkout struct{ Key, Customer, AccountID, Price, Lang, Done, Canceled string }

// A Portal describes a page on which a customer makes changes. Without a subscription, it shows all billing data.
type Portal struct {
	Customer, Lang, Return string
	Subscription, Item     string
	Price                  string // the new price; empty: cancel the subscription
}

// An Event reports a change of a customer.
type Event struct {
	ID, Type string
	Customer string // empty: the event concerns something else
	Mode     Mode
}

// Manual is the provider that accepts no payments.
type Manual struct{}

// Name implements [Provider].
func (Manual) Name() string { return ManualName }

// Mode implements [Provider]. Manual has no mode.
func (Manual) Mode() Mode { return "" }

// Prices implements [Provider]. Manual sells nothing.
func (Manual) Prices(context.Context) ([]Price, error) { return nil, nil }

// CreateCustomer implements [Provider].
func (Manual) CreateCustomer(context.Context, *NewCustomer) (string, error) { return "", ErrManual }

// Subscriptions implements [Provider].
func (Manual) Subscriptions(context.Context, string) ([]Subscription, error) { return nil, ErrManual }

// Invoices implements [Provider]. Manual has none.
func (Manual) Invoices(context.Context, string, int) ([]Invoice, error) { return nil, nil }

// Checkout implements [Provider].
func (Manual) Checkout(context.Context, *Checkout) (string, bool, error) { return "", false, ErrManual }

// Portal implements [Provider].
func (Manual) Portal(context.Context, *Portal) (string, error) { return "", ErrManual }

// PageOrigins implements [Provider]. Manual has none.
func (Manual) PageOrigins() []string { return nil }

// Event implements [Provider].
func (Manual) Event([]byte, string, time.Time) (*Event, error) { return nil, ErrManual }
