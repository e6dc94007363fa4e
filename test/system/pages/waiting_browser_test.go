package pages_test

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/web/webtest"
)

// asPhone makes a tab behave like a phone: narrow, and with touch input.
func asPhone() chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		browsertest.Command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 640, DeviceScaleFactor: 2, Mobile: true}),
		browsertest.Command(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}),
	)
}

// before runs a script in a tab before the scripts of its next pages.
func before(script string) chromedp.Action[chromedp.Void] {
	return browsertest.Command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

// shifts is an expression that returns what has moved on a page. A browser can draw a page before it has read all of it: an
// icon that waits for the label next to it then moves to the side, which doesn't count.
const shifts = `new Promise((done) => {
	const aside = (s) => s.node && s.node.nodeName === "svg" && s.previousRect.y === s.currentRect.y;
	const moves = [], at = (r) => [r.x, r.y, r.width, r.height].join(" ");
	const moved = (s) => (s.node ? s.node.nodeName + "#" + s.node.id + "." + s.node.className : "gone") + " from " + at(s.previousRect) + " to " + at(s.currentRect);
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) if (!e.sources.length || !e.sources.every(aside)) moves.push("after " + Math.round(e.startTime) + " ms: " + e.sources.map(moved).join(", "));
	}).observe({ type: "layout-shift", buffered: true });
	requestAnimationFrame(() => setTimeout(() => done(moves.join("; ")), 100));
})`

// A server that sends a label only after the page was drawn without it moves what is before the label.
func TestShifts_CountAllButIconsBeforeTheirLabels(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	for first, want := range map[string]string{`<svg id="first" width="22" height="22"></svg>`: "", `<b id="first">first</b>`: "B#first"} {
		t.Run(cmp.Or(want, "an icon"), func(t *testing.T) {
			drawn := make(chan bool, 1)
			mux := http.NewServeMux()
			mux.HandleFunc("GET /drawn", func(http.ResponseWriter, *http.Request) { drawn <- true })
			mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, `<!DOCTYPE html><script>requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => fetch("/drawn"))))</script><p style="display: flex; justify-content: center">`+first)
				_ = http.NewResponseController(w).Flush()
				waittest.Receive(t, drawn)
				_, _ = io.WriteString(w, `<span>the label</span><script>window.labeled = true</script>`)
			})
			site := httptest.NewServer(mux)
			t.Cleanup(site.Close)
			tab := browsertest.Open(t, browser, site.URL)
			tab.WaitFor("window.labeled")
			got, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](shifts, chromedp.EvalAwaitPromise))
			if err != nil || (got == "") != (want == "") || !strings.Contains(got, want) {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
}

