package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v82"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/billing/stripe/stripetest"
	"example.com/griot/messaging/messagingtest"
)

// Rules: M177.
func TestBillingEvents_OnlyStripesOwnAreTaken(t *testing.T) {
	s := newShop(t, dbtest.SQLite(t))
	customer := s.customer()
	s.stripe.Subscribe(customer, "price_pro", messagingtest.Start.Add(aMonth))
	now := s.Clock.Now()
	event := stripetest.Event{ID: "evt_1", Type: "customer.subscription.updated", Object: map[string]any{"customer": customer}}
	body := string(event.Body(t))
	live := event
	live.Live = true
	sign := func(body string, at time.Time) string {
		return stripetest.Sign([]byte(body), at, stripetest.WebhookSecret)
	}
	for what, tc := range map[string]struct {
		body, signature string
		status          int
		code            string
	}{
		"no signature":          {body, "", 400, "invalid_signature"},
		"another secret":        {body, stripetest.Sign([]byte(body), now, "whsec_other"), 400, "invalid_signature"},
		"another body":          {body + " ", sign(body, now), 400, "invalid_signature"},
		"another scheme":        {body, strings.Replace(sign(body, now), "v1=", "v0=", 1), 400, "invalid_signature"},
		"not a header":          {body, "nonsense", 400, "invalid_signature"},
		"no time":               {body, strings.SplitN(sign(body, now), ",", 2)[1], 400, "invalid_signature"},
		"too old":               {body, sign(body, now.Add(-5*time.Minute-time.Second)), 400, "invalid_signature"},
		"too new":               {body, sign(body, now.Add(5*time.Minute+time.Second)), 400, "invalid_signature"},
		"two times, the second": {body, fmt.Sprintf("t=%d,%s", now.Unix(), sign(body, now.Add(-time.Hour))), 400, "invalid_signature"},
		"not JSON":              {`{"id"`, sign(`{"id"`, now), 400, "invalid_event"},
		"a list":                {`[]`, sign(`[]`, now), 400, "invalid_event"},
		"no data":               {`{"id":"evt_9","type":"invoice.paid"}`, sign(`{"id":"evt_9","type":"invoice.paid"}`, now), 400, "invalid_event"},
		"an id with a newline":  {`{"id":"evt\n9","type":"invoice.paid","data":{"object":{}}}`, sign(`{"id":"evt\n9","type":"invoice.paid","data":{"object":{}}}`, now), 400, "invalid_event"},
		"LIVE to TEST":          {string(live.Body(t)), sign(string(live.Body(t)), now), 400, "mode_mismatch"},
		"more than 64 KiB":      {strings.Repeat(" ", 64<<10) + body, sign(strings.Repeat(" ", 64<<10)+body, now), 413, "payload_too_large"},
	} {
		a := s.do("POST", "/billing/stripe/events", tc.body, "Stripe-Signature: "+tc.signature)
		if a.status != tc.status || a.text("code") != tc.code {
			t.Errorf("%s: got %d %s, want %d %s", what, a.status, a.raw, tc.status, tc.code)
		}
	}
	s.wantPlan("free free <nil> <nil>")
	if n := s.Int(t, `SELECT count(*) FROM billing_events`); n != 0 {
		t.Errorf("%d events were stored, want none", n)
	}
	full := strings.Repeat(" ", 64<<10-len(body)) + body
	for what, tc := range map[string]struct{ body, signature string }{
		"exactly 64 KiB":           {full, sign(full, now)},
		"exactly five minutes old": {body, sign(body, now.Add(-5*time.Minute))},
	} {
		if a := s.do("POST", "/billing/stripe/events", tc.body, "Stripe-Signature: "+tc.signature); a.status != 200 {
			t.Errorf("%s: %d %s", what, a.status, a.raw)
		}
	}
	s.wantPlan("pro pro 2026-04-06T12:00:00.000Z active")
}

