package pages_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"example.com/griot/auth/tenant"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/web/webtest"
)

// laterScript loads all other scripts of a page with the words.
const laterScript = "/static/{version}/js/later.js"

// newFilled returns a login whose page contains the words, and whose scripts are sent after their release.
func newFilled(t *testing.T) (l *webtest.Logins, mux *http.ServeMux, release func()) {
	t.Helper()
	l, site := webtest.NewLoginsMux(t, "")
	l.Fills = true
	site.Handle("/static/", webtest.NewPages(t).Static(http.NotFound))
	mux, release = webtest.Hold(t, site, laterScript)
	return l, mux, release
}

// servesLogo adds the logo "large", a picture close to the maximum size.
func servesLogo(t *testing.T, mux *http.ServeMux) {
	t.Helper()
	noise, picture := rand.NewChaCha8([32]byte{}), image.NewNRGBA(image.Rect(0, 0, 104, 104))
	_, _ = noise.Read(picture.Pix)
	for i := 3; i < len(picture.Pix); i += 4 {
		picture.Pix[i] = 255
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		t.Fatal(err)
	}
	if err := tenant.CheckLogo(file.Bytes()); err != nil || file.Len() < tenant.MaxLogo-1000 {
		t.Fatalf("a logo of %d bytes: %v", file.Len(), err)
	}
	mux.HandleFunc("GET /logos/large", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(file.Bytes())
	})
}

// noticesWords stores the time of the first frame with the words, by the page's own clock, which starts with the
// navigation. A browser draws no frame while a style sheet is missing.
const noticesWords = `(function look() {
	const words = document.getElementById("words");
	if (words && words.textContent && words.checkVisibility()) window.noticed = performance.now(); else requestAnimationFrame(look);
})()`

// throttle is the command that every Chromium supports, because the package only knows its successor.
const throttle = "Network.emulateNetworkConditions"

// onABadLine gives a tab 50 kbit/s, and responses that start after 800 ms.
func onABadLine() chromedp.Action[chromedp.Void] {
	command := cdp.Command[map[string]any, cdp.Empty]{Method: throttle}
	return browsertest.Command(command, map[string]any{"offline": false, "latency": 800, "downloadThroughput": 50_000 / 8, "uploadThroughput": 50_000 / 8})
}

// begin navigates without waiting for the scripts.
func begin(address string) chromedp.Action[chromedp.Void] {
	return browsertest.Command(page.Navigate, page.NavigateParams{URL: address})
}

// painted is an expression that waits for a frame.
const painted = `(requestAnimationFrame(() => setTimeout(() => { window.painted = true; })), window.painted)`

// On a slow connection, the words arrive with the page and its styles, before any script except the one that loads
// the others. No other tests of the package run at the same time, because this one measures time.
// Rules: L196, L198.
func TestWaiting_WordsComeFirst(t *testing.T) {
	browser := browsertest.NewBrowser(t)
	for name, look := range map[string]string{"a tenant's color": `"accent":"teal"`, "the standard color": `"accent":null`, "a tenant's color and logo": `"accent":"teal","logo":"large"`} {
		t.Run(name, func(t *testing.T) {
			l, mux, release := newFilled(t)
			l.Details = `{"receiver":"22370000001","receiverText":"+223\u00a070\u00a000\u00a000\u00a001","phone":null,"returnHost":"shop.kalabash.example",` + look + `}`
			servesLogo(t, mux)
			site, m := webtest.NewMeteredSite(t, mux)
			t.Cleanup(release)
			tab := browsertest.Open(t, browser, "about:blank")
			tab.Do(asPhone(), onABadLine(), before(noticesWords), begin(webtest.WaitingURL(site)))
			tab.WaitFor(`window.noticed`)
			weight, requests := m.Bytes.Load(), m.Requests.Load()
			took, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[float64]("window.noticed"))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes in %d requests, and the words after %.2f s", weight, requests, took/1000)
			if weight > 16_000 || requests > 6 {
				t.Errorf("%d bytes in %d requests before the words, want at most 16,000 in 6", weight, requests)
			}
			// In other runs, the machine has other work, which isn't the page's fault.
			if os.Getenv(browsertest.AllViewsVariable) != "" && took >= 3000 {
				t.Errorf("the words were there after %.2f s, want less than 3 s", took/1000)
			}
			if strings.Contains(look, "logo") {
				release()
				tab.WaitFor(`document.querySelector("#logo img") && performance.getEntriesByType("resource").find((e) => e.name.endsWith("/logos/large")).startTime > window.noticed`)
			}
		})
	}
}

