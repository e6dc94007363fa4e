package account_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// From the overview of a new account, a message in TEST needs one click, and at most three with the navigation.
func TestFirstSteps_ToAMessageInThreeClicks(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t), messagingtest.Signup(account.SignupOpen))
	for lang, email := range map[string]string{"en": "awa@example.com", "fr": "fatou@example.com"} {
		p := w.SignIn(email)
		p.Post("/dashboard/sign-up", "name", "Boutique Awa")
		tab, clicks := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank"), 0
		click := func(selector string) { tab.Click(selector); clicks++ }
		signInTab(w, tab, email)
		if lang == "en" {
			for name, path := range map[string]string{"overview-new": "/dashboard", "senders-ask": "/dashboard/senders", "webhooks-ask": "/dashboard/webhooks"} {
				looks(w, tab, name, path)
			}
		}
		overview := w.URL + "/dashboard?theme=light&lang=" + lang
		tab.Do(chromedp.EmulateViewport(360, 740), chromedp.Navigate(overview))
		click(`.start form[action^="/dashboard/send"] button`)
		tab.WaitFor(`location.pathname.startsWith("/dashboard/messages/")`)
		if clicks > 3 {
			t.Errorf("%s: %d clicks to the message in TEST, want three at most", lang, clicks)
		}
		tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(overview))
		clicks = 0
		click(`.side a[href^="/dashboard/send"]`)
		tab.Do(chromedp.SendKeys(chromedp.CSS("#to"), "+22376000001"), chromedp.SendKeys(chromedp.CSS("#message"), "Bonjour"))
		click(`#send footer button`)
		tab.WaitFor(`location.pathname.startsWith("/dashboard/messages/")`)

		tab.Do(chromedp.Navigate(w.URL + "/dashboard/send?mode=live&lang=" + lang)) // LIVE, without a sender
		tab.Do(chromedp.SendKeys(chromedp.CSS("#to"), "+22376000001"), chromedp.SendKeys(chromedp.CSS("#message"), "Bonjour"))
		tab.Click(`#send footer button`)
		tab.WaitFor(browsertest.Seen(`.alert a[href="/dashboard/senders#ask"]`))
		tab.Axe("send-refused")
		tab.Fits("send-refused")
		tab.Screenshot("send-refused-" + lang)
		tab.Click(`.alert button[name=sandbox]`)
		tab.WaitFor(`location.pathname.startsWith("/dashboard/messages/")`)

		tab.Do(chromedp.Navigate(overview))
		tab.Click(`.start li:nth-child(6) form footer button`) // its step is open
		tab.WaitFor(`document.activeElement.id === "sender-wanted"`)
		tab.Do(chromedp.SendKeys(chromedp.CSS("#sender-wanted"), "+22376000077"))
		tab.Click(`.start li:nth-child(6) form footer button`)
		tab.WaitFor(`location.pathname === "/dashboard/senders" && ` + browsertest.Says("#ask", "+223"))
		if lang == "en" {
			looks(w, tab, "overview-started", "/dashboard")
		}
	}
}
