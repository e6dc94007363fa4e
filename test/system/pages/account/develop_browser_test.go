package account_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/quota"
	"example.com/griot/test/system/browsertest"
)

// An owner pauses a sender, and finds the reason that events do not arrive.
func TestDevelopPages_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	shop := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		http.Error(rw, "<b>no database</b>", http.StatusInternalServerError)
	}))
	t.Cleanup(shop.Close)
	sms := "/dashboard/senders/" + w.Sender(messagingtest.SMS)
	if _, err := w.Directory.SetWarmUp(t.Context(), w.Sender(messagingtest.SMS), account.WarmUp{From: quota.Day(messagingtest.Start), First: 50, Days: 7}); err != nil {
		t.Fatal(err)
	}
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	looks(w, tab, "webhooks-none", "/dashboard/webhooks")
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
	w.Fail(p, gateway.SenderDown, "credentials_refused")
	w.Gateway.SetState(messagingtest.WhatsApp, gateway.Restricted)

	looks(w, tab, "senders", "/dashboard/senders")
	looks(w, tab, "sender-down", sms)
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+sms+"?lang=en"))
	tab.Click(`form[action$="/pause"] button`)
	tab.WaitFor(browsertest.Seen(".toast") + ` && document.querySelector("form[action$='/resume']") !== null`)
	looks(w, tab, "sender-paused", sms)
	tab.Click(`form[action$="/resume"] button`)
	tab.WaitFor(browsertest.Seen(".toast") + ` && document.querySelector("form[action$='/pause']") !== null`)

	if _, err := w.Endpoints.Set(t.Context(), w.Account.ID, shop.URL+"/hooks/griot"); err != nil {
		t.Fatal(err)
	}
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/webhooks?lang=en"))
	tab.Click(`form[action$="/ping"] button`)
	tab.WaitFor(`location.pathname.startsWith("/dashboard/webhooks/evt_") && ` + browsertest.Says("main", "None yet"))
	waittest.Run(t, w.NewDispatcher().Run)
	tab.WaitFor(browsertest.Says("#attempts", "2xx")) // the page updates itself
	event, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string]("location.pathname"))
	if err != nil || !strings.HasPrefix(event, "/dashboard/webhooks/evt_") {
		t.Fatal(event, err)
	}
	looks(w, tab, "webhook-event", event)
	p.Send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
	looks(w, tab, "webhooks", "/dashboard/webhooks")
	w.Disabled(webhook.ForGone)
	looks(w, tab, "webhooks-disabled", "/dashboard/webhooks")
	looks(w, tab, "overview-alerts", "/dashboard")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/webhooks?lang=en"))
	tab.Click(`form[action$="/stream-secret"] button`)
	tab.WaitFor(browsertest.Says("#secret", "whsec_"))
	tab.Axe("webhooks-secret")
	tab.Screenshot("webhooks-secret")
	tab.Click(`form[action$="/enable"] button`)
	tab.WaitFor(browsertest.Seen(".toast"))
}

// An owner sets a URL of their own, replaces its secret, and removes it.
func TestOwnWebhook_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t), func(o *api.Options) { o.Endpoints.AccountsSetURL = true })
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	looks(w, tab, "webhooks-own-none", "/dashboard/webhooks")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/webhooks?lang=en"))
	set := func(url string) {
		t.Helper()
		tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#url").value = ""; undefined`), chromedp.SendKeys(chromedp.CSS("#url"), url))
		tab.Click(`form[action="/dashboard/webhooks"][method=post] button[type=submit]`)
	}
	set("https://10.0.0.1/hooks")
	tab.WaitFor(browsertest.Says("#url-about", "lead to a public server, and have"))
	looksAsItIs(w, tab, "webhooks-own-wrong")
	set("https://boutique.example/a/path/that/is/longer/than/the/screen/of/a/small/phone/hooks/griot")
	tab.WaitFor(browsertest.Says("#signing", "whsec_"))
	tab.Do(chromedp.EmulateViewport(360, 800))
	looksAsItIs(w, tab, "webhooks-own-secret")
	looks(w, tab, "webhooks-own", "/dashboard/webhooks")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+"/dashboard/webhooks?lang=en"))
	tab.Click(`a[href="#rotate"]`)
	tab.WaitFor(browsertest.Seen("dialog#rotate"))
	looksAsItIs(w, tab, "webhooks-own-rotate")
	tab.Click("#rotate button[type=submit]")
	tab.WaitFor(browsertest.Says("#signing", "whsec_"))
	tab.Do(chromedp.Navigate(w.URL + "/dashboard/webhooks?lang=en"))
	set("https://boutique.example/hooks")
	tab.WaitFor(browsertest.Says(".toast", "Webhook URL saved."))
	tab.Click(`a[href="#remove"]`)
	tab.WaitFor(browsertest.Seen("dialog#remove"))
	tab.Click("#remove button[type=submit]")
	tab.WaitFor(browsertest.Says(".toast", "Endpoint removed."))
}
