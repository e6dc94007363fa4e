package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v82"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/billing/stripe/stripetest"
	"example.com/griot/messaging/messagingtest"
)

const (
	payingEmail = "test-free@example.com" // messagingtest's, on the plan free
	aMonth      = 30 * 24 * time.Hour
)

// shop is a service that sells plans, with a server that simulates Stripe.
type shop struct {
	*people
	stripe *stripetest.Server
	owner  string // the owner's session
	events int
}

// sells makes a world sell plans.
func sells(t *testing.T, w *messagingtest.World, server *stripetest.Server) *messagingtest.World {
	t.Helper()
	w.SetBilling(server.Provider(t), "ventes@griot.example")
	return w
}

func newShop(t *testing.T, d *db.DB) *shop {
	t.Helper()
	server := stripetest.New(t)
	for id, amount := range map[string]int64{"price_starter": 900, "price_pro": 4900, "price_pro_year": 49000, "price_business": 19900} {
		server.AddPrice(id, amount)
	}
	s := &shop{people: peopleOf(t, serve(t, sells(t, messagingtest.New(t, d, "free"), server))), stripe: server}
	s.owner = s.signIn(payingEmail)
	return s
}

func (s *shop) checkout(body string) *answer {
	s.t.Helper()
	return s.do("POST", "/api/billing/checkout", body, s.owner, s.origin())
}

// customer returns the account's customer, which has opened a checkout.
func (s *shop) customer() string {
	s.t.Helper()
	if a := s.checkout(`{"plan":"starter"}`); a.status != 200 {
		s.t.Fatalf("a checkout: %d %s", a.status, a.raw)
	}
	return s.stripe.Customers()[0]
}

// event posts an event, as Stripe does, to a service.
func (s *shop) post(to *service, e stripetest.Event) *answer {
	s.t.Helper()
	body := e.Body(s.t)
	return to.do("POST", "/billing/stripe/events", string(body), "Stripe-Signature: "+stripetest.Sign(body, s.Clock.Now(), stripetest.WebhookSecret))
}

// changed posts a new event about a customer's subscription.
func (s *shop) changed(customer string) {
	s.t.Helper()
	s.events++
	e := stripetest.Event{ID: fmt.Sprintf("evt_%04d", s.events), Type: "customer.subscription.updated", Object: map[string]any{"object": "subscription", "id": "sub_x", "customer": customer, "status": "whatever"}}
	if a := s.post(s.service, e); a.status != 200 {
		s.t.Fatalf("an event: %d %s", a.status, a.raw)
	}
}

// plan returns the subscribed plan, the plan in effect, and the stored status of the subscription.
func (s *shop) plan() string {
	s.t.Helper()
	a := s.do("GET", "/api/me", "", s.owner)
	status := "<nil>"
	if _, err := s.DB.Read(s.t.Context()).Row(`SELECT COALESCE(status, '<nil>') FROM billing_customers`).Scan(&status); err != nil {
		s.t.Fatal(err)
	}
	return fmt.Sprint(object(a.body, "plan", "name"), " ", object(a.body, "plan", "effective"), " ", object(a.body, "plan", "expiresAt"), " ", status)
}

func (s *shop) wantPlan(want string) {
	s.t.Helper()
	if got := s.plan(); got != want {
		s.t.Errorf("plan %q, want %q", got, want)
	}
}

// limit returns the daily quota that a send counts toward.
func (s *shop) limit() any {
	s.t.Helper()
	return s.send(`{"to":"22376000001","channel":"sms","message":"x"}`).body["limit"]
}

