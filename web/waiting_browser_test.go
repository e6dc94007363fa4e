package web_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"example.com/griot/web/webtest"
)

// command sends the browser a command of its protocol.
// asPhone makes a tab a phone: narrow, and touched with fingers.
func asPhone() chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		webtest.Command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 640, DeviceScaleFactor: 2, Mobile: true}),
		webtest.Command(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}),
	)
}

// before runs a script in a tab before any of its next pages' own.
func before(script string) chromedp.Action[chromedp.Void] {
	return webtest.Command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

func waitingURL(site string) string { return site + "/waiting.html?loginKeyId=" + loginID }

// hold serves a site whose answers at some paths wait until they are released. Before the
// site is closed they must be, or it waits for them.
func hold(t *testing.T, site http.Handler, paths ...string) (held *http.ServeMux, release func()) {
	t.Helper()
	later := make(chan struct{})
	held = http.NewServeMux()
	held.Handle("/", site)
	for _, path := range paths {
		held.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			<-later
			site.ServeHTTP(w, r)
		})
	}
	return held, sync.OnceFunc(func() { close(later) })
}

func TestWaiting_WeighsLittle(t *testing.T) {
	t.Parallel()
	browser := webtest.NewBrowser(t)
	_, mux := newLoginsMux(t, "")
	held, release := hold(t, mux, "/authorize/qr.svg", "/authorize/details")
	site, m := newMeteredSite(t, held)
	t.Cleanup(release)
	tab := webtest.Open(t, browser, waitingURL(site))
	tab.WaitFor(webtest.Says("#words", "ambre rivière soleil"))
	// At 50 kbit/s, 20 kB are on their way for 3.2 seconds.
	if got := m.bytes.Load(); got > 20_000 {
		t.Errorf("%d bytes before the words, want at most 20,000", got)
	} else {
		t.Logf("%d bytes before the words", got)
	}
	release()
	tab.WaitFor(`document.getElementById("qr-image").naturalWidth > 0 && ` + webtest.Says("#receiver", "+223"))
	tab.WaitFor(`document.readyState === "complete"`)
	all, requests := m.bytes.Load(), m.requests.Load()
	t.Logf("%d bytes in %d requests", all, requests)
	if all > 30_000 || requests > 20 {
		t.Errorf("%d bytes in %d requests, want at most 30,000 in 20", all, requests)
	}
}

const shifts = `new Promise((done) => {
	let sum = 0;
	new PerformanceObserver((list) => { for (const e of list.getEntries()) sum += e.value; }).observe({ type: "layout-shift", buffered: true });
	requestAnimationFrame(() => setTimeout(() => done(sum), 100));
})`

// Nothing that a person is about to touch moves, from the first paint to the end.
func TestWaiting_NothingMoves(t *testing.T) {
	t.Parallel()
	browser := webtest.NewBrowser(t)
	for name, size := range map[string]chromedp.Action[chromedp.Void]{"a phone": asPhone(), "a computer": chromedp.EmulateViewport(1280, 900)} {
		for _, mode := range []string{"LIVE", "TEST"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				l, mux := newLoginsMux(t, "")
				l.set(http.StatusServiceUnavailable, map[string]any{"mode": mode, "tenantName": "Coopérative des tisserandes de Bamako et de Ségou"})
				held, release := hold(t, mux, "/authorize/qr.svg", "/authorize/details")
				site := httptest.NewServer(held)
				t.Cleanup(site.Close)
				t.Cleanup(release)
				held.Handle("/static/", newPages(t).Static(http.NotFound))
				tab := webtest.Open(t, browser, "about:blank")
				tab.Do(size, chromedp.Navigate(waitingURL(site.URL)))
				tab.WaitFor(webtest.Says("#waits", "Trying again")) // painted, and no answer yet
				l.set(http.StatusOK, nil)
				tab.WaitFor(`dispatchEvent(new Event("online"))`)
				tab.WaitFor(webtest.Seen("#view-open"))
				painted := chromedp.Evaluate[bool]("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true))))", chromedp.EvalAwaitPromise)
				if _, err := chromedp.Run(tab.Ctx, painted); err != nil {
					t.Fatal(err)
				}
				release()
				if mode == "LIVE" {
					tab.WaitFor(webtest.Says("#receiver", "+223"))
				}
				l.set(http.StatusOK, map[string]any{"status": "VERIFIED"})
				tab.WaitFor(webtest.Seen("#view-verified"))
				got, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[float64](shifts, chromedp.EvalAwaitPromise))
				if err != nil || got != 0 {
					t.Errorf("layout shift %g (%v), want 0", got, err)
				}
			})
		}
	}
}

