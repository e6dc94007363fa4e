package account_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/test/system/browsertest"
)

// An owner links a number, and the page follows the gateway without a reload.
func TestPairing_InABrowser(t *testing.T) {
	t.Parallel()
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	w.Gateway.Pairings.Offered.Store(true)
	w.State(gateway.ConnDetail{State: gateway.Connected})
	w.State(gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban", Until: w.Clock.Now().Add(time.Hour)})
	w.State(gateway.ConnDetail{State: gateway.LoggedOut, Reason: "logged_out"})
	sender := "/dashboard/senders/" + w.Sender(messagingtest.WhatsApp)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	signInTab(w, tab, messagingtest.OwnerEmail)
	looks(w, tab, "sender-unlinked", sender)
	looks(w, tab, "pairing-choose", sender+"/pair")

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
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+sender+"?lang=en"))
	tab.Click(`a[href$="/pair"]`)
	tab.WaitFor(browsertest.Seen(".methods"))
	tab.Click(`.methods form:first-child button`)
	tab.WaitFor(browsertest.Seen("svg.qr"))
	first := path()
	set(gateway.PairingProgress{State: gateway.PairingWaiting, QR: qr, ExpiresAt: w.Clock.Now().Add(20 * time.Second)})
	tab.WaitFor(`document.querySelector("#pairing").dataset.expires !== undefined && document.querySelectorAll("svg.qr").length === 1`)
	if path() == first {
		t.Error("the page shows the code of before")
	}
	looks(w, tab, "pairing-qr", sender+"/pair")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+sender+"/pair?lang=en"))
	tab.Click(`#pairing .row form:first-child button`)
	tab.WaitFor(browsertest.Says(".pair-code", "ABCD-0002"))
	set(gateway.PairingProgress{State: gateway.PairingWaiting, Code: "KX7P-3MQZ", ExpiresAt: w.Clock.Now().Add(160 * time.Second)})
	tab.WaitFor(browsertest.Says(".pair-code", "KX7P-3MQZ"))
	looks(w, tab, "pairing-code", sender+"/pair")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+sender+"/pair?lang=en"))
	tab.WaitFor(browsertest.Seen(".pair-code"))
	set(gateway.PairingProgress{State: gateway.PairingFailed, Reason: gateway.PairingPasskey})
	tab.WaitFor(browsertest.Says("#pairing", "passkey"))
	looks(w, tab, "pairing-failed", sender+"/pair")
	tab.Do(chromedp.EmulateViewport(1280, 800), chromedp.Navigate(w.URL+sender+"/pair?lang=en"))
	tab.Click(`.methods form:first-child button`)
	tab.WaitFor(browsertest.Seen("svg.qr"))
	set(gateway.PairingProgress{State: gateway.PairingDone})
	tab.WaitFor(browsertest.Says("#pairing", "The number is linked."))
	looks(w, tab, "pairing-done", sender+"/pair")
}
