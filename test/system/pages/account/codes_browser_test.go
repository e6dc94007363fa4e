package account_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// An owner tries a code in TEST, and sees the results of the real ones.
func TestCodes_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	looks(w, tab, "codes-empty", "/dashboard/codes?mode=test")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/codes?lang=en"))
	tab.Click(".mode .test")
	tab.WaitFor(browsertest.Seen(".test-mode"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#to"), "+22376000001"))
	tab.Click("#tester-form button")
	tab.WaitFor(browsertest.Seen("#verify") + ` && location.search.includes("mode=test")`)
	challenge, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`location.pathname + "?challenge=" + new URL(location).searchParams.get("challenge") + "&mode=test"`))
	if err != nil {
		t.Fatal(err)
	}
	looks(w, tab, "codes-verify", challenge)
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.SendKeys(chromedp.CSS("#code"), "123456"))
	tab.Click("#verify button")
	tab.WaitFor(browsertest.Says("#verify .wrong", "This code is incorrect."))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#code"), "000000"))
	tab.Click("#verify button")
	tab.WaitFor(browsertest.Says(".toast", "The code is correct"))

	p := w.SignIn(messagingtest.OwnerEmail)
	for i := range 12 {
		to := fmt.Sprintf([]string{"2237600%04d", "2250700%06d", "3360000%04d"}[i%3], i)
		challenge := p.SendCode("", "+"+to)
		if w.Clock.Advance(time.Duration(i) * time.Second); i%4 != 0 {
			p.Post("/dashboard/codes/verify", "challenge", challenge, "code", w.Code(t, to))
		}
	}
	w.Exec(`INSERT INTO otp_blocks (account_id, prefix, since, until) VALUES ($1, '2237600', $2, $3)`, w.Account.ID, db.Ms(w.Clock.Now()), db.Ms(w.Clock.Now().Add(time.Hour)))
	looks(w, tab, "codes", "/dashboard/codes")
}
