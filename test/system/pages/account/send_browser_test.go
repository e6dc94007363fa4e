package account_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// The form shows the fields that its recipient and channel need, and the message as it arrives.
func TestSend_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	looks(w, tab, "send", "/dashboard/send")
	looks(w, tab, "send-test", "/dashboard/send?mode=test")
	tab.Click("main details summary")
	tab.WaitFor(browsertest.Says("main details", "+447700900010"))
	looksAsItIs(w, tab, "send-test-recipients")

	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/send?lang=en&theme=light"))
	tab.WaitFor(`document.querySelector("#send button.primary").getBoundingClientRect().bottom <= innerHeight`)
	tab.WaitFor(`document.querySelector(".side").scrollHeight <= document.querySelector(".side").clientHeight`) // the menu fits, with the button to sign out
	hidden := `!document.querySelector("#subject").checkVisibility()`
	tab.WaitFor(hidden)
	tab.Do(chromedp.SendKeys(chromedp.CSS("#to"), "awa@example.com"))
	tab.WaitFor("!(" + hidden + ")")
	tab.Do(chromedp.SetValue(chromedp.CSS("#channel"), "sms"))
	tab.WaitFor(hidden)
	tab.Do(chromedp.SetValue(chromedp.CSS("#channel"), "auto"), chromedp.SendKeys(chromedp.CSS("#subject"), "Bonjour"), chromedp.SendKeys(chromedp.CSS("#message"), "À demain.\nAwa"))
	tab.WaitFor(browsertest.Says("#preview .bubble strong", "Bonjour"))
	looksAsItIs(w, tab, "send-email")

	// By the keyboard: a preset brings its fields, and the preview follows.
	tab.Do(chromedp.Navigate(w.URL + "/dashboard/send?lang=en&theme=dark"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#to"), "+22376000001"), chromedp.SendKeys(chromedp.CSS("#preset"), "Order s"))
	tab.WaitFor(browsertest.Seen("#var-carrier") + ` && document.querySelector("#to").value === "+22376000001"`)
	tab.Do(chromedp.SendKeys(chromedp.CSS("#var-orderId"), "A-17"))
	tab.WaitFor(browsertest.Says("#preview .bubble", "Your order A-17 has shipped."))
	looksAsItIs(w, tab, "send-preset")
	tab.Do(chromedp.Navigate(w.URL+"/dashboard/logs"), chromedp.NavigateBack()) // the browser restores the choice, and the page its fields
	tab.WaitFor(browsertest.Seen("#preset") + ` && (document.querySelector("#preset").value === "") === !document.querySelector("#var-carrier")`)
	tab.Do(chromedp.Navigate(w.URL + "/dashboard/send?lang=en&theme=dark"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#to"), "+22376000001"), chromedp.SendKeys(chromedp.CSS("#message"), "Bonjour"), chromedp.SetValue(chromedp.CSS("#preset"), "order_shipped"))
	tab.WaitFor(browsertest.Seen("#var-carrier"))
	tab.Do(chromedp.SetValue(chromedp.CSS("#preset"), ""))
	tab.WaitFor(`document.querySelector("textarea").value === "Bonjour"`)
	tab.Do(chromedp.SetValue(chromedp.CSS("#preset"), "order_shipped"))
	tab.WaitFor(browsertest.Seen("#var-carrier"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#var-orderId"), "A-17"))
	for _, width := range []int64{360, 768, 1440} {
		tab.Do(chromedp.EmulateViewport(width, 800))
		tab.Fits("send-preset")
		tab.Screenshot("send-preset-" + map[int64]string{360: "360", 768: "768", 1440: "1440"}[width])
	}
	tab.Click("#send button.primary")
	tab.WaitFor(browsertest.Says("main", "A-17"))
}
