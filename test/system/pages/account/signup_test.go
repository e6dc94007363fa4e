package account_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// A new user gets from the sign-in page to their own dashboard.
func TestSignUp_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t), messagingtest.Signup(account.SignupOpen))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	looks(w, tab, "sign-in-open", "/dashboard/sign-in")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/sign-in?lang=en"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#email"), "awa@example.com"))
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Seen("#code"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#code"), w.MailedCode("awa@example.com")))
	tab.Click("main button[type=submit]")
	tab.WaitFor(browsertest.Seen("#name"))
	looks(w, tab, "sign-up", "/dashboard/sign-up")
	tab.Do(chromedp.EmulateViewport(360, 740), chromedp.SendKeys(chromedp.CSS("#name"), "Boutique Awa"))
	tab.Click("main button.primary")
	tab.WaitFor(browsertest.Seen("#key"))
	for _, width := range []int64{360, 1280} {
		tab.Do(chromedp.EmulateViewport(width, 800))
		tab.Axe("welcome")
		tab.Fits("welcome")
		tab.Screenshot("welcome-" + map[int64]string{360: "360", 1280: "1280"}[width])
	}
	tab.Click("a.primary")
	tab.WaitFor(browsertest.Seen(".shell") + ` && location.search === "?mode=test"`)
}