// Rules: M177.
func TestBilling_APlanIsGivenAtOnceAndTakenAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		s.wantPlan("free free <nil> <nil>")
		a := s.checkout(`{"plan":"pro","priceId":"price_pro"}`)
		if a.status != 200 || !strings.HasPrefix(a.text("url"), "https://checkout.stripe.com/") {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		asked := s.stripe.Last(t, "POST /v1/checkout/sessions").Form
		for name, want := range map[string]string{
			"mode": "subscription", "line_items[0][price]": "price_pro", "line_items[0][quantity]": "1", "locale": "fr",
			"success_url": s.URL + "/dashboard/billing?checkout=done", "cancel_url": s.URL + "/dashboard/billing?checkout=canceled", "client_reference_id": s.Account.ID,
		} {
			if got := asked.Get(name); got != want {
				t.Errorf("%s = %q, want %q", name, got, want)
			}
		}
		customer := s.stripe.Customers()[0]
		s.wantPlan("free free <nil> <nil>") // nothing is paid
		if s.limit() != float64(10) {
			t.Error("a checkout alone gave something")
		}

		end := messagingtest.Start.Add(aMonth)
		sub := s.stripe.Subscribe(customer, "price_pro", end)
		s.changed(customer)
		s.wantPlan("pro pro 2026-04-06T12:00:00.000Z active") // three days of grace after the renewal
		if got := s.limit(); got != float64(5000) {
			t.Errorf("limit %v, want 5000", got)
		}
		if a := s.do("GET", "/api/inbox/conversations", "", s.owner); a.status != 200 {
			t.Errorf("the inbox on pro: %d %s", a.status, a.raw)
		}

		item := s.stripeItem(sub)
		s.stripe.Change(sub, func(x *sdk.Subscription) { x.Items.Data[0].Price.ID = "price_business" })
		s.changed(customer)
		if got := s.limit(); got != float64(50000) {
			t.Errorf("after the upgrade %v, want 50000", got)
		}
		s.stripe.Change(sub, func(x *sdk.Subscription) { x.Items.Data[0].Price.ID = "price_starter" })
		s.changed(customer)
		if got := s.limit(); got != float64(500) {
			t.Errorf("after the downgrade %v, want 500", got)
		}
		s.wants(s.do("GET", "/api/inbox/conversations", "", s.owner), 403, "plan_required")

		s.stripe.Change(sub, func(x *sdk.Subscription) { x.Status = sdk.SubscriptionStatusPastDue })
		s.changed(customer)
		s.wantPlan("free free <nil> past_due")
		s.wants(s.send(`{"to":"22376000001","channel":"sms","message":"x"}`), 200, "") // 5 of 10 are used
		s.stripe.Change(sub, func(x *sdk.Subscription) { x.Status = sdk.SubscriptionStatusActive })
		s.changed(customer)
		s.wantPlan("starter starter 2026-04-06T12:00:00.000Z active")

		// The end is stored beforehand, so no event is needed.
		s.stripe.Change(sub, func(x *sdk.Subscription) { x.CancelAtPeriodEnd = true })
		s.changed(customer)
		s.wantPlan("starter starter 2026-04-03T12:00:00.000Z active")
		s.Clock.Advance(aMonth)
		if got := s.limit(); got != float64(10) {
			t.Errorf("after the end %v, want 10", got)
		}
		s.owner = s.signIn(payingEmail)
		s.wantPlan("starter free 2026-04-03T12:00:00.000Z active")
		s.stripe.Change(sub, func(x *sdk.Subscription) { x.Status = sdk.SubscriptionStatusCanceled })
		s.changed(customer)
		s.wantPlan("free free <nil> <nil>")
		if item == "" || s.Int(t, `SELECT count(*) FROM messages`) < 6 {
			t.Error("data is gone")
		}
		log, raw := s.auditLog(s.owner)
		for _, want := range []string{"owner " + payingEmail + " billing.customer_created", "owner " + payingEmail + " billing.checkout_opened", "system  account.changed map[plan:pro planExpiresAt:2026-04-06T12:00:00Z provider:stripe status:active subscription:" + sub} {
			if !slices.ContainsFunc(log, func(line string) bool { return strings.HasPrefix(line, want) }) {
				t.Errorf("no %q in\n%s", want, strings.Join(log, "\n"))
			}
		}
		for _, secret := range []string{stripetest.Key, stripetest.WebhookSecret, "checkout.stripe.com"} {
			if strings.Contains(raw, secret) || strings.Contains(s.Log.String(), secret) {
				t.Errorf("%s is in a log", secret)
			}
		}
	})
}

