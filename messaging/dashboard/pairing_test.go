package dashboard_test

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

func TestPairing_WithoutScripts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		sender := "/dashboard/senders/" + w.sender(messagingtest.WhatsApp)
		pair := sender + "/pair"
		w.Gateway.SetState(messagingtest.WhatsApp, gateway.LoggedOut)
		p.holds(p.get(sender), "It was unlinked", "no "+pair, "no choose Link a phone")
		p.wants(p.get(pair), http.StatusConflict, "does not link numbers")

		w.Gateway.Pairings.Offered.Store(true)
		p.holds(p.get(sender), `href="`+pair+`"`, "choose Link a phone")
		first := p.get(pair)
		p.holds(first, "Show a QR code", "Get a code", "no http-equiv", "no data-events", "Passkeys")
		if got := first.header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("it may be cached: %q", got)
		}
		p.wants(p.post(pair, "method", "smoke"), http.StatusBadRequest, "Show a QR code")
		p.wants(p.post(pair, "method", "qr"), http.StatusSeeOther, pair)
		p.holds(p.get(pair), `<svg class="qr"`, `fill="#fff"`, `http-equiv="refresh"`, "Show what is so now", "Point the camera", "no 2@1")
		p.wants(p.post(pair, "method", "code"), http.StatusSeeOther, pair)
		p.holds(p.get(pair), "ABCD-0002", "Link with phone number instead", `no class="qr"`)
		p.wants(p.post(pair+"/cancel"), http.StatusSeeOther, sender+"?done=pairing_cancelled")
		p.holds(p.get(pair), "It was canceled.", "Show a QR code")

		for reason, text := range map[string]string{
			gateway.PairingPasskey: "passkey, which only WhatsApp's own applications can give", gateway.PairingWrongNumber: "A phone with another number", gateway.PairingExpired: "in time",
			gateway.PairingAlreadyThere: "linked already", gateway.PairingProvider: "WhatsApp refused", "too_many_devices": "the reason too_many_devices",
		} {
			w.Gateway.Pairings.Set(messagingtest.WhatsApp, gateway.PairingProgress{State: gateway.PairingFailed, Reason: reason})
			p.holds(p.get(pair), "The number was not linked.", text, "Show a QR code")
		}
		w.Gateway.Pairings.Set(messagingtest.WhatsApp, gateway.PairingProgress{State: gateway.PairingStarting})
		p.holds(p.get(pair), "Asking for a code", `http-equiv="refresh"`)
		w.Gateway.Pairings.Set(messagingtest.WhatsApp, gateway.PairingProgress{State: gateway.PairingDone})
		p.holds(p.get(pair), "The number is linked.", "no Show a QR code", "no http-equiv")
		w.Gateway.Pairings.FailWith(&gateway.Error{Class: gateway.Temporary, Code: "provider_unavailable"})
		p.wants(p.get(pair), http.StatusServiceUnavailable, "does not answer")

		platform, err := w.Directory.Senders(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		p.wants(p.get("/dashboard/senders/"+platform[0].ID+"/pair"), http.StatusForbidden, "forbidden")
		p.wants(p.get("/dashboard/senders/none/pair"), http.StatusNotFound, "sender_not_found")
		w.Clock.Advance(account.RecentCode)
		p.wants(p.get(pair), http.StatusSeeOther, "/dashboard/confirm?next=")
		p.wants(p.post(pair, "method", "qr"), http.StatusSeeOther, "/dashboard/confirm?next=")
	})
}

// An owner links a number: the page follows the gateway by itself.
func TestPairing_InABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.Gateway.Pairings.Offered.Store(true)
	w.state(gateway.ConnDetail{State: gateway.Connected})
	w.state(gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban", Until: w.Clock.Now().Add(time.Hour)})
	w.state(gateway.ConnDetail{State: gateway.LoggedOut, Reason: "logged_out"})
	sender := "/dashboard/senders/" + w.sender(messagingtest.WhatsApp)
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	w.signInTab(tab, ownerEmail)
	w.looks(tab, "sender-unlinked", sender)
	w.looks(tab, "pairing-choose", sender+"/pair")

	const qr = "2@oY1dDkgkxFzW5lKTN8iuOHmKQxLt0Q9zHq5WyLF4P0ZcvJmC7S,mT0kq1xIhzU9mJ3rO5GQy8wWZ1e2x4iAqB6nX7YpR2k=,b3VyIGlkZW50aXR5IGtleSBpbiBiYXNlNjQsIDMyIGI=,c2VjcmV0IGtleSBvZiBhZHZlcnRpc2luZyBpbiBiYXNl="
	set := func(now gateway.PairingProgress) { w.Gateway.Pairings.Set(messagingtest.WhatsApp, now) }
	path := func() string {
		t.Helper()
		d, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](`document.querySelector("svg.qr path:last-child").getAttribute("d")`))
		if err != nil || !regexp.MustCompile(`^M[0-9 Mhvz-]+$`).MatchString(d) {
			t.Fatalf("the QR code is %.60q, %v", d, err)
		}
		return d
	}
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+sender+"?lang=en"))
	tab.Click(`a[href$="/pair"]`)
	tab.WaitFor(webtest.Seen(".methods"))
	tab.Click(`.methods form:first-child button`)
	tab.WaitFor(webtest.Seen("svg.qr"))
	first := path()
	set(gateway.PairingProgress{State: gateway.PairingWaiting, QR: qr, ExpiresAt: w.Clock.Now().Add(20 * time.Second)})
	tab.WaitFor(`document.querySelector("#pairing").dataset.expires !== undefined && document.querySelectorAll("svg.qr").length === 1`)
	if path() == first {
		t.Error("the page shows the code of before")
	}
	w.looks(tab, "pairing-qr", sender+"/pair")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+sender+"/pair?lang=en"))
	tab.Click(`#pairing .row form:first-child button`)
	tab.WaitFor(webtest.Says(".pair-code", "ABCD-0002"))
	set(gateway.PairingProgress{State: gateway.PairingWaiting, Code: "KX7P-3MQZ", ExpiresAt: w.Clock.Now().Add(160 * time.Second)})
	tab.WaitFor(webtest.Says(".pair-code", "KX7P-3MQZ"))
	w.looks(tab, "pairing-code", sender+"/pair")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+sender+"/pair?lang=en"))
	tab.WaitFor(webtest.Seen(".pair-code"))
	set(gateway.PairingProgress{State: gateway.PairingFailed, Reason: gateway.PairingPasskey})
	tab.WaitFor(webtest.Says("#pairing", "passkey"))
	w.looks(tab, "pairing-failed", sender+"/pair")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.url+sender+"/pair?lang=en"))
	tab.Click(`.methods form:first-child button`)
	tab.WaitFor(webtest.Seen("svg.qr"))
	set(gateway.PairingProgress{State: gateway.PairingDone})
	tab.WaitFor(webtest.Says("#pairing", "The number is linked."))
	w.looks(tab, "pairing-done", sender+"/pair")
}
