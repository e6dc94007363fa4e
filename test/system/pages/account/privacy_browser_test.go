package account_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// An owner erases a person, and sees the found data.
func TestPrivacy_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	looks(w, tab, "privacy-none", "/dashboard/privacy")
	w.Receive(t, "22376000001", "in1", "Bonjour")
	sent := w.Submit(t, &message.Request{To: "+22376000001", Channel: gateway.SMS, Content: message.Content{Text: "Bonjour"}}).Message.ID
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/privacy?lang=en"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#erase-address"), "+223 76 00 00 01"))
	tab.Click("input[name=sure]")
	tab.Click("form[action$=erase] button[type=submit]")
	tab.WaitFor(browsertest.Seen(".toast") + ` && document.querySelector(".table code").textContent.startsWith("erased-")`)
	looks(w, tab, "privacy", "/dashboard/privacy")
	looks(w, tab, "message-erased", "/dashboard/messages/"+sent)
	looks(w, tab, "logs-erased", "/dashboard/logs")
}
