package pages_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/web/webtest"
)

// newLogins returns a login that has just started, on a server whose clock is wrong by two days.
func newLogins(t *testing.T, phonesURL string) (*webtest.Logins, string) {
	t.Helper()
	l, mux := webtest.NewLoginsMux(t, phonesURL)
	return l, webtest.NewSite(t, mux).URL
}

// Rules: L10.
func TestWaiting_InABrowser(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)

	t.Run("a live login on a computer", func(t *testing.T) {
		l, site := newLogins(t, "")
		tab := browsertest.Open(t, browser, site+"/waiting.html?loginKeyId="+webtest.LoginID)
		tab.WaitFor(browsertest.Says("#words", "ambre rivière soleil"))
		tab.WaitFor(browsertest.Says("#tenant", "Kalabash <b>"))
		tab.WaitFor(browsertest.Says("#return-host", "shop.kalabash.example") + " && " + browsertest.Seen("#returns"))
		tab.WaitFor(browsertest.Says("#clock-text", "1:2")) // by the server's clock
		tab.WaitFor(browsertest.Seen("#qr-image") + " && " + browsertest.Seen(".note.warn") + " && !" + browsertest.Seen("#sandbox"))
		tab.WaitFor(browsertest.Says("#receiver", "+223\u00a070\u00a000\u00a000\u00a001"))
		// It polls every two seconds, and not more often.
		tab.WaitFor(`(polls => polls.length > 2 && polls[2].startTime - polls[0].startTime >= 3900)(performance.getEntriesByType("resource").filter(e => e.name.includes("/authorize/status")))`)
		tab.Click("#whatsapp")
		tab.WaitFor(browsertest.Says("#status", "this page updates by itself") + ` && location.pathname === "/waiting.html"`)
		if got := l.Posted(); got != "loginKeyId="+webtest.LoginID {
			t.Errorf("opened %s", got)
		}
		l.Set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app?code=c&state=s"})
		tab.WaitFor(`location.href === "` + site + `/app?code=c&state=s"`)
	})

	// WhatsApp doesn't know the number of the virtual phones, so nothing leads there.
	for _, fills := range []bool{false, true} {
		t.Run(fmt.Sprintf("a live login beside virtual phones, the words in the page: %v", fills), func(t *testing.T) {
			l, site := newLogins(t, "http://127.0.0.1:1/dev/phones")
			l.Fills = fills
			tab := browsertest.Open(t, browser, site+"/waiting.html?loginKeyId="+webtest.LoginID)
			tab.WaitFor(`document.getElementById("phones").href.endsWith("/authorize/open?in=phones&loginKeyId=` + webtest.LoginID + `")`)
			tab.WaitFor(browsertest.Says("#words", "ambre rivière soleil") + " && " + browsertest.Seen("#phones"))
			tab.WaitFor(browsertest.Says("#receiver", "+223\u00a070\u00a000\u00a000\u00a001"))
			tab.WaitFor(`!document.querySelector("#whatsapp, #qr, #qr-image")`)
			l.Set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app"})
			tab.WaitFor(`location.pathname === "/app"`)
		})
	}

	t.Run("a test login", func(t *testing.T) {
		l, site := newLogins(t, "")
		l.Set(http.StatusOK, map[string]any{"mode": "TEST"})
		tab := browsertest.Open(t, browser, site+"/waiting.html?loginKeyId="+webtest.LoginID)
		tab.WaitFor(browsertest.Seen("#sandbox") + " && " + browsertest.Seen("#test-tag") + " && !" + browsertest.Seen("#live") + " && !" + browsertest.Seen("#qr"))
		tab.Do(chromedp.SetValue(chromedp.CSS("#sandbox-number"), "22300000099"))
		l.Mu.Lock()
		l.Details = `{"receiver":null,"phone":"+223*****099"}`
		l.Mu.Unlock()
		tab.Click("#sandbox-send")
		tab.WaitFor(browsertest.Seen("#view-verified") + " && !" + browsertest.Seen("#continue")) // until the service returns the address
		tab.WaitFor(browsertest.Says("#verified-phone", "+223*****099"))
		l.Set(http.StatusOK, map[string]any{"redirectUrl": site + "/app"})
		tab.WaitFor(`location.pathname === "/app"`)
		if got := l.Posted(); got != `{"loginKeyId":"`+webtest.LoginID+`","phoneE164":"22300000099"} `+site {
			t.Errorf("posted %s", got)
		}
	})

	t.Run("a login whose number is gone", func(t *testing.T) {
		l, site := newLogins(t, "")
		l.Details = `{"receiver":null,"receiverText":null,"phone":null,"accent":null}`
		tab := browsertest.Open(t, browser, site+"/waiting.html?loginKeyId="+webtest.LoginID)
		tab.WaitFor(`location.pathname === "/authorize/page"`)
	})

	t.Run("a held login", func(t *testing.T) {
		l, site := newLogins(t, "")
		tab := browsertest.Open(t, browser, site+"/waiting.html?loginKeyId="+webtest.LoginID)
		tab.WaitFor(browsertest.Seen("#words") + " && !" + browsertest.Seen("#held"))
		const arrived, waits = "Your words have arrived", "Waiting for your message"
		for held, shown := range map[string]struct{ says, status string }{
			"number_hidden": {"Remove your WhatsApp username", arrived}, "number_requested": {"Tap its button", arrived},
			"message_unreadable": {"send them once more", waits}, // nobody's words could be read
		} {
			l.Set(http.StatusOK, map[string]any{"held": held})
			tab.WaitFor(browsertest.Says("#held", shown.says) + " && " + browsertest.Seen("#held") + " && " + browsertest.Seen("#words") + " && document.documentElement.scrollWidth <= innerWidth")
			tab.WaitFor(browsertest.Says("#status", shown.status))
		}
		l.Set(http.StatusOK, map[string]any{"held": "a later reason"})
		tab.WaitFor("!" + browsertest.Seen("#held") + " && " + browsertest.Seen("#words"))
	})

	t.Run("a hidden number in TEST", func(t *testing.T) {
		for _, fills := range []bool{false, true} {
			l, site := newLogins(t, "")
			l.Fills = fills
			l.Set(http.StatusOK, map[string]any{"mode": "TEST"})
			tab := browsertest.Open(t, browser, "about:blank")
			tab.Do(asPhone(), chromedp.Navigate(site+"/waiting.html?loginKeyId="+webtest.LoginID))
			tab.WaitFor(browsertest.Seen("#hidden-send") + " && " + browsertest.Says("#status", "Waiting for your choice"))
			tab.Fits("the waiting page")
			tab.Click("#hidden-send")
			tab.WaitFor(browsertest.Says("#held", "show us your number") + " && !" + browsertest.Seen("#hidden-send") + " && " + browsertest.Seen("#sandbox-send") + " && " + browsertest.Says("#status", "Your words have arrived"))
			tab.Fits("the waiting page")
			if got := l.Posted(); got != "loginKeyId="+webtest.LoginID+"&action=hidden "+site {
				t.Errorf("posted %s", got)
			}
		}
	})

	t.Run("a lost connection", func(t *testing.T) {
		l, site := newLogins(t, "")
		l.Set(http.StatusServiceUnavailable, nil)
		tab := browsertest.Open(t, browser, site+"/waiting.html?loginKeyId="+webtest.LoginID)
		tab.WaitFor(browsertest.Says("#waits", "Trying again"))
		l.Set(http.StatusOK, nil)
		tab.WaitFor(`dispatchEvent(new Event("online"))`)
		tab.WaitFor(browsertest.Seen("#words") + " && " + browsertest.Says("#status", "Waiting for your message"))
	})

	for name, end := range map[string]struct {
		answer  int
		members map[string]any
		seen    string
	}{
		"expired":                     {http.StatusOK, map[string]any{"status": "EXPIRED", "redirectUrl": "https://app.example/?error=access_denied"}, "#back"},
		"ended by a second phone":     {http.StatusOK, map[string]any{"status": "EXPIRED", "endedBy": "second_phone", "redirectUrl": "https://app.example/?error=access_denied"}, "#back"},
		"ended by another person":     {http.StatusOK, map[string]any{"status": "EXPIRED", "endedBy": "other_person", "redirectUrl": "https://app.example/?error=login_required"}, "#back"},
		"finished":                    {http.StatusOK, map[string]any{"status": "CONSUMED"}, "#view-consumed"},
		"another browser's":           {http.StatusForbidden, nil, "#view-gone"},
		"unknown":                     {http.StatusUnauthorized, nil, "#view-gone"},
		"a redirect that is a script": {http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": "javascript:document.title='run'"}, "#view-verified"},
	} {
		t.Run(name, func(t *testing.T) {
			l, site := newLogins(t, "")
			l.Set(end.answer, end.members)
			tab := browsertest.Open(t, browser, site+"/waiting.html?loginKeyId="+webtest.LoginID)
			tab.WaitFor(browsertest.Seen(end.seen) + " && !" + browsertest.Seen("#words") + " && !" + browsertest.Seen("#continue") + ` && document.title !== "run"`)
			if by := end.members["endedBy"]; by == "second_phone" {
				tab.WaitFor(browsertest.Says("#view-expired", "Two phones sent these words") + " && !" + browsertest.Says("#view-expired", "Time is up") + " && " + browsertest.Says("#status", "was stopped") + " && !" + browsertest.Seen("#again"))
			} else if by == "other_person" {
				tab.WaitFor(browsertest.Says("#view-expired", "from another person") + " && !" + browsertest.Seen("#again"))
			} else if name == "expired" {
				tab.WaitFor(browsertest.Says("#view-expired", "Time is up") + " && " + browsertest.Seen("#again") + ` && document.getElementById("again").href.endsWith("/authorize/again?loginKeyId=` + webtest.LoginID + `")`)
			}
			l.Mu.Lock()
			asked := l.Asked
			l.Mu.Unlock()
			if name == "expired" && asked != 1 {
				t.Errorf("asked %d times about a login that has ended", asked)
			}
		})
	}

	t.Run("no login at all", func(t *testing.T) {
		_, site := newLogins(t, "")
		browsertest.Open(t, browser, site+"/waiting.html").WaitFor(browsertest.Seen("#view-gone"))
	})
}
