package dashboard_test

import (
	"html"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	sdk "github.com/stripe/stripe-go/v82"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/billing/stripe"
	"example.com/griot/messaging/billing/stripe/stripetest"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

const aMonth = 30 * 24 * time.Hour

// newShop is a world in which plans are sold, with a server in Stripe's place.
func newShop(t *testing.T, d *db.DB) (*world, *stripetest.Server) {
	t.Helper()
	server := stripetest.New(t)
	for id, amount := range map[string]int64{"price_starter": 900, "price_pro": 4900, "price_pro_year": 49050, "price_business": 1990000} {
		server.AddPrice(id, amount)
	}
	server.SetPrice("price_pro_year", func(p *sdk.Price) { p.Recurring.Interval = sdk.PriceRecurringIntervalYear })
	server.SetPrice("price_business", func(p *sdk.Price) { p.Currency = "xof" })
	return newWorld(t, d, func(o *api.Options) {
		provider, err := stripe.New(stripe.Options{
			Key: stripetest.Key, WebhookSecret: stripetest.WebhookSecret, URL: server.URL, Log: slog.New(slog.DiscardHandler),
			Prices: map[string]string{"price_starter": "starter", "price_pro": "pro", "price_pro_year": "pro", "price_business": "business"},
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Billing = billing.New(billing.Options{DB: o.DB, Directory: o.Directory, Provider: provider, Contact: "ventes@griot.example", Now: o.Now, Log: o.Log, URL: o.URL})
	}), server
}

// wantsAll holds that a page has all of these texts.
func (p *person) wantsAll(got *page, parts ...string) {
	p.w.t.Helper()
	body := strings.ReplaceAll(html.UnescapeString(got.body), "\u00a0", " ")
	for _, part := range parts {
		if got.status != http.StatusOK || !strings.Contains(body, part) {
			p.w.t.Errorf("%d, want 200 with %q:\n%s", got.status, part, body)
		}
	}
}

func TestBilling_FromFreeToProAndBack(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w, server := newShop(t, d)
		p := w.signIn(ownerEmail)
		w.Write(t, func(tx *db.Tx) error {
			_, err := tx.Exec(`UPDATE accounts SET plan = 'free'`)
			return err
		})
		w.Directory.ForgetAll()
		first := p.get("/dashboard/billing")
		p.wantsAll(first, "Test payments.", "10 messages a day", "9 EUR a month", "490.50 EUR a year", "1,990,000 XOF a month", "Choose Pro", "No invoices yet.", "ventes@griot.example")
		if got := first.header.Get("Content-Security-Policy"); !strings.Contains(got, "form-action 'self' https://checkout.stripe.com https://billing.stripe.com; ") {
			t.Errorf("Content-Security-Policy %q, want the provider's pages in form-action", got)
		}
		for _, other := range []string{"/dashboard", "/dashboard/codes", "/dashboard/send"} {
			if got := p.get(other).header.Get("Content-Security-Policy"); got != web.CSP {
				t.Errorf("%s: Content-Security-Policy %q, want %q", other, got, web.CSP)
			}
		}
		p.wants(p.post("/dashboard/billing/portal"), http.StatusConflict, "There has been no payment yet")
		p.wants(p.post("/dashboard/billing/checkout", "plan", "pro", "price", "price_starter"), http.StatusBadRequest, "This plan is not for sale any more.")
		p.wants(p.post("/dashboard/billing/checkout", "plan", "pro", "price", "price_pro"), http.StatusSeeOther, "https://checkout.stripe.com/c/pay/")

		back := p.get("/dashboard/billing?checkout=done")
		p.wants(back, http.StatusOK, "Your payment is being confirmed.")
		if got := back.header.Get("Refresh"); got != "5; url=/dashboard/billing?checkout=done&times=1" {
			t.Errorf("Refresh %q, want the page again", got)
		}
		late := p.get("/dashboard/billing?checkout=done&times=24")
		p.wants(late, http.StatusOK, "It takes longer than usual.")
		if got := late.header.Get("Refresh"); got != "" {
			t.Errorf("Refresh %q after two minutes, want none", got)
		}
		p.wants(p.get("/dashboard/billing?checkout=canceled"), http.StatusOK, "Nothing was paid")

		customer := server.Customers()[0]
		sub := server.Subscribe(customer, "price_pro", w.Clock.Now().Add(aMonth))
		server.Bill(customer, func(i *sdk.Invoice) {
			i.Number, i.Total, i.HostedInvoiceURL, i.InvoicePDF, i.Created = "F-0001", 4900, "https://invoice.stripe.com/i/1", "javascript:alert(1)", w.Clock.Now().Unix()
		})
		paid := p.get("/dashboard/billing?checkout=done")
		p.wantsAll(paid, "Your plan Pro is active.", "This is what you pay", "Renews", "3 Apr 2026", `href="https://invoice.stripe.com/i/1"`, "F-0001", "Paid", "5,000 messages a day", "Cancel the subscription")
		if got := paid.header.Get("Refresh"); got != "" || strings.Contains(paid.body, "javascript:") {
			t.Errorf("Refresh %q, want none; and no address of another kind in\n%s", got, paid.body)
		}
		p.wants(p.post("/dashboard/billing/checkout", "plan", "pro", "price", "price_pro"), http.StatusConflict, "You are on this plan already.")
		for _, form := range [][]string{{"plan", "business", "price", "price_business"}, {"plan", "free", "price", ""}} {
			p.wants(p.post("/dashboard/billing/checkout", form...), http.StatusSeeOther, "https://billing.stripe.com/p/session/")
		}
		p.wants(p.post("/dashboard/billing/portal"), http.StatusSeeOther, "https://billing.stripe.com/p/session/")

		server.Change(sub, func(s *sdk.Subscription) { s.CancelAt, s.CancelAtPeriodEnd = w.Clock.Now().Add(aMonth).Unix(), true })
		p.wantsAll(p.get("/dashboard/billing"), "3 Apr 2026", "then the Free plan", "Keep Pro")
		server.Change(sub, func(s *sdk.Subscription) {
			s.Status, s.CancelAt, s.CancelAtPeriodEnd = sdk.SubscriptionStatusPastDue, 0, false
		})
		p.wantsAll(p.get("/dashboard/billing"), "Payment failed.", "10 messages a day")
		server.SetDown(true)
		p.wantsAll(p.get("/dashboard/billing"), "The payment provider does not answer.")
		p.wants(p.post("/dashboard/billing/portal"), http.StatusServiceUnavailable, "The payment provider cannot be reached.")
	})
}

func TestBilling_WhereAnOperatorSetsPlans(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t), func(o *api.Options) {
		o.Billing = billing.New(billing.Options{DB: o.DB, Directory: o.Directory, Contact: "https://griot.example/help", Now: o.Now, Log: o.Log, URL: o.URL})
	})
	p := w.signIn(ownerEmail)
	got := p.get("/dashboard/billing")
	p.wantsAll(got, `write to <a href="https://griot.example/help">`, "50,000 messages a day", "of 5,000; 5,000 left")
	if strings.Contains(got.body, "/dashboard/billing/checkout") || got.header.Get("Content-Security-Policy") != web.CSP {
		t.Errorf("want no forms, and the policy of every page: %q\n%s", got.header.Get("Content-Security-Policy"), got.body)
	}
	p.wants(p.post("/dashboard/billing/checkout", "plan", "business"), http.StatusConflict, "Plans are set by whoever runs this service.")
	past := w.Clock.Now().Add(-time.Hour)
	if found, err := w.Directory.Change(t.Context(), w.Account.ID, &account.Change{PlanExpiresAt: &past}); err != nil || !found {
		t.Fatal(found, err)
	}
	p.wantsAll(p.get("/dashboard/billing"), "Your plan Pro ended on 4 Mar 2026.")
	w.Write(t, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO quotas (account_id, day, used) VALUES ($1, $2, 9)`, w.Account.ID, w.Clock.Now().Unix()/86400)
		return err
	})
	p.wantsAll(p.get("/dashboard"), "90 % of today", `<a href="/dashboard/billing">See the plans</a>`)
	w.Clock.Advance(16 * time.Minute)
	p.wants(p.post("/dashboard/billing/checkout", "plan", "business"), http.StatusSeeOther, "/dashboard/confirm?next=")
}

// An owner chooses a plan: the browser follows the form to the provider's page.
func TestBilling_InABrowser(t *testing.T) {
	t.Parallel()
	w, server := newShop(t, dbtest.SQLite(t))
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank", "net::ERR_NAME_NOT_RESOLVED")
	w.signInTab(tab, ownerEmail)
	w.looks(tab, "billing", "/dashboard/billing")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+"/dashboard/billing?lang=en"))
	tab.Click(`.price:has([value="price_business"]) button`)
	tab.WaitFor(`location.protocol === "chrome-error:"`) // of an address that tests do not reach; the policy would have kept the page
	if got := server.OpenCheckouts(); len(got) != 1 || got[0] != "price_business" {
		t.Fatalf("open checkouts %v, want that of price_business", got)
	}
	customer := server.Customers()[0]
	w.looks(tab, "billing-confirming", "/dashboard/billing?checkout=done&times=24")
	server.Subscribe(customer, "price_business", w.Clock.Now().Add(aMonth))
	server.Bill(customer, func(i *sdk.Invoice) {
		i.Number, i.Total, i.Currency, i.Created, i.HostedInvoiceURL, i.InvoicePDF = "F-2026-0001", 1990000, "xof", w.Clock.Now().Unix(), "https://invoice.stripe.com/i/1", "https://pay.stripe.com/invoice/1/pdf"
	})
	w.looks(tab, "billing-paid", "/dashboard/billing?checkout=done")
}
