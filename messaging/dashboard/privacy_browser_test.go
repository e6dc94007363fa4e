package dashboard_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/web/webtest"
)

// An owner erases a person, and sees what was found.
func TestPrivacy_InABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	w.signInTab(tab, ownerEmail)
	w.looks(tab, "privacy-none", "/dashboard/privacy")
	w.Receive(t, "22376000001", "in1", "Bonjour")
	sent := w.Submit(t, &message.Request{To: "+22376000001", Channel: gateway.SMS, Content: message.Content{Text: "Bonjour"}}).Message.ID
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+"/dashboard/privacy?lang=en"))
	tab.Do(chromedp.SendKeys(chromedp.CSS("#erase-address"), "+223 76 00 00 01"))
	tab.Click("input[name=sure]")
	tab.Click("form[action$=erase] button[type=submit]")
	tab.WaitFor(webtest.Seen(".toast") + ` && document.querySelector(".table code").textContent.startsWith("erased-")`)
	w.looks(tab, "privacy", "/dashboard/privacy")
	w.looks(tab, "message-erased", "/dashboard/messages/"+sent)
	w.looks(tab, "logs-erased", "/dashboard/logs")
}
