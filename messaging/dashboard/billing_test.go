package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v82"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/billing/stripe/stripetest"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web"
)

// Rules: M83.
func TestBilling_FromFreeToProAndBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		server, provider := stripetest.NewShop(t)
		world := messagingtest.New(t, d, "pro")
		world.SetBilling(provider, "ventes@griot.example")
		w := world.Site(t, func(*dashboard.Options) {})
		p := w.SignIn(messagingtest.OwnerEmail)
		w.Exec(`UPDATE accounts SET plan = 'free'`)
		w.Directory.ForgetAll()
		first := p.Get("/dashboard/billing")
		p.WantsAll(first, "Test payments.", "10 messages a day", "9 EUR a month", "490.50 EUR a year", "1,990,000 XOF a month", "Choose Pro", "No invoices yet.", "ventes@griot.example")
		if got := first.Header.Get("Content-Security-Policy"); !strings.Contains(got, "form-action 'self' https://checkout.stripe.com https://billing.stripe.com; ") {
			t.Errorf("Content-Security-Policy %q, want the provider's pages in form-action", got)
		}
		for _, other := range []string{"/dashboard", "/dashboard/codes", "/dashboard/send"} {
			if got := p.Get(other).Header.Get("Content-Security-Policy"); got != web.CSP {
				t.Errorf("%s: Content-Security-Policy %q, want %q", other, got, web.CSP)
			}
		}
		p.Wants(p.Post("/dashboard/billing/portal"), http.StatusConflict, "paid for a plan yet.")
		p.Wants(p.Post("/dashboard/billing/checkout", "plan", "pro", "price", "price_starter"), http.StatusBadRequest, "This plan is no longer available.")
		p.Wants(p.Post("/dashboard/billing/checkout", "plan", "pro", "price", "price_pro"), http.StatusSeeOther, "https://checkout.stripe.com/c/pay/")

		back := p.Get("/dashboard/billing?checkout=done")
		p.Wants(back, http.StatusOK, "Your payment is being confirmed.")
		if got := back.Header.Get("Refresh"); got != "5; url=/dashboard/billing?checkout=done&times=1" {
			t.Errorf("Refresh %q, want the page again", got)
		}
		late := p.Get("/dashboard/billing?checkout=done&times=24")
		p.Wants(late, http.StatusOK, "This is taking longer than usual.")
		if got := late.Header.Get("Refresh"); got != "" {
			t.Errorf("Refresh %q after two minutes, want none", got)
		}
		p.Wants(p.Get("/dashboard/billing?checkout=canceled"), http.StatusOK, "nothing changed.")

		customer := server.Customers()[0]
		sub := server.Subscribe(customer, "price_pro", w.Clock.Now().Add(messagingtest.AMonth))
		server.Bill(customer, func(i *sdk.Invoice) {
			i.Number, i.Total, i.HostedInvoiceURL, i.InvoicePDF, i.Created = "F-0001", 4900, "https://invoice.stripe.com/i/1", "javascript:alert(1)", w.Clock.Now().Unix()
		})
		paid := p.Get("/dashboard/billing?checkout=done")
		p.WantsAll(paid, "Your plan Pro is active.", "Your current price", "Renews", "3 Apr 2026", `href="https://invoice.stripe.com/i/1"`, "F-0001", "Paid", "5,000 messages a day", "Cancel the subscription")
		if got := paid.Header.Get("Refresh"); got != "" || strings.Contains(paid.Body, "javascript:") {
			t.Errorf("Refresh %q, want none; and no address of another kind in\n%s", got, paid.Body)
		}
		p.Wants(p.Post("/dashboard/billing/checkout", "plan", "pro", "price", "price_pro"), http.StatusConflict, "You&#39;re already on this plan.")
		for _, form := range [][]string{{"plan", "business", "price", "price_business"}, {"plan", "free", "price", ""}} {
			p.Wants(p.Post("/dashboard/billing/checkout", form...), http.StatusSeeOther, "https://billing.stripe.com/p/session/")
		}
		p.Wants(p.Post("/dashboard/billing/portal"), http.StatusSeeOther, "https://billing.stripe.com/p/session/")

		server.Change(sub, func(s *sdk.Subscription) {
			s.CancelAt, s.CancelAtPeriodEnd = w.Clock.Now().Add(messagingtest.AMonth).Unix(), true
		})
		p.WantsAll(p.Get("/dashboard/billing"), "3 Apr 2026", "then the Free plan", "Keep Pro")
		server.Change(sub, func(s *sdk.Subscription) {
			s.Status, s.CancelAt, s.CancelAtPeriodEnd = sdk.SubscriptionStatusPastDue, 0, false
		})
		p.WantsAll(p.Get("/dashboard/billing"), "Payment failed.", "10 messages a day")
		server.SetDown(true)
		p.WantsAll(p.Get("/dashboard/billing"), "The payment provider isn't responding.")
		p.Wants(p.Post("/dashboard/billing/portal"), http.StatusServiceUnavailable, "The payment provider can&#39;t be reached.")
	})
}

func TestBilling_WhereAnOperatorSetsPlans(t *testing.T) {
	world := messagingtest.New(t, dbtest.SQLite(t), "pro")
	world.SetBilling(nil, "https://griot.example/help")
	w := world.Site(t, func(*dashboard.Options) {})
	p := w.SignIn(messagingtest.OwnerEmail)
	got := p.Get("/dashboard/billing")
	p.WantsAll(got, `write to <a href="https://griot.example/help">`, "50,000 messages a day", "of 5,000; 5,000 left")
	if strings.Contains(got.Body, "/dashboard/billing/checkout") || got.Header.Get("Content-Security-Policy") != web.CSP {
		t.Errorf("want no forms, and the policy of every page: %q\n%s", got.Header.Get("Content-Security-Policy"), got.Body)
	}
	p.Wants(p.Post("/dashboard/billing/checkout", "plan", "business"), http.StatusConflict, "Only your service operator can change plans.")
	past := w.Clock.Now().Add(-time.Hour)
	if found, err := w.Directory.Change(t.Context(), w.Account.ID, &account.Change{PlanExpiresAt: &past}); err != nil || !found {
		t.Fatal(found, err)
	}
	p.WantsAll(p.Get("/dashboard/billing"), "Your plan Pro ended on 4 Mar 2026.")
	w.Exec(`INSERT INTO quotas (account_id, day, used) VALUES ($1, $2, 9)`, w.Account.ID, w.Clock.Now().Unix()/86400)
	p.WantsAll(p.Get("/dashboard"), "90.0% of today", `<a href="/dashboard/billing">See the plans</a>`)
	w.Clock.Advance(16 * time.Minute)
	p.Wants(p.Post("/dashboard/billing/checkout", "plan", "business"), http.StatusSeeOther, "/dashboard/confirm?next=")
}
