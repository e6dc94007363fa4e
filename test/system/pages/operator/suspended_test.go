package operator_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/operator/operatortest"
	"example.com/griot/test/system/browsertest"
)

// An operator suspends an account with a reason, and resumes it.
func TestAccounts_SuspendedAndResumedInABrowser(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), s.URL+"/?next=%2Foperator#"+s.Link())
	tab.WaitFor(browsertest.Seen(".shell"))
	at, form := s.URL+"/operator/accounts/"+s.Account.ID, s.URL+"/operator/do/accounts.suspend?account="+s.Account.ID
	tab.Look("account-suspend", form)
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(at+"?lang=en"))
	tab.Click(`a[href*="accounts.suspend"]`)
	tab.WaitFor(browsertest.Seen("#reason"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#reason"), "Spam reports."))
	tab.Click("main form button[type=submit]")
	tab.WaitFor(browsertest.Says(".toast", "The account is suspended.") + " && " + browsertest.Says("main", "Spam reports."))
	tab.Look("account-suspended", at)
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(at+"?lang=en"))
	tab.Click("form[action*='accounts.resume'] button")
	tab.WaitFor(browsertest.Says(".toast", "The account is resumed.") + ` && !document.querySelector("main").innerText.includes("Spam reports.")`)
}
