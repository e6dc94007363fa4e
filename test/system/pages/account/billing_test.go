package account_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	sdk "github.com/stripe/stripe-go/v82"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/billing/stripe/stripetest"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// An owner chooses a plan: the browser follows the form to the provider's page.
func TestBilling_InABrowser(t *testing.T) {
	t.Parallel()
	server, provider := stripetest.NewShop(t)
	world := messagingtest.New(t, dbtest.SQLite(t), "pro")
	world.SetBilling(provider, "ventes@griot.example")
	w := world.Site(t, func(*dashboard.Options) {})
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank", "net::ERR_NAME_NOT_RESOLVED")
	signInTab(w, tab, messagingtest.OwnerEmail)
	looks(w, tab, "billing", "/dashboard/billing")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/billing?lang=en"))
	tab.Click(`.price:has([value="price_business"]) button`)
	tab.WaitFor(`location.protocol === "chrome-error:"`) // of a URL that tests can't reach; the policy would have kept the page
	if got := server.OpenCheckouts(); len(got) != 1 || got[0] != "price_business" {
		t.Fatalf("open checkouts %v, want that of price_business", got)
	}
	customer := server.Customers()[0]
	looks(w, tab, "billing-confirming", "/dashboard/billing?checkout=done&times=24")
	server.Subscribe(customer, "price_business", w.Clock.Now().Add(messagingtest.AMonth))
	server.Bill(customer, func(i *sdk.Invoice) {
		i.Number, i.Total, i.Currency, i.Created, i.HostedInvoiceURL, i.InvoicePDF = "F-2026-0001", 1990000, "xof", w.Clock.Now().Unix(), "https://invoice.stripe.com/i/1", "https://pay.stripe.com/invoice/1/pdf"
	})
	looks(w, tab, "billing-paid", "/dashboard/billing?checkout=done")
}
