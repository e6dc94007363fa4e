package api_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v82"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
)

// Rules: M177.
func TestCheckout_Refusals(t *testing.T) {
	s := newShop(t, dbtest.SQLite(t))
	for body, want := range map[string]string{
		`{}`: "invalid_request", `{"plan":7}`: "invalid_request", `[]`: "invalid_json", `{"plan":"none"}`: "invalid_plan", `{"plan":"pro"}`: "invalid_plan",
		`{"plan":"pro","priceId":"price_starter"}`: "invalid_plan", `{"plan":"free","priceId":"price_pro"}`: "invalid_plan", `{"plan":"unlimited"}`: "invalid_plan",
	} {
		s.wants(s.checkout(body), 400, want)
	}
	s.wants(s.checkout(`{"plan":"free"}`), 409, "already_on_plan")
	s.wants(s.do("POST", "/api/billing/portal", "", s.owner, s.origin()), 409, "no_subscription")
	if n := len(s.stripe.Customers()); n != 0 {
		t.Errorf("%d customers were made, want none", n)
	}
	s.stripe.SetDown(true)
	a := s.checkout(`{"plan":"starter"}`)
	s.wants(a, 503, "billing_unavailable")
	if a.header.Get("Retry-After") != "30" || strings.Contains(a.raw+s.Log.String(), "SECRET") {
		t.Errorf("%s\n%s", a.raw, s.Log.String())
	}
}

// Concurrent clicks, and clicks in two tabs, lead to one page that can be paid, and to one customer.
func TestCheckout_NobodyPaysTwice(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		var mu sync.Mutex
		urls := map[string]bool{}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				a := s.checkout(`{"plan":"starter"}`)
				mu.Lock()
				defer mu.Unlock()
				urls[a.text("url")] = true
				if a.status != 200 {
					t.Errorf("%d %s\n%s", a.status, a.raw, s.Log.String())
				}
			})
		}
		wg.Wait()
		if n := len(s.stripe.Customers()); n != 1 || s.Int(t, `SELECT count(*) FROM billing_customers`) != 1 {
			t.Errorf("%d customers, want 1", n)
		}
		if open := s.stripe.OpenCheckouts(); len(open) != 1 || len(urls) != 1 {
			t.Errorf("open %v, %d addresses; want one", open, len(urls))
		}
		before := s.checkout(`{"plan":"starter"}`).text("url")
		if after := s.checkout(`{"plan":"starter"}`).text("url"); after != before {
			t.Errorf("a second tab got %s, want %s", after, before)
		}
		s.checkout(`{"plan":"pro","priceId":"price_pro"}`)
		if open := s.stripe.OpenCheckouts(); !slices.Equal(open, []string{"price_pro"}) {
			t.Errorf("open %v, want the latest choice alone", open)
		}
		if again := s.checkout(`{"plan":"starter"}`).text("url"); again == before {
			t.Error("a closed page was handed out again")
		}
		s.stripe.CloseCheckouts()
		if a := s.checkout(`{"plan":"starter"}`); a.status != 200 || len(s.stripe.OpenCheckouts()) != 1 {
			t.Errorf("after a day: %d %s", a.status, a.raw)
		}
	})
}