// A name in an object of Stripe must not select the account. The account is found by the stored customer.
func TestBillingEvents_TheAccountIsTheStoredCustomers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		s.customer()
		for i, object := range []map[string]any{
			{"customer": "cus_foreign", "client_reference_id": s.Account.ID, "metadata": map[string]any{"account": s.Account.ID}},
			{"customer": nil, "client_reference_id": s.Account.ID},
			{"customer": 7},
			{},
		} {
			s.stripe.Subscribe("cus_foreign", "price_business", messagingtest.Start.Add(aMonth))
			e := stripetest.Event{ID: fmt.Sprintf("evt_f%d", i), Type: "checkout.session.completed", Object: object}
			if a := s.post(s.service, e); a.status != 200 {
				t.Errorf("%v: %d %s, want 200: Stripe is not to repeat it", object, a.status, a.raw)
			}
		}
		other := stripetest.Event{ID: "evt_o", Type: "product.created", Object: map[string]any{"customer": s.stripe.Customers()[0]}}
		if a := s.post(s.service, other); a.status != 200 {
			t.Errorf("an event that says nothing: %d %s", a.status, a.raw)
		}
		s.wantPlan("free free <nil> <nil>")
		if n := s.Int(t, `SELECT count(*) FROM billing_events`); n != 0 {
			t.Errorf("%d events were stored, want none", n)
		}
	})
}

func TestBillingEvents_RepeatedAndInAnyOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		customer := s.customer()
		deleted := stripetest.Event{ID: "evt_a", Type: "customer.subscription.deleted", Object: map[string]any{"customer": customer}}
		created := stripetest.Event{ID: "evt_b", Type: "customer.subscription.created", Object: map[string]any{"customer": map[string]any{"id": customer, "object": "customer"}}}
		s.stripe.Subscribe(customer, "price_pro", messagingtest.Start.Add(aMonth)) // the second, after a first was deleted
		for _, e := range []stripetest.Event{created, deleted, deleted, created} {
			if a := s.post(s.service, e); a.status != 200 {
				t.Fatalf("%s: %d %s", e.Type, a.status, a.raw)
			}
			s.wantPlan("pro pro 2026-04-06T12:00:00.000Z active")
		}
		reads := 0
		for _, r := range s.stripe.Requests() {
			if r.Line == "GET /v1/subscriptions" {
				reads++
			}
		}
		if n := s.Int(t, `SELECT count(*) FROM billing_events`); n != 2 || reads != 3 { // one of the checkout
			t.Errorf("%d events and %d readings, want 2 and 3", n, reads)
		}
		if n := s.Int(t, `SELECT count(*) FROM account_audit_events WHERE action = 'account.changed'`); n != 1 {
			t.Errorf("%d changes in the audit log, want 1", n)
		}
	})
}

// A response is not stored if another node has stored a newer one in the meantime.
func TestBillingEvents_TheLatestReadingCounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		customer := s.customer()
		sub := s.stripe.Subscribe(customer, "price_business", messagingtest.Start.Add(aMonth))
		s.changed(customer)
		second := serve(t, sells(t, s.NewNode(t), s.stripe))
		var late atomic.Bool
		s.stripe.Before(func(line string) { // the first node's response is on its way, and contains business
			if line != "GET /v1/subscriptions" || !late.CompareAndSwap(false, true) {
				return
			}
			s.stripe.Change(sub, func(x *sdk.Subscription) { x.Items.Data[0].Price.ID = "price_starter" })
			e := stripetest.Event{ID: "evt_second", Type: "customer.subscription.updated", Object: map[string]any{"customer": customer}}
			if a := s.post(second, e); a.status != 200 {
				t.Errorf("the second node: %d %s", a.status, a.raw)
			}
		})
		first := stripetest.Event{ID: "evt_first", Type: "customer.subscription.updated", Object: map[string]any{"customer": customer}}
		if a := s.post(s.service, first); a.status != 200 {
			t.Errorf("the first node: %d %s", a.status, a.raw)
		}
		if !late.Load() {
			t.Error("the second node was not asked")
		}
		s.Directory.ForgetAll()
		s.wantPlan("starter starter 2026-04-06T12:00:00.000Z active")
	})
}

