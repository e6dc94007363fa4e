package stripetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/webhook"
)

// The secrets of a server.
const (
	Key           = "sk_test_4fK2bVq8SECRET"
	WebhookSecret = "whsec_9sXq2SECRET"
)

// A Request is a request to the server.
type Request struct {
	Line           string // "POST /v1/customers"
	Form           url.Values
	IdempotencyKey string
}

// A Server simulates Stripe. Its methods are safe for concurrent use.
type Server struct {
	URL string

	mu            sync.Mutex
	prices        map[string]*sdk.Price
	customers     map[string]*sdk.Customer
	subscriptions []*sdk.Subscription
	sessions      []*sdk.CheckoutSession
	invoices      []*sdk.Invoice
	replies       map[string]reply // by idempotency key
	requests      []Request
	down          bool
	before        func(line string)
	made          int
}

type reply struct {
	form, body string
	status     int
}

// New starts a server. It stops with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{prices: map[string]*sdk.Price{}, customers: map[string]*sdk.Customer{}, replies: map[string]reply{}}
	web := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(web.Close)
	s.URL = web.URL
	return s
}

// AddPrice adds a monthly price for sale.
func (s *Server) AddPrice(id string, amount int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prices[id] = &sdk.Price{
		ID: id, Object: "price", Active: true, Currency: "eur", UnitAmount: amount, Type: sdk.PriceTypeRecurring,
		Recurring: &sdk.PriceRecurring{Interval: sdk.PriceRecurringIntervalMonth, IntervalCount: 1},
	}
}

// SetPrice changes a price.
func (s *Server) SetPrice(id string, change func(*sdk.Price)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.prices[id])
}

// SetDown makes every response a 500, or stops doing so.
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

// Before lets a test act after the response to a request was created and before it is sent.
func (s *Server) Before(act func(line string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = act
}

// Customers lists the customers' ids in their order.
func (s *Server) Customers() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.customers {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// DeleteCustomer deletes a customer with their open checkouts and ends their subscriptions.
func (s *Server) DeleteCustomer(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.customers, id)
	s.sessions = slices.DeleteFunc(s.sessions, func(c *sdk.CheckoutSession) bool { return c.Customer.ID == id })
	s.subscriptions = slices.DeleteFunc(s.subscriptions, func(sub *sdk.Subscription) bool { return sub.Customer.ID == id })
}

// Subscribe creates a subscription whose paid period ends at a time.
func (s *Server) Subscribe(customer, price string, periodEnd time.Time) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	sub := &sdk.Subscription{
		ID: fmt.Sprintf("sub_%04d", s.made), Object: "subscription", Status: sdk.SubscriptionStatusActive, Customer: &sdk.Customer{ID: customer, Object: "customer"},
		Items: &sdk.SubscriptionItemList{Data: []*sdk.SubscriptionItem{{ID: fmt.Sprintf("si_%04d", s.made), Object: "subscription_item", Price: &sdk.Price{ID: price, Object: "price"}, CurrentPeriodEnd: periodEnd.Unix()}}},
	}
	s.subscriptions = append(s.subscriptions, sub)
	return sub.ID
}

// Change changes a subscription. If its status becomes canceled, it is no longer listed.
func (s *Server) Change(id string, change func(*sdk.Subscription)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sub := range s.subscriptions {
		if sub.ID == id {
			change(sub)
		}
	}
}

// Bill creates an invoice.
func (s *Server) Bill(customer string, change func(*sdk.Invoice)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	i := &sdk.Invoice{ID: fmt.Sprintf("in_%04d", s.made), Object: "invoice", Customer: &sdk.Customer{ID: customer, Object: "customer"}, Currency: "eur", Status: sdk.InvoiceStatusPaid}
	change(i)
	s.invoices = append([]*sdk.Invoice{i}, s.invoices...)
}

// CloseCheckouts expires all open checkouts.
func (s *Server) CloseCheckouts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.sessions {
		c.Status = sdk.CheckoutSessionStatusExpired
	}
}

// OpenCheckouts lists the prices of the checkouts that can be paid.
func (s *Server) OpenCheckouts() (prices []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.sessions {
		if c.Status == sdk.CheckoutSessionStatusOpen {
			prices = append(prices, c.Metadata["price"])
		}
	}
	return prices
}

// Requests lists the requests to the server.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Last returns the last request with a line.
func (s *Server) Last(t testing.TB, line string) Request {
	t.Helper()
	for _, r := range slices.Backward(s.Requests()) {
		if r.Line == line {
			return r
		}
	}
	t.Fatalf("%s was not asked for", line)
	return Request{}
}

// An Event is an event as Stripe posts it.
type Event struct {
	ID, Type string
	Live     bool
	Object   map[string]any
}

// Body returns the event's bytes.
func (e Event) Body(t testing.TB) []byte {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"id": e.ID, "object": "event", "api_version": sdk.APIVersion, "created": 1772625600, "livemode": e.Live, "pending_webhooks": 1, "type": e.Type, "data": map[string]any{"object": e.Object},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Sign returns the header that signs a body at a time.
func Sign(body []byte, at time.Time, secret string) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: at}).Header
}

// form encodes a form in a fixed order.
func form(v url.Values) string { return strings.TrimSpace(v.Encode()) }