// An account with a subscription changes it in the portal, based on the provider's own state, because the event might be late.
func TestCheckout_ASubscriptionIsChangedNotDoubled(t *testing.T) {
	s := newShop(t, dbtest.SQLite(t))
	customer := s.customer()
	sub := s.stripe.Subscribe(customer, "price_starter", messagingtest.Start.Add(aMonth))
	before := len(s.stripe.OpenCheckouts())

	s.wants(s.checkout(`{"plan":"starter"}`), 409, "already_on_plan")
	s.wantPlan("starter starter 2026-04-06T12:00:00.000Z active") // the state that was read is used
	a := s.checkout(`{"plan":"business"}`)
	if a.status != 200 || !strings.HasPrefix(a.text("url"), "https://billing.stripe.com/") || len(s.stripe.OpenCheckouts()) != before {
		t.Errorf("%d %s", a.status, a.raw)
	}
	form := s.stripe.Last(t, "POST /v1/billing_portal/sessions").Form
	for name, want := range map[string]string{
		"customer": customer, "flow_data[type]": "subscription_update_confirm", "flow_data[subscription_update_confirm][subscription]": sub,
		"flow_data[subscription_update_confirm][items][0][id]": s.stripeItem(sub), "flow_data[subscription_update_confirm][items][0][price]": "price_business",
		"return_url": s.URL + "/dashboard/billing",
	} {
		if got := form.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	flow := func() string {
		f := s.stripe.Last(t, "POST /v1/billing_portal/sessions").Form
		return f.Get("flow_data[type]") + " " + f.Get("flow_data[subscription_cancel][subscription]")
	}
	if s.checkout(`{"plan":"free"}`); flow() != "subscription_cancel "+sub {
		t.Errorf("to the free plan: %s", flow())
	}
	s.stripe.Change(sub, func(x *sdk.Subscription) { x.CancelAt = messagingtest.Start.Add(aMonth).Unix() })
	for _, plan := range []string{"free", "starter", "business"} { // the full portal, where the subscription must first be renewed
		if s.checkout(`{"plan":"` + plan + `"}`); flow() != " " {
			t.Errorf("%s, while it ends: %s", plan, flow())
		}
	}
	s.stripe.Change(sub, func(x *sdk.Subscription) { x.CancelAt, x.Status = 0, sdk.SubscriptionStatusPastDue })
	if s.checkout(`{"plan":"business"}`); flow() != " " {
		t.Errorf("while a payment is open: %s", flow())
	}
	s.stripe.Change(sub, func(x *sdk.Subscription) { x.Status = sdk.SubscriptionStatusIncomplete }) // the first payment failed
	if a := s.checkout(`{"plan":"business"}`); !strings.HasPrefix(a.text("url"), "https://checkout.stripe.com/") {
		t.Errorf("after a first payment that failed: %d %s", a.status, a.raw)
	}
	if a := s.do("POST", "/api/billing/portal", "", s.owner, s.origin()); a.status != 200 || flow() != " " {
		t.Errorf("%d %s", a.status, a.raw)
	}
}

func TestCheckout_ADeletedCustomerIsMadeAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		old := s.customer()
		s.stripe.Subscribe(old, "price_starter", messagingtest.Start.Add(aMonth))
		s.changed(old)
		s.stripe.DeleteCustomer(old)
		s.changed(old)
		s.wantPlan("free free <nil> <nil>")
		s.wants(s.do("POST", "/api/billing/portal", "", s.owner, s.origin()), 409, "no_subscription")
		if a := s.checkout(`{"plan":"starter"}`); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		fresh := s.stripe.Customers()
		if len(fresh) != 1 || fresh[0] == old {
			t.Fatalf("customers %v, want another than %s", fresh, old)
		}
		s.stripe.Subscribe(fresh[0], "price_pro", messagingtest.Start.Add(aMonth))
		s.changed(fresh[0])
		s.wantPlan("pro pro 2026-04-06T12:00:00.000Z active")
	})
}

// The sessions of other roles, and sessions with an old code, cannot open pages of the provider.
func TestCheckout_NeedsTheOwnerAndARecentCode(t *testing.T) {
	s := newShop(t, dbtest.SQLite(t))
	awa, _ := s.member(s.owner, "awa@example.com", "developer")
	before := len(s.stripe.Requests())
	s.wants(s.do("POST", "/api/billing/checkout", `{"plan":"starter"}`, awa, s.origin()), 403, "forbidden")
	s.wants(s.do("GET", "/api/billing", "", awa), 403, "forbidden")
	s.wants(s.do("POST", "/api/billing/checkout", `{"plan":"starter"}`, s.owner, "Origin: https://evil.example"), 403, "origin_mismatch")
	s.wants(s.do("POST", "/api/billing/checkout", `{"plan":"starter"}`, "X-API-Key: "+s.LiveKey, s.origin()), 403, "session_required")
	s.Clock.Advance(16 * time.Minute)
	s.wants(s.checkout(`{"plan":"starter"}`), 403, "recent_code_required")
	s.wants(s.do("POST", "/api/billing/portal", "", s.owner, s.origin()), 403, "recent_code_required")
	if after := len(s.stripe.Requests()); after != before {
		t.Errorf("%v", fmt.Sprint(s.stripe.Requests()[before:]))
	}
}