// Nothing that a person is about to touch moves, from the first paint to the end.
func TestWaiting_NothingMoves(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	for name, size := range map[string]chromedp.Action[chromedp.Void]{"a phone": asPhone(), "a computer": chromedp.EmulateViewport(1280, 900)} {
		for _, mode := range []string{"LIVE", "TEST"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				l, mux := webtest.NewLoginsMux(t, "")
				l.Set(http.StatusServiceUnavailable, map[string]any{"mode": mode, "tenantName": "Coopérative des tisserandes de Bamako et de Ségou"})
				held, release := webtest.Hold(t, mux, "/authorize/qr.svg", "/authorize/details")
				site := httptest.NewServer(held)
				t.Cleanup(site.Close)
				t.Cleanup(release)
				held.Handle("/static/", webtest.NewPages(t).Static(http.NotFound))
				tab := browsertest.Open(t, browser, "about:blank")
				tab.Do(size, chromedp.Navigate(webtest.WaitingURL(site.URL)))
				tab.WaitFor(browsertest.Says("#waits", "Trying again")) // painted, without a response yet
				l.Set(http.StatusOK, nil)
				tab.WaitFor(`dispatchEvent(new Event("online"))`)
				tab.WaitFor(browsertest.Seen("#view-open"))
				painted := chromedp.Evaluate[bool]("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true))))", chromedp.EvalAwaitPromise)
				if _, err := chromedp.Run(tab.Ctx, painted); err != nil {
					t.Fatal(err)
				}
				release()
				if mode == "LIVE" {
					tab.WaitFor(browsertest.Says("#receiver", "+223"))
				}
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

func TestWaiting_OnAPhone(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(asPhone(), chromedp.Navigate(webtest.WaitingURL(site)))
	tab.WaitFor(browsertest.Says("#words", "ambre rivière soleil"))
	// The link is visible, and the code is neither shown nor loaded before someone requests it.
	tab.WaitFor(`document.getElementById("whatsapp").getBoundingClientRect().bottom <= 640`)
	tab.WaitFor("!" + browsertest.Seen("#qr-image") + ` && !document.getElementById("qr-image").src`)
	tab.Fits("the waiting page")
	tab.Click("#qr summary")
	tab.WaitFor(`document.getElementById("qr-image").naturalWidth > 0`)
}

func TestWaiting_InABrowserThatKnowsLess(t *testing.T) {
	t.Parallel()
	l, site := newLogins(t, "")
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(before(`for (const name of ["EventSource", "AbortController"]) delete window[name];
		for (const name of ["locks", "clipboard"]) Object.defineProperty(navigator, name, { value: undefined });
		document.execCommand = (name) => { window.copied = name + " " + getSelection(); return true; };`),
		chromedp.Navigate(webtest.WaitingURL(site)))
	tab.WaitFor(browsertest.Says("#words", "ambre rivière soleil") + " && " + browsertest.Says("#receiver", "+223\u00a070\u00a000\u00a000\u00a001"))
	tab.Click("[data-copy=words]")
	tab.WaitFor(`window.copied === "copy ambre rivière soleil" && ` + browsertest.Says("[data-copy=words]", "Copied"))
	l.Set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app"})
	tab.WaitFor(`location.pathname === "/app"`)
}

func TestWaiting_Copies(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(before(`Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });`), chromedp.Navigate(webtest.WaitingURL(site)))
	tab.WaitFor(browsertest.Says("#receiver", "+223\u00a070\u00a000\u00a000\u00a001"))
	tab.Click("[data-copy=words]")
	tab.WaitFor(`window.copied === "ambre rivière soleil" && ` + browsertest.Says("[data-copy=words]", "Copied"))
	tab.Click("[data-copy=receiver]")
	tab.WaitFor(`window.copied === "+22370000001"`)
	tab.WaitFor(`document.querySelector("[data-copy=words]").textContent === "Copy"`)
}

// Rules: L10.
func TestWaiting_WhenItsScriptIsLost(t *testing.T) {
	t.Parallel()
	_, mux := webtest.NewLoginsMux(t, "")
	broken := http.NewServeMux()
	broken.HandleFunc("/static/{version}/js/waiting.js", http.NotFound)
	broken.Handle("/static/", webtest.NewPages(t).Static(http.NotFound))
	broken.Handle("/", mux)
	site := httptest.NewServer(broken)
	t.Cleanup(site.Close)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), webtest.WaitingURL(site.URL), "was preloaded using link preload but not used")
	const visible = `getComputedStyle(document.querySelector(".lost")).visibility === "visible"`
	if shown, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[bool](visible)); err != nil || shown {
		t.Errorf("the way out is shown at once (%v)", err)
	}
	began := time.Now()
	tab.WaitFor(visible)
	if waited := time.Since(began); waited > 10*time.Second {
		t.Errorf("the way out is shown after %s", waited)
	}
	tab.Click(".lost a")
	tab.WaitFor(`document.title === "the plain page"`)
}

// twoTabs opens a login in a tab and then in a second one, which goes on.
func twoTabs(t *testing.T, browser context.Context) (l *webtest.Logins, site string, first, second *browsertest.Tab) {
	t.Helper()
	l, site = newLogins(t, "")
	first = browsertest.Open(t, browser, webtest.WaitingURL(site))
	first.WaitFor(browsertest.Says("#words", "ambre rivière soleil"))
	first.WaitFor(`(navigator.locks.query().then((all) => { window.hasLock = all.held.length === 1; }), window.hasLock)`)
	second = browsertest.Open(t, browser, webtest.WaitingURL(site))
	second.WaitFor(browsertest.Says("#words", "ambre rivière soleil"))
	first.WaitFor(browsertest.Seen("#view-elsewhere") + " && " + browsertest.Says("#view-elsewhere", "Continued in the other tab"))
	return l, site, first, second
}

// The tab that goes to the application is the only one, because the application would get the code twice. The other one
// says so, and then that all is done.
// Rules: L10.
func TestWaiting_TheSameLoginInTwoTabs(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	l, site, first, second := twoTabs(t, browser)
	l.Set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app"})
	second.WaitFor(`location.pathname === "/app"`)
	second.Close()
	const polls = `performance.getEntriesByType("resource").filter((e) => e.name.includes("/authorize/status")).length`
	first.WaitFor("(window.polls ??= " + polls + ", " + polls + " > window.polls + 1)") // it learns twice more that the login is VERIFIED
	first.WaitFor(browsertest.Seen("#view-elsewhere") + ` && location.pathname === "/waiting.html"`)
	l.Set(http.StatusOK, map[string]any{"status": "CONSUMED"})
	first.WaitFor(browsertest.Seen("#view-consumed"))
}

// A person who returns to the first tab goes on there.
func TestWaiting_TheFirstOfTwoTabsTakesTheLoginBack(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	l, site, first, second := twoTabs(t, browser)
	first.Click("#view-elsewhere a")
	first.WaitFor(browsertest.Seen("#view-open"))
	second.WaitFor(browsertest.Seen("#view-elsewhere"))
	l.Set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app"})
	first.WaitFor(`location.pathname === "/app"`)
	second.WaitFor(browsertest.Seen("#view-elsewhere") + ` && location.pathname === "/waiting.html"`)
}

