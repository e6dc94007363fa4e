package pages_test

import (
	"testing"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/web/webtest"
)

func TestWaiting_WeighsLittle(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	_, mux := webtest.NewLoginsMux(t, "")
	held, release := webtest.Hold(t, mux, "/authorize/qr.svg", "/authorize/details")
	site, m := webtest.NewMeteredSite(t, held)
	t.Cleanup(release)
	tab := browsertest.Open(t, browser, webtest.WaitingURL(site))
	tab.WaitFor(browsertest.Says("#words", "ambre rivière soleil"))
	// At 50 kbit/s, 20 kB take 3.2 seconds.
	if got := m.Bytes.Load(); got > 20_000 {
		t.Errorf("%d bytes before the words, want at most 20,000", got)
	} else {
		t.Logf("%d bytes before the words", got)
	}
	release()
	tab.WaitFor(`document.getElementById("qr-image").naturalWidth > 0 && ` + browsertest.Says("#receiver", "+223"))
	tab.WaitFor(`document.readyState === "complete"`)
	all, requests := m.Bytes.Load(), m.Requests.Load()
	t.Logf("%d bytes in %d requests", all, requests)
	if all > 30_000 || requests > 20 {
		t.Errorf("%d bytes in %d requests, want at most 30,000 in 20", all, requests)
	}
}
