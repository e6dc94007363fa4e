package dashboard_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/web/webtest"
)

// An owner tries a code in TEST, and sees how the real ones came back.
func TestCodes_InABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	w.signInTab(tab, ownerEmail)
	w.looks(tab, "codes-empty", "/dashboard/codes?mode=test")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+"/dashboard/codes?lang=en"))
	tab.Click(".mode .test")
	tab.WaitFor(webtest.Seen(".test-mode"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#to"), "+22376000001"))
	tab.Click("#tester-form button")
	tab.WaitFor(webtest.Seen("#verify") + ` && location.search.includes("mode=test")`)
	challenge, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`location.pathname + "?challenge=" + new URL(location).searchParams.get("challenge") + "&mode=test"`))
	if err != nil {
		t.Fatal(err)
	}
	w.looks(tab, "codes-verify", challenge)
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.SendKeys(chromedp.CSS("#code"), "123456"))
	tab.Click("#verify button")
	tab.WaitFor(webtest.Says("#verify .wrong", "This is not the code."))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#code"), "000000"))
	tab.Click("#verify button")
	tab.WaitFor(webtest.Says(".toast", "The code is right"))

	p := w.signIn(ownerEmail)
	for i := range 12 {
		to := fmt.Sprintf("%s00000%02d", []string{"2237600", "2250700", "3360000"}[i%3], i)
		challenge := p.sendCode("", to)
		if w.Clock.Advance(time.Duration(i) * time.Second); i%4 != 0 {
			p.post("/dashboard/codes/verify", "challenge", challenge, "code", w.Code(t, to))
		}
	}
	w.Write(t, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO otp_blocks (account_id, prefix, since, until) VALUES ($1, '2237600', $2, $3)`, w.Account.ID, db.Ms(w.Clock.Now()), db.Ms(w.Clock.Now().Add(time.Hour)))
		return err
	})
	w.looks(tab, "codes", "/dashboard/codes")
}
