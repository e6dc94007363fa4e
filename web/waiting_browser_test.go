package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// command sends the browser a command of its protocol.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// asPhone makes a tab a phone: narrow, and touched with fingers.
func asPhone() chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 360, Height: 640, DeviceScaleFactor: 2, Mobile: true}),
		command(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}),
	)
}

// before runs a script in a tab before any of its next pages' own.
func before(script string) chromedp.Action[chromedp.Void] {
	return command(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
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
	browser := newBrowser(t)
	_, mux := newLoginsMux(t, "")
	held, release := hold(t, mux, "/authorize/qr.svg", "/authorize/details")
	site, m := newMeteredSite(t, held)
	t.Cleanup(release)
	tab := open(t, browser, waitingURL(site))
	tab.waitFor(says("#words", "ambre rivière soleil"))
	// At 50 kbit/s, 20 kB are on their way for 3.2 seconds.
	if got := m.bytes.Load(); got > 20_000 {
		t.Errorf("%d bytes before the words, want at most 20,000", got)
	} else {
		t.Logf("%d bytes before the words", got)
	}
	release()
	tab.waitFor(`document.getElementById("qr-image").naturalWidth > 0 && ` + says("#receiver", "+223"))
	tab.waitFor(`document.readyState === "complete"`)
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
	browser := newBrowser(t)
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
				tab := open(t, browser, "about:blank")
				tab.do(size, chromedp.Navigate(waitingURL(site.URL)))
				tab.waitFor(says("#waits", "Trying again")) // painted, and no answer yet
				l.set(http.StatusOK, nil)
				tab.waitFor(`dispatchEvent(new Event("online"))`)
				tab.waitFor(seen("#view-open"))
				painted := chromedp.Evaluate[bool]("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true))))", chromedp.EvalAwaitPromise)
				if _, err := chromedp.Run(tab.ctx, painted); err != nil {
					t.Fatal(err)
				}
				release()
				if mode == "LIVE" {
					tab.waitFor(says("#receiver", "+223"))
				}
				l.set(http.StatusOK, map[string]any{"status": "VERIFIED"})
				tab.waitFor(seen("#view-verified"))
				got, err := chromedp.Run(tab.ctx, chromedp.Evaluate[float64](shifts, chromedp.EvalAwaitPromise))
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
	tab := open(t, newBrowser(t), "about:blank")
	tab.do(asPhone(), chromedp.Navigate(waitingURL(site)))
	tab.waitFor(says("#words", "ambre rivière soleil"))
	// The link is in sight, and the code is neither shown nor loaded before somebody asks for it.
	tab.waitFor(`document.getElementById("whatsapp").getBoundingClientRect().bottom <= 640`)
	tab.waitFor("!" + seen("#qr-image") + ` && !document.getElementById("qr-image").src`)
	tab.fits("the waiting page")
	tab.click("#qr summary")
	tab.waitFor(`document.getElementById("qr-image").naturalWidth > 0`)
}

func TestWaiting_InABrowserThatKnowsLess(t *testing.T) {
	t.Parallel()
	l, site := newLogins(t, "")
	tab := open(t, newBrowser(t), "about:blank")
	tab.do(before(`for (const name of ["EventSource", "AbortController"]) delete window[name];
		for (const name of ["locks", "clipboard"]) Object.defineProperty(navigator, name, { value: undefined });
		document.execCommand = (name) => { window.copied = name + " " + getSelection(); return true; };`),
		chromedp.Navigate(waitingURL(site)))
	tab.waitFor(says("#words", "ambre rivière soleil") + " && " + says("#receiver", "+22370000001"))
	tab.click("[data-copy=words]")
	tab.waitFor(`window.copied === "copy ambre rivière soleil" && ` + says("[data-copy=words]", "Copied"))
	l.set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app"})
	tab.waitFor(`location.pathname === "/app"`)
}

func TestWaiting_Copies(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := open(t, newBrowser(t), "about:blank")
	tab.do(before(`Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });`), chromedp.Navigate(waitingURL(site)))
	tab.waitFor(says("#receiver", "+22370000001"))
	tab.click("[data-copy=words]")
	tab.waitFor(`window.copied === "ambre rivière soleil" && ` + says("[data-copy=words]", "Copied"))
	tab.click("[data-copy=receiver]")
	tab.waitFor(`window.copied === "+22370000001"`)
	tab.waitFor(`document.querySelector("[data-copy=words]").textContent === "Copy"`)
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
	tab := open(t, newBrowser(t), waitingURL(site.URL), "was preloaded using link preload but not used")
	const visible = `getComputedStyle(document.querySelector(".lost")).visibility === "visible"`
	if shown, err := chromedp.Run(tab.ctx, chromedp.Evaluate[bool](visible)); err != nil || shown {
		t.Errorf("the way out is shown at once (%v)", err)
	}
	began := time.Now()
	tab.waitFor(visible)
	if waited := time.Since(began); waited > 10*time.Second {
		t.Errorf("the way out is shown after %s", waited)
	}
	tab.click(".lost a")
	tab.waitFor(`document.title === "the plain page"`)
}

func TestWaiting_TheSameLoginInTwoTabs(t *testing.T) {
	t.Parallel()
	browser := newBrowser(t)
	l, site := newLogins(t, "")
	first := open(t, browser, waitingURL(site))
	first.waitFor(says("#words", "ambre rivière soleil"))
	second := open(t, browser, waitingURL(site))
	second.waitFor(says("#words", "ambre rivière soleil"))
	first.waitFor(seen("#view-elsewhere") + " && " + says("#view-elsewhere", "Continued in the other tab"))
	l.set(http.StatusOK, map[string]any{"status": "VERIFIED", "redirectUrl": site + "/app"})
	second.waitFor(`location.pathname === "/app"`)
	first.waitFor(`location.pathname === "/waiting.html"`)
	// Whoever comes back to the first goes on there.
	l.set(http.StatusOK, map[string]any{"status": "CONSUMED"})
	first.click("#view-elsewhere a")
	first.waitFor(seen("#view-consumed"))
}

func TestWaiting_SaysThatCookiesAreBlocked(t *testing.T) {
	t.Parallel()
	browser := newBrowser(t)
	for disabled, view := range map[bool]string{true: "#view-blocked", false: "#view-gone"} {
		l, site := newLogins(t, "")
		l.code = "session_missing"
		l.set(http.StatusUnauthorized, nil)
		tab := open(t, browser, "about:blank")
		tab.do(command(emulation.SetDocumentCookieDisabled, emulation.SetDocumentCookieDisabledParams{Disabled: disabled}), chromedp.Navigate(waitingURL(site)))
		tab.waitFor(seen(view))
	}
}

func TestWaiting_IsAccessible(t *testing.T) {
	t.Parallel()
	browser := newBrowser(t)
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
				tab := open(t, browser, waitingURL(site)+"&theme="+theme)
				tab.waitFor(`document.getElementById("login").dataset.view !== "loading"`)
				tab.axe(view)
				tab.do(chromedp.EmulateViewport(320, 640))
				tab.fits(view)
			})
		}
	}
}