// stripeItem returns the item of the only subscription.
func (s *shop) stripeItem(sub string) (item string) {
	s.stripe.Change(sub, func(x *sdk.Subscription) { item = x.Items.Data[0].ID })
	return item
}

func TestBilling_ATrialIsOneOfPro(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		customer := s.customer()
		ends := messagingtest.Start.Add(7 * 24 * time.Hour)
		sub := s.stripe.Subscribe(customer, "price_pro", ends)
		s.stripe.Change(sub, func(x *sdk.Subscription) { x.Status, x.TrialEnd = sdk.SubscriptionStatusTrialing, ends.Unix() })
		s.changed(customer)
		a := s.do("GET", "/api/billing", "", s.owner)
		if object(a.body, "plan", "trial") != true || object(a.body, "plan", "effective") != "pro" || object(a.body, "subscription", "trialEndsAt") != "2026-03-11T12:00:00.000Z" {
			t.Errorf("%s", a.raw)
		}
		s.stripe.Change(sub, func(x *sdk.Subscription) { x.Status = sdk.SubscriptionStatusCanceled }) // before its end
		s.changed(customer)
		s.wantPlan("free free <nil> <nil>")
		if got := s.limit(); got != float64(10) {
			t.Errorf("limit %v, want 10", got)
		}
	})
}

// A plan that an operator has set stays until the provider reports another one.
func TestBilling_AnOperatorsPlanStays(t *testing.T) {
	s := newShop(t, dbtest.SQLite(t))
	customer := s.customer()
	business := "business"
	if _, err := s.Directory.Change(t.Context(), s.Account.ID, &account.Change{Plan: &business}); err != nil {
		t.Fatal(err)
	}
	s.changed(customer)
	s.wantPlan("business business <nil> <nil>")
	s.wants(s.checkout(`{"plan":"free"}`), 409, "billing_manual")
	sub := s.stripe.Subscribe(customer, "price_unknown", messagingtest.Start.Add(aMonth))
	s.changed(customer)
	s.wantPlan("business business <nil> active")
	s.stripe.Change(sub, func(x *sdk.Subscription) { x.Items.Data[0].Price.ID = "price_starter" })
	s.changed(customer)
	s.wantPlan("starter starter 2026-04-06T12:00:00.000Z active")
}

func TestBilling_TheLargestPlanPaidForCounts(t *testing.T) {
	s := newShop(t, dbtest.SQLite(t))
	customer := s.customer()
	for i, price := range []string{"price_starter", "price_business", "price_pro"} {
		sub := s.stripe.Subscribe(customer, price, messagingtest.Start.Add(aMonth))
		if i == 1 {
			s.stripe.Change(sub, func(x *sdk.Subscription) { x.Status = sdk.SubscriptionStatusUnpaid })
		}
	}
	s.changed(customer)
	s.wantPlan("pro pro 2026-04-06T12:00:00.000Z active")
}