func TestWaiting_OnAPhone(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	tab.Do(asPhone(), chromedp.Navigate(waitingURL(site)))
	tab.WaitFor(webtest.Says("#words", "ambre rivière soleil"))
	// The link is in sight, and the code is neither shown nor loaded before somebody asks for it.
	tab.WaitFor(`document.getElementById("whatsapp").getBoundingClientRect().bottom <= 640`)
	tab.WaitFor("!" + webtest.Seen("#qr-image") + ` && !document.getElementById("qr-image").src`)
	tab.Fits("the waiting page")
	tab.Click("#qr summary")
	tab.WaitFor(`document.getElementById("qr-image").naturalWidth > 0`)
}

func TestWaiting_InABrowserThatKnowsLess(t *testing.T) {
	t.Parallel()
	l, site := newLogins(t, "")
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	tab.Do(before(`for (const name of ["EventSource", "AbortController"]) delete window[name];
		for (const name of ["locks", "clipboard"]) Object.defineProperty(navigator, name, { value: undefined });
		document.execCommand = (name) => { window.copied = name + " " + getSelection(); return true; };`),
		chromedp.Navigate(waitingURL(site)))
	tab.WaitFor(webtest.Says("#words", "ambre rivière soleil") + " && " + webtest.Says("#receiver", "+22370000001"))
	tab.Click("[data-copy=words]")
	tab.WaitFor(`window.copied === "copy ambre rivière soleil" && ` + webtest.Says("[data-copy=words]", "Copied"))
	l.set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app"})
	tab.WaitFor(`location.pathname === "/app"`)
}

func TestWaiting_Copies(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	tab.Do(before(`Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });`), chromedp.Navigate(waitingURL(site)))
	tab.WaitFor(webtest.Says("#receiver", "+22370000001"))
	tab.Click("[data-copy=words]")
	tab.WaitFor(`window.copied === "ambre rivière soleil" && ` + webtest.Says("[data-copy=words]", "Copied"))
	tab.Click("[data-copy=receiver]")
	tab.WaitFor(`window.copied === "+22370000001"`)
	tab.WaitFor(`document.querySelector("[data-copy=words]").textContent === "Copy"`)
}

