package account_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// The owner of a suspended account sees the reason, and finds the billing page and the operator's address.
func TestSuspended_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.New(t, dbtest.SQLite(t), "pro").Site(t, func(o *dashboard.Options) { o.Contact = "help@griot.example" })
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank", "status of 403")
	signInTab(w, tab, messagingtest.OwnerEmail)
	if err := w.Delivery.SetSuspended(t.Context(), w.Account.ID, "Many recipients have reported your messages of 3 March as spam."); err != nil {
		t.Fatal(err)
	}
	looks(w, tab, "suspended", "/dashboard")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/logs?lang=en"))
	tab.WaitFor(browsertest.Says("main", "reported your messages") + ` && document.querySelector("main a").href === "mailto:help@griot.example"`)
	tab.Click(`nav a[href="/dashboard/billing"]`)
	tab.WaitFor(browsertest.Says("main", "Plan and billing") + " && " + browsertest.Says("main", "reported your messages"))
	looks(w, tab, "suspended-billing", "/dashboard/billing")
}
