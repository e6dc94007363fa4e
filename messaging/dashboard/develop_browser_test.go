package dashboard_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/quota"
	"example.com/griot/web/webtest"
)

// An owner pauses a sender, and finds out why events do not arrive.
func TestDevelopPages_InABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	shop := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		http.Error(rw, "<b>no database</b>", http.StatusInternalServerError)
	}))
	t.Cleanup(shop.Close)
	sms := "/dashboard/senders/" + w.sender(messagingtest.SMS)
	if _, err := w.Directory.SetWarmUp(t.Context(), w.sender(messagingtest.SMS), account.WarmUp{From: quota.Day(messagingtest.Start), First: 50, Days: 7}); err != nil {
		t.Fatal(err)
	}
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	w.signInTab(tab, ownerEmail)
	w.looks(tab, "webhooks-none", "/dashboard/webhooks")
	p := w.signIn(ownerEmail)
	p.send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
	w.fail(p, gateway.SenderDown, "credentials_refused")
	w.Gateway.SetState(messagingtest.WhatsApp, gateway.Restricted)

	w.looks(tab, "senders", "/dashboard/senders")
	w.looks(tab, "sender-down", sms)
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+sms+"?lang=en"))
	tab.Click(`form[action$="/pause"] button`)
	tab.WaitFor(webtest.Seen(".toast") + ` && document.querySelector("form[action$='/resume']") !== null`)
	w.looks(tab, "sender-paused", sms)
	tab.Click(`form[action$="/resume"] button`)
	tab.WaitFor(webtest.Seen(".toast") + ` && document.querySelector("form[action$='/pause']") !== null`)

	if _, err := w.Endpoints.Set(t.Context(), w.Account.ID, shop.URL+"/hooks/griot"); err != nil {
		t.Fatal(err)
	}
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+"/dashboard/webhooks?lang=en"))
	tab.Click(`form[action$="/ping"] button`)
	tab.WaitFor(`location.pathname.startsWith("/dashboard/webhooks/evt_") && ` + webtest.Says("main", "None yet"))
	deliver := events.NewDispatcher(webhook.Options{
		DB: w.DB, Key: w.Master, Client: safedial.Client(safedial.Options{Loopback: true}), Timing: webhook.StandardTiming(), Now: w.Clock.Now, Log: w.log.Logger(), Signal: w.Endpoints.Signal, Agent: "Griot/test",
	})
	messagingtest.Run(t, deliver.Run)
	tab.WaitFor(webtest.Says("#attempts", "2xx")) // the page shows it by itself
	event, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string]("location.pathname"))
	if err != nil || !strings.HasPrefix(event, "/dashboard/webhooks/evt_") {
		t.Fatal(event, err)
	}
	w.looks(tab, "webhook-event", event)
	p.send("to", "+22376000001", "channel", "sms", "message", "Bonjour")
	w.looks(tab, "webhooks", "/dashboard/webhooks")
	w.disabled(webhook.ForGone)
	w.looks(tab, "webhooks-disabled", "/dashboard/webhooks")
	w.looks(tab, "overview-alerts", "/dashboard")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+"/dashboard/webhooks?lang=en"))
	tab.Click(`form[action$="/stream-secret"] button`)
	tab.WaitFor(webtest.Says("#secret", "whsec_"))
	tab.Axe("webhooks-secret")
	tab.Screenshot("webhooks-secret")
	tab.Click(`form[action$="/enable"] button`)
	tab.WaitFor(webtest.Seen(".toast"))
}