// The script continues with the words that the page has: nothing moves, and nothing is shown twice.
// Rules: L196.
func TestWaiting_TheScriptTakesOver(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	for name, size := range map[string]chromedp.Action[chromedp.Void]{"a phone": asPhone(), "a computer": chromedp.EmulateViewport(1280, 900), "a narrow window": chromedp.EmulateViewport(500, 900)} {
		for _, mode := range []string{"LIVE", "TEST"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				l, mux, release := newFilled(t)
				l.Set(http.StatusOK, map[string]any{"mode": mode, "tenantName": "Coopérative des tisserandes de Bamako et de Ségou"})
				l.Details = `{"receiver":"22370000001","receiverText":"+223\u00a070\u00a000\u00a000\u00a001","phone":null,"returnHost":"shop.kalabash.example","logo":"large"}`
				servesLogo(t, mux)
				site, _ := webtest.NewMeteredSite(t, mux)
				t.Cleanup(release)
				tab := browsertest.Open(t, browser, "about:blank")
				tab.Do(size, begin(webtest.WaitingURL(site)))
				tab.WaitFor(`location.pathname === "/waiting.html" && ` + browsertest.Seen("#words") + " && " + browsertest.Says("#words", "ambre rivière soleil") + " && " + browsertest.Says("#clock-text", "1:25"))
				tab.WaitFor("!" + browsertest.Seen("#sandbox") + " === " + browsertest.Seen("#whatsapp") + ` && getComputedStyle(document.querySelector("[data-copy=words]")).visibility === "hidden"`)
				tab.WaitFor(painted)
				release()
				tab.WaitFor(`getComputedStyle(document.querySelector("[data-copy=words]")).visibility === "visible" && !` + browsertest.Seen("#lost"))
				if mode == "LIVE" {
					tab.WaitFor(browsertest.Says("#receiver", "+223"))
					tab.WaitFor(browsertest.Seen("#qr-image") + fmt.Sprintf(" === %t", name != "a phone"))
				}
				tab.WaitFor(browsertest.Says("#status", "aiting") + " || " + browsertest.Seen("#sandbox"))
				tab.WaitFor(browsertest.Seen("#logo img"))
				l.Set(http.StatusOK, map[string]any{"status": "VERIFIED"})
				tab.WaitFor(browsertest.Seen("#view-verified"))
				got, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](shifts, chromedp.EvalAwaitPromise))
				if err != nil || got != "" {
					t.Errorf("moved: %s (%v)", got, err)
				}
			})
		}
	}
}

// A login that ends before the first poll shows its end, with the height of a page that never had the words.
func TestWaiting_TheEndHasItsOwnHeight(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	for name, size := range map[string]chromedp.Action[chromedp.Void]{"a phone": asPhone(), "a computer": chromedp.EmulateViewport(1280, 900)} {
		for view, members := range map[string]map[string]any{
			"verified": {"status": "VERIFIED"}, "consumed": {"status": "CONSUMED"}, "expired": {"status": "EXPIRED"}, "expired by the person": {"status": "EXPIRED", "endedBy": "person"},
		} {
			t.Run(name+" "+view, func(t *testing.T) {
				seen := "#view-" + strings.Fields(view)[0]
				l, mux, release := newFilled(t)
				site, _ := webtest.NewMeteredSite(t, mux)
				release()
				l.Set(http.StatusOK, members)
				tab := browsertest.Open(t, browser, "about:blank")
				heights := [2]float64{}
				for i := range heights {
					tab.Do(size, chromedp.Navigate(webtest.WaitingURL(site)))
					tab.WaitFor(browsertest.Seen(seen) + " && " + browsertest.Seen(".legal"))
					height, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[float64](`document.getElementById("login").offsetHeight`))
					if err != nil {
						t.Fatal(err)
					}
					heights[i] = height
					l.Mu.Lock()
					l.Fills = false
					l.Mu.Unlock()
				}
				if heights[0] != heights[1] || heights[0] == 0 {
					t.Errorf("got a height of %g after the words, and %g without them", heights[0], heights[1])
				}
			})
		}
	}
}

// Without its scripts, the page shows the next step after some seconds, in every theme.
// Rules: L196.
func TestWaiting_WithWordsAndWithoutScripts(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			l, mux := webtest.NewLoginsMux(t, "")
			l.Fills, l.Details = true, `{"logo":"large"}` // which leaves its room empty
			mux.HandleFunc(laterScript, http.NotFound)
			site := webtest.NewSite(t, mux).URL
			tab := browsertest.Open(t, browser, webtest.WaitingURL(site)+"&theme="+theme)
			tab.WaitFor(browsertest.Seen("#words"))
			tab.WaitFor(`getComputedStyle(document.getElementById("lost")).visibility === "visible"`)
			tab.Axe(theme)
			tab.Do(chromedp.EmulateViewport(320, 640))
			tab.Fits(theme)
			tab.Click("#lost a")
			tab.WaitFor(`document.title === "the plain page"`)
		})
	}
}