func TestBillingEvents_OneEventToManyNodesAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		customer := s.customer()
		s.stripe.Subscribe(customer, "price_pro", messagingtest.Start.Add(aMonth))
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				e := stripetest.Event{ID: fmt.Sprintf("evt_%d", i%3), Type: "invoice.paid", Object: map[string]any{"customer": customer}}
				if a := s.post(s.service, e); a.status != 200 && a.text("code") != "billing_unavailable" { // Stripe repeats it
					t.Errorf("%d %s", a.status, a.raw)
				}
			})
		}
		wg.Wait()
		for i := range 3 {
			s.post(s.service, stripetest.Event{ID: fmt.Sprintf("evt_%d", i), Type: "invoice.paid", Object: map[string]any{"customer": customer}})
		}
		s.wantPlan("pro pro 2026-04-06T12:00:00.000Z active")
		if n := s.Int(t, `SELECT count(*) FROM billing_events`); n != 3 {
			t.Errorf("%d events, want 3", n)
		}
		if n := s.Int(t, `SELECT count(*) FROM account_audit_events WHERE action = 'account.changed'`); n != 1 {
			t.Errorf("%d changes in the audit log, want 1", n)
		}
	})
}

// If the last write of the transaction fails, nothing is stored, and the repeated event stores all of it.
func TestBillingEvents_AllOrNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		customer := s.customer()
		s.stripe.Subscribe(customer, "price_pro", messagingtest.Start.Add(aMonth))
		e := stripetest.Event{ID: "evt_1", Type: "customer.subscription.created", Object: map[string]any{"customer": customer}}
		s.Exec(t, `ALTER TABLE cache_epochs RENAME TO cache_epochs_away`)
		if a := s.post(s.service, e); a.status < 500 {
			t.Errorf("got %d %s, want an error: Stripe is to repeat it", a.status, a.raw)
		}
		s.wantPlan("free free <nil> <nil>")
		if n := s.Int(t, `SELECT count(*) FROM billing_events`); n != 0 {
			t.Errorf("%d events, want none", n)
		}
		s.Exec(t, `ALTER TABLE cache_epochs_away RENAME TO cache_epochs`)
		s.stripe.SetDown(true)
		s.wants(s.post(s.service, e), 503, "billing_unavailable")
		s.stripe.SetDown(false)
		s.wants(s.post(s.service, e), 200, "")
		s.wantPlan("pro pro 2026-04-06T12:00:00.000Z active")
	})
}

// Another node sees a new plan within seconds, although it caches accounts.
func TestBillingEvents_OtherNodesSeeThePlan(t *testing.T) {
	d := dbtest.Postgres(t)
	s := newShop(t, d)
	customer := s.customer()
	other := account.NewDirectory(d, s.Clock.Now)
	waittest.Run(t, func(ctx context.Context) error { return other.Follow(ctx, new(logtest.Recorder).Logger()) })
	limit := func() int64 {
		a, err := other.Account(t.Context(), s.Account.ID)
		if err != nil {
			t.Fatal(err)
		}
		return a.Plan.DailyLimit
	}
	if got := limit(); got != 10 {
		t.Fatalf("limit %d, want 10", got)
	}
	s.stripe.Subscribe(customer, "price_pro", messagingtest.Start.Add(aMonth))
	s.changed(customer)
	waittest.Until(t, func() error {
		if got := limit(); got != 5000 {
			return fmt.Errorf("limit %d on the other node, want 5000", got)
		}
		return nil
	})
}

func TestBillingEvents_OldIDsAreForgotten(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newShop(t, d)
		customer := s.customer()
		s.changed(customer)
		s.Clock.Advance(61 * 24 * time.Hour)
		s.changed(customer)
		if n := s.Int(t, `SELECT count(*) FROM billing_events`); n != 1 {
			t.Errorf("%d events, want only the latest", n)
		}
		if a := s.do("GET", "/billing/stripe/events", ""); a.status != http.StatusMethodNotAllowed {
			t.Errorf("%d", a.status)
		}
	})
}