func TestWaiting_WhenItsScriptIsLost(t *testing.T) {
	t.Parallel()
	_, mux := newLoginsMux(t, "")
	broken := http.NewServeMux()
	broken.HandleFunc("/static/{version}/js/waiting.js", http.NotFound)
	broken.Handle("/static/", newPages(t).Static(http.NotFound))
	broken.Handle("/", mux)
	site := httptest.NewServer(broken)
	t.Cleanup(site.Close)
	tab := webtest.Open(t, webtest.NewBrowser(t), waitingURL(site.URL), "was preloaded using link preload but not used")
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

func TestWaiting_TheSameLoginInTwoTabs(t *testing.T) {
	t.Parallel()
	browser := webtest.NewBrowser(t)
	l, site := newLogins(t, "")
	first := webtest.Open(t, browser, waitingURL(site))
	first.WaitFor(webtest.Says("#words", "ambre rivière soleil"))
	first.WaitFor(`(navigator.locks.query().then((all) => { window.hasLock = all.held.length === 1; }), window.hasLock)`)
	second := webtest.Open(t, browser, waitingURL(site))
	second.WaitFor(webtest.Says("#words", "ambre rivière soleil"))
	first.WaitFor(webtest.Seen("#view-elsewhere") + " && " + webtest.Says("#view-elsewhere", "Continued in the other tab"))
	l.set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app"})
	second.WaitFor(`location.pathname === "/app"`)
	first.WaitFor(`location.pathname === "/waiting.html"`)
	// Whoever comes back to the first goes on there.
	l.set(http.StatusOK, map[string]any{"status": "CONSUMED"})
	first.Click("#view-elsewhere a")
	first.WaitFor(webtest.Seen("#view-consumed"))
}

func TestWaiting_SaysThatCookiesAreBlocked(t *testing.T) {
	t.Parallel()
	browser := webtest.NewBrowser(t)
	for disabled, view := range map[bool]string{true: "#view-blocked", false: "#view-gone"} {
		l, site := newLogins(t, "")
		l.code = "session_missing"
		l.set(http.StatusUnauthorized, nil)
		tab := webtest.Open(t, browser, "about:blank")
		tab.Do(webtest.Command(emulation.SetDocumentCookieDisabled, emulation.SetDocumentCookieDisabledParams{Disabled: disabled}), chromedp.Navigate(waitingURL(site)))
		tab.WaitFor(webtest.Seen(view))
	}
}

func TestWaiting_IsAccessible(t *testing.T) {
	t.Parallel()
	browser := webtest.NewBrowser(t)
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
				l.set(http.StatusOK, members)
				tab := webtest.Open(t, browser, waitingURL(site)+"&theme="+theme)
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
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	tab.Do(webtest.Command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}), chromedp.Navigate(waitingURL(site)))
	tab.WaitFor(`document.title === "the plain page"`)
}

// The language and the theme that a person chooses stay, and the page is the same login's.
func TestWaiting_ChangesItsLanguage(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := webtest.Open(t, webtest.NewBrowser(t), waitingURL(site))
	tab.WaitFor(webtest.Says("#words-label", "Send these three words"))
	tab.Click(".preferences a")
	tab.WaitFor(webtest.Says("#words-label", "Envoyez ces trois mots") + ` && location.search === "?loginKeyId=` + loginID + `"`)
	tab.Do(chromedp.Click(chromedp.CSS(".preferences a.to-dark")))
	tab.WaitFor(`document.documentElement.dataset.theme === "dark" && getComputedStyle(document.body).backgroundColor === "rgb(21, 18, 14)"`)
	tab.Do(chromedp.Navigate(waitingURL(site)))
	tab.WaitFor(`document.documentElement.dataset.theme === "dark" && ` + webtest.Says("#words-label", "Envoyez ces trois mots"))
	tab.Do(chromedp.Click(chromedp.CSS(".preferences a.to-light")))
	tab.WaitFor(`document.documentElement.dataset.theme === "light"`)
}

// What a phone on the edge of a network sees: the words, while they are still good for long.
func TestWaiting_OnASlowNetwork(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	// The command that every Chromium has: the package knows its successor only.
	throttle := cdp.Command[map[string]any, cdp.Empty]{Method: "Network.emulateNetworkConditions"}
	slow := map[string]any{"offline": false, "latency": 100, "downloadThroughput": 50_000 / 8, "uploadThroughput": 50_000 / 8}
	tab.Do(asPhone(), webtest.Command(throttle, slow), chromedp.Navigate(waitingURL(site)))
	tab.WaitFor(webtest.Says("#words", "ambre rivière soleil"))
	// The page's own clock, which begins with the navigation.
	took, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[float64]("performance.now()"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the words were there after less than %.1f s", took/1000)
	if took > 10_000 { // 4 s where the machine has nothing else to do; TestWaiting_WeighsLittle is exact
		t.Errorf("the words were there after %.1f s", took/1000)
	}
}