// The tab that remains goes on, whether the words have arrived or not.
// Rules: L10.
func TestWaiting_TheOtherTabIsClosed(t *testing.T) {
	t.Parallel()
	t.Run("before the proof", func(t *testing.T) {
		t.Parallel()
		browser := browsertest.NewBrowser(t)
		l, site, first, second := twoTabs(t, browser)
		second.Close()
		first.WaitFor(browsertest.Seen("#view-open") + " && " + browsertest.Says("#words", "ambre rivière soleil"))
		l.Set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app"})
		first.WaitFor(`location.pathname === "/app"`)
	})
	t.Run("after the proof, which it didn't see", func(t *testing.T) {
		t.Parallel()
		browser := browsertest.NewBrowser(t)
		l, site, first, second := twoTabs(t, browser)
		l.Set(http.StatusServiceUnavailable, nil)
		second.WaitFor(browsertest.Says("#status", "Trying again"))
		l.Set(http.StatusServiceUnavailable, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app"})
		second.Close()
		l.Set(http.StatusOK, nil)
		first.WaitFor(`location.pathname === "/app"`)
	})
	t.Run("of three", func(t *testing.T) {
		t.Parallel()
		browser := browsertest.NewBrowser(t)
		_, site, first, second := twoTabs(t, browser)
		third := browsertest.Open(t, browser, webtest.WaitingURL(site))
		third.WaitFor(browsertest.Seen("#view-open"))
		second.WaitFor(browsertest.Seen("#view-elsewhere"))
		third.Close()
		second.Close()
		first.WaitFor(browsertest.Seen("#view-open"))
	})
}

func TestWaiting_SaysThatCookiesAreBlocked(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	for disabled, view := range map[bool]string{true: "#view-blocked", false: "#view-gone"} {
		l, site := newLogins(t, "")
		l.Code = "session_missing"
		l.Set(http.StatusUnauthorized, nil)
		tab := browsertest.Open(t, browser, "about:blank")
		tab.Do(browsertest.Command(emulation.SetDocumentCookieDisabled, emulation.SetDocumentCookieDisabledParams{Disabled: disabled}), chromedp.Navigate(webtest.WaitingURL(site)))
		tab.WaitFor(browsertest.Seen(view))
	}
}

func TestWaiting_IsAccessible(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	for _, theme := range []string{"light", "dark"} {
		for view, members := range map[string]map[string]any{
			"open":     {},
			"sandbox":  {"mode": "TEST"},
			"verified": {"status": "VERIFIED"},
			"consumed": {"status": "CONSUMED"},
			"expired":  {"status": "EXPIRED", "redirectUrl": "https://app.example/"},
		} {
			t.Run(theme+" "+view, func(t *testing.T) {
				l, site := newLogins(t, "")
				l.Set(http.StatusOK, members)
				tab := browsertest.Open(t, browser, webtest.WaitingURL(site)+"&theme="+theme)
				tab.WaitFor(`document.getElementById("login").dataset.view !== "loading"`)
				tab.Axe(view)
				tab.Do(chromedp.EmulateViewport(320, 640))
				tab.Fits(view)
			})
		}
	}
}

func TestWaiting_GoesToThePlainPageWithoutScripts(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(browsertest.Command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}), chromedp.Navigate(webtest.WaitingURL(site)))
	tab.WaitFor(`document.title === "the plain page"`)
}

// The chosen language and theme stay, and the page belongs to the same login.
// Rules: L31.
func TestWaiting_ChangesItsLanguage(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := browsertest.Open(t, browsertest.NewBrowser(t), webtest.WaitingURL(site))
	tab.WaitFor(browsertest.Says("#words-label", "Send these three words"))
	tab.Click(".preferences a")
	tab.WaitFor(browsertest.Says("#words-label", "Envoyez ces trois mots") + ` && location.search === "?loginKeyId=` + webtest.LoginID + `"`)
	tab.Do(chromedp.Click(chromedp.CSS(".preferences a.to-dark")))
	tab.WaitFor(`document.documentElement.dataset.theme === "dark" && getComputedStyle(document.body).backgroundColor === "rgb(21, 18, 14)"`)
	tab.Do(chromedp.Navigate(webtest.WaitingURL(site)))
	tab.WaitFor(`document.documentElement.dataset.theme === "dark" && ` + browsertest.Says("#words-label", "Envoyez ces trois mots"))
	tab.Do(chromedp.Click(chromedp.CSS(".preferences a.to-light")))
	tab.WaitFor(`document.documentElement.dataset.theme === "light"`)
}

// The view of a phone with a weak network: the words appear while they are valid for a long time.
func TestWaiting_OnASlowNetwork(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	throttle := cdp.Command[map[string]any, cdp.Empty]{Method: throttle}
	slow := map[string]any{"offline": false, "latency": 100, "downloadThroughput": 50_000 / 8, "uploadThroughput": 50_000 / 8}
	tab.Do(asPhone(), browsertest.Command(throttle, slow), chromedp.Navigate(webtest.WaitingURL(site)))
	tab.WaitFor(browsertest.Says("#words", "ambre rivière soleil"))
	// The page's own clock, which starts with the navigation.
	took, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[float64]("performance.now()"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the words were there after less than %.1f s", took/1000)
	if took > 10_000 { // 4 s on an idle machine; TestWaiting_WeighsLittle is exact
		t.Errorf("the words were there after %.1f s", took/1000)
	}
}
