package billing

import (
	"context"
	"errors"
	"time"
)

// Mode is whether a provider moves real money.
type Mode string

// The modes.
const (
	Live Mode = "LIVE"
	Test Mode = "TEST"
)

// ManualName is the name of the provider that has operators set plans.
const ManualName = "manual"

// Errors of providers. Those of a provider that cannot be reached are its own.
var (
	ErrManual     = errors.New("billing: an operator sets the plans")
	ErrNoCustomer = errors.New("billing: the provider does not have this customer")
	ErrSignature  = errors.New("billing: the event is not signed by the provider, or was signed too long ago")
	ErrMalformed  = errors.New("billing: the event is malformed")
)

// Provider takes payments. Its methods make one or a few calls, with a time limit of their own.
type Provider interface {
	Name() string
	Mode() Mode

	// Prices lists what is for sale, from the allow-list of the configuration.
	Prices(ctx context.Context) ([]Price, error)
	// CreateCustomer makes a customer. The same key makes no second one.
	CreateCustomer(ctx context.Context, c *NewCustomer) (id string, err error)
	// Subscriptions lists a customer's subscriptions that have not ended.
	Subscriptions(ctx context.Context, customer string) ([]Subscription, error)
	// Invoices lists a customer's latest invoices, the newest first.
	Invoices(ctx context.Context, customer string, limit int) ([]Invoice, error)
	// Checkout returns the address of a page on which a customer subscribes to a price. open is false when the page
	// that the key stands for can no longer be used.
	Checkout(ctx context.Context, c *Checkout) (url string, open bool, err error)
	// Portal returns the address of a page on which a customer changes or cancels a subscription.
	Portal(ctx context.Context, p *Portal) (url string, err error)
	// PageOrigins are the origins of the pages that Checkout and Portal lead to.
	PageOrigins() []string
	// Event checks an event's signature, and that it was made at most five minutes from now.
	Event(body []byte, signature string, now time.Time) (*Event, error)
}

// Price is what a plan costs for a period.
type Price struct {
	ID            string
	Plan          string
	Amount        int64  // in the currency's smallest unit
	Currency      string // ISO 4217, in small letters
	Interval      string // day, week, month, or year
	IntervalCount int64
}

// NewCustomer describes a customer to make.
type NewCustomer struct{ Key, AccountID, Name, Email, Lang string }

// Subscription is what a customer has subscribed to.
type Subscription struct {
	ID, ItemID, PriceID string
	Plan                string // of an allowed price; empty: none
	Status              string // the provider's word
	Entitled            bool   // the plan is paid for, or tried
	PeriodEnd           time.Time
	EndsAt              time.Time // zero: it renews
	TrialEndsAt         time.Time // zero: no trial
}

// Invoice is one bill of a customer.
type Invoice struct {
	ID, Number, Status, Currency string
	Amount                       int64 // in the currency's smallest unit
	At                           time.Time
	URL, PDF                     string // the provider's pages; may be empty
}

// Checkout describes a page on which a customer subscribes.
type Checkout struct{ Key, Customer, AccountID, Price, Lang, Done, Canceled string }

// Portal describes a page on which a customer changes something. Without a subscription it shows everything.
type Portal struct {
	Customer, Lang, Return string
	Subscription, Item     string
	Price                  string // to change to; empty: cancel the subscription
}

// Event says that something about a customer has changed.
type Event struct {
	ID, Type string
	Customer string // empty: it is about something else
	Mode     Mode
}

// Manual is the provider that takes no payments.
type Manual struct{}

// Name implements [Provider].
func (Manual) Name() string { return ManualName }

// Mode implements [Provider]: there is none.
func (Manual) Mode() Mode { return "" }

// Prices implements [Provider]: nothing is for sale.
func (Manual) Prices(context.Context) ([]Price, error) { return nil, nil }

// CreateCustomer implements [Provider].
func (Manual) CreateCustomer(context.Context, *NewCustomer) (string, error) { return "", ErrManual }

// Subscriptions implements [Provider].
func (Manual) Subscriptions(context.Context, string) ([]Subscription, error) { return nil, ErrManual }

// Invoices implements [Provider]: there are none.
func (Manual) Invoices(context.Context, string, int) ([]Invoice, error) { return nil, nil }

// Checkout implements [Provider].
func (Manual) Checkout(context.Context, *Checkout) (string, bool, error) { return "", false, ErrManual }

// Portal implements [Provider].
func (Manual) Portal(context.Context, *Portal) (string, error) { return "", ErrManual }

// PageOrigins implements [Provider]: there are none.
func (Manual) PageOrigins() []string { return nil }

// Event implements [Provider].
func (Manual) Event([]byte, string, time.Time) (*Event, error) { return nil, ErrManual }