func TestBilling_WhatThePageNeeds(t *testing.T) {
	s := newShop(t, dbtest.SQLite(t))
	s.stripe.SetPrice("price_business", func(p *sdk.Price) { p.Active = false })
	customer := s.customer()
	s.stripe.Bill(customer, func(i *sdk.Invoice) {
		i.Number, i.Total, i.Created, i.HostedInvoiceURL, i.InvoicePDF = "G-0001", 4900, messagingtest.Start.Unix(), "https://invoice.stripe.com/i/1", "https://pay.stripe.com/invoice/1/pdf"
	})
	s.stripe.Bill(customer, func(i *sdk.Invoice) { i.Status = sdk.InvoiceStatusDraft })
	s.stripe.Bill("cus_another", func(i *sdk.Invoice) { i.Number = "FOREIGN" })
	a := s.do("GET", "/api/billing", "", s.owner)
	var plans []string
	for _, p := range a.body["plans"].([]any) {
		line := fmt.Sprint(object(p, "name"), object(p, "current"), object(p, "dailyLimit"))
		for _, price := range object(p, "prices").([]any) {
			line += fmt.Sprint(" ", object(price, "id"), object(price, "amount"), object(price, "currency"), object(price, "interval"))
		}
		plans = append(plans, line)
	}
	want := []string{"freetrue 10", "starterfalse 500 price_starter900eurmonth", "profalse 5000 price_pro4900eurmonth price_pro_year49000eurmonth", "businessfalse 50000"}
	if !slices.Equal(plans, want) {
		t.Errorf("plans %q, want %q", plans, want)
	}
	invoices := a.body["invoices"].([]any)
	if len(invoices) != 1 || object(invoices[0], "number") != "G-0001" || object(invoices[0], "amount") != float64(4900) || object(invoices[0], "url") != "https://invoice.stripe.com/i/1" {
		t.Errorf("invoices %v", invoices)
	}
	if a.text("provider") != "stripe" || a.text("mode") != "TEST" || a.text("contact") != "ventes@griot.example" || object(a.body, "actions", "portal") != true || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s", a.raw)
	}

	s.stripe.SetDown(true)
	a = s.do("GET", "/api/billing", "", s.owner)
	if a.status != 200 || a.body["providerReachable"] != false || len(a.body["invoices"].([]any)) != 0 {
		t.Errorf("without the provider: %d %s", a.status, a.raw)
	}
	if strings.Contains(s.Log.String(), "SECRET") {
		t.Errorf("a secret in the log: %s", s.Log.String())
	}
}

// A person who returns from the provider's page sees the paid plan, even if the event is late.
func TestBilling_ThePageDoesNotWaitForTheEvent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		customer := s.customer()
		s.stripe.Subscribe(customer, "price_pro", messagingtest.Start.Add(aMonth))
		a := s.do("GET", "/api/billing", "", s.owner)
		if object(a.body, "plan", "effective") != "pro" || object(a.body, "usage", "limit") != float64(5000) || object(a.body, "subscription", "status") != "active" {
			t.Errorf("%s", a.raw)
		}
		if got := s.limit(); got != float64(5000) {
			t.Errorf("limit %v, want 5000", got)
		}
		s.stripe.SetDown(true)
		a = s.do("GET", "/api/billing", "", s.owner)
		if a.status != 200 || a.body["providerReachable"] != false || object(a.body, "subscription", "status") != "active" {
			t.Errorf("without the provider: %d %s", a.status, a.raw)
		}
	})
}

func TestBilling_WithoutAProviderAnOperatorSetsPlans(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "pro")
	w.SetBilling(nil, "ventes@griot.example")
	s := peopleOf(t, serve(t, w))
	owner := s.signIn(ownerEmail)
	a := s.do("GET", "/api/billing", "", owner)
	if a.status != http.StatusOK || a.text("provider") != "manual" || a.body["mode"] != nil || a.text("contact") != "ventes@griot.example" || len(a.body["plans"].([]any)) != 4 || object(a.body, "actions", "checkout") != false {
		t.Errorf("%d %s", a.status, a.raw)
	}
	for _, path := range []string{"/api/billing/checkout", "/api/billing/portal"} {
		a := s.do("POST", path, `{"plan":"pro"}`, owner, s.origin())
		s.wants(a, 409, "billing_manual")
		if !strings.Contains(a.text("message"), "ventes@griot.example") {
			t.Errorf("%s does not say whom to ask", a.raw)
		}
	}
	s.wants(s.do("POST", "/billing/stripe/events", `{}`), 404, "not_found")
}