func TestWaiting_GoesToThePlainPageWithoutScripts(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := open(t, newBrowser(t), "about:blank")
	tab.do(command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}), chromedp.Navigate(waitingURL(site)))
	tab.waitFor(`document.title === "the plain page"`)
}

// The language and the theme that a person chooses stay, and the page is the same login's.
func TestWaiting_ChangesItsLanguage(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := open(t, newBrowser(t), waitingURL(site))
	tab.waitFor(says("#words-label", "Send these three words"))
	tab.click(".preferences a")
	tab.waitFor(says("#words-label", "Envoyez ces trois mots") + ` && location.search === "?loginKeyId=` + loginID + `"`)
	tab.do(chromedp.Click(chromedp.CSS(".preferences a.to-dark")))
	tab.waitFor(`document.documentElement.dataset.theme === "dark" && getComputedStyle(document.body).backgroundColor === "rgb(21, 18, 14)"`)
	tab.do(chromedp.Navigate(waitingURL(site)))
	tab.waitFor(`document.documentElement.dataset.theme === "dark" && ` + says("#words-label", "Envoyez ces trois mots"))
	tab.do(chromedp.Click(chromedp.CSS(".preferences a.to-light")))
	tab.waitFor(`document.documentElement.dataset.theme === "light"`)
}

// What a phone on the edge of a network sees: the words, while they are still good for long.
func TestWaiting_OnASlowNetwork(t *testing.T) {
	t.Parallel()
	_, site := newLogins(t, "")
	tab := open(t, newBrowser(t), "about:blank")
	// The command that every Chromium has: the package knows its successor only.
	throttle := cdp.Command[map[string]any, cdp.Empty]{Method: "Network.emulateNetworkConditions"}
	slow := map[string]any{"offline": false, "latency": 100, "downloadThroughput": 50_000 / 8, "uploadThroughput": 50_000 / 8}
	tab.do(asPhone(), command(throttle, slow), chromedp.Navigate(waitingURL(site)))
	tab.waitFor(says("#words", "ambre rivière soleil"))
	// The page's own clock, which begins with the navigation.
	took, err := chromedp.Run(tab.ctx, chromedp.Evaluate[float64]("performance.now()"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the words were there after less than %.1f s", took/1000)
	if took > 10_000 { // 4 s where the machine has nothing else to do; TestWaiting_WeighsLittle is exact
		t.Errorf("the words were there after %.1f s", took/1000)
	}
}
