package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// The pages with navigation fit each width and have no accessibility violation. It takes more than 10 seconds, because it
// examines each view with axe.
func TestApp_IsAccessibleAndFits(t *testing.T) {
	t.Parallel()
	browser := browsertest.NewBrowser(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", webtest.ComponentPage(t, func(s *web.Shell, _ *web.Examples) { s.Done = "Saved." }))
	site := webtest.NewSite(t, mux)
	for _, view := range browsertest.Views() {
		tab := browsertest.Open(t, browser, "about:blank")
		tab.Do(browsertest.WithoutMotion(), chromedp.EmulateViewport(view.Width, 800), chromedp.Navigate(site.URL+"/page?"+view.Query()))
		tab.WaitFor(browsertest.Says("time", map[string]string{"fr": "il y a", "en": "ago"}[view.Lang])) // the script has run
		what := view.String()
		tab.Axe(what)
		tab.Click(".chart summary")
		tab.Click("details.menu.right summary")
		tab.Click(map[int64]string{360: ".bar-top .button", 1280: "details.account summary"}[view.Width])
		tab.Axe(what + ", menus open")
		tab.Fits(what + ", menus open")
	}
	for _, lang := range []string{"fr", "en"} {
		tab := browsertest.Open(t, browser, "about:blank")
		tab.Do(browsertest.WithoutMotion(), chromedp.EmulateViewport(320, 800), chromedp.Navigate(site.URL+"/page?lang="+lang))
		tab.WaitFor(browsertest.Says("time", map[string]string{"fr": "il y a", "en": "ago"}[lang]))
		tab.Fits(lang)
		tab.Click(".chart summary")
		tab.Click("details.menu.right summary")
		tab.Click(".bar-top .button")
		tab.Fits(lang + ", menus open")
	}
}

func TestApp_WithoutScripts(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", webtest.ComponentPage(t, nil))
	site := webtest.NewSite(t, mux)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(browsertest.Command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}),
		chromedp.EmulateViewport(360, 700), chromedp.Navigate(site.URL+"/page"))
	tab.WaitFor("!" + browsertest.Seen(".side") + " && " + browsertest.Seen(".bar-top") + " && !" + browsertest.Seen("[data-copy]") + " && " + browsertest.Says("time", "UTC"))
	tab.Click(".bar-top .button")
	tab.WaitFor(browsertest.Seen(".side .nav"))
	tab.Click(".side .close")
	tab.WaitFor("!" + browsertest.Seen(".side"))
	tab.Click("a[data-dialog]")
	tab.WaitFor(browsertest.Seen("#erase"))
	tab.Click("#erase [data-cancel]")
	tab.WaitFor("!" + browsertest.Seen("#erase"))
	tab.Do(chromedp.EmulateViewport(1280, 700))
	tab.WaitFor(browsertest.Seen(".side .nav") + " && !" + browsertest.Seen(".bar-top"))
	tab.Click("details.account summary")
	tab.WaitFor(browsertest.Seen("details.account a"))
	tab.Click(".preferences a")
	tab.WaitFor(`document.documentElement.lang === "fr" && ` + browsertest.Says(".side-foot", "Se déconnecter"))
}

func TestApp_WithScripts(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", webtest.ComponentPage(t, nil))
	site := webtest.NewSite(t, mux)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(before(`Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });`),
		chromedp.EmulateViewport(1280, 700), chromedp.Navigate(site.URL+"/page"))
	tab.WaitFor(browsertest.Says("time", "2 minutes ago") + ` && document.querySelector("time").title.endsWith(" UTC")`)
	tab.Click("[data-copy=first]")
	tab.WaitFor(`window.copied.startsWith("curl https://") && ` + browsertest.Says("[data-copy=first]", "Copied"))
	tab.Click("details.account summary")
	tab.WaitFor(browsertest.Seen("details.account a"))
	tab.Click("h1")
	tab.WaitFor("!" + browsertest.Seen("details.account a"))
	tab.Click("a[data-dialog]")
	tab.WaitFor(`document.getElementById("erase").matches(":modal") && document.activeElement.closest("#erase")`)
	tab.Click("#erase [data-cancel]")
	tab.WaitFor("!" + browsertest.Seen("#erase"))
}

// Each day of a chart can be read with the pointer, with the keyboard, and in the table.
func TestChart_IsReadByDay(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", webtest.ComponentPage(t, func(_ *web.Shell, e *web.Examples) { e.Chart = threeDays() }))
	site := webtest.NewSite(t, mux)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), site.URL+"/page")
	day := func(text string) string {
		return `document.querySelector(".day-text").textContent === "` + text + `"`
	}
	tab.WaitFor(browsertest.Says(".day-text", "Point at a day"))
	tab.Do(chromedp.Focus(chromedp.CSS(".chart .drawing")), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	tab.WaitFor(day("2 Sep – Read 5, Delivered 3, In progress 2, Failed 1") + ` && document.querySelectorAll(".day.current").length === 1`)
	tab.Do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	tab.WaitFor(day("3 Sep – Read 0, Delivered 0, In progress 0, Failed 0")) // the last one, which has no columns
	at, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[struct{ X, Y float64 }](`(() => { const box = document.querySelector(".day .ground").getBoundingClientRect(); return { X: box.x + box.width / 2, Y: box.y + 3 }; })()`))
	if err != nil {
		t.Fatal(err)
	}
	tab.Do(browsertest.Command(input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at.X, Y: at.Y}))
	tab.WaitFor(day("1 Sep – Read 1, Delivered 1, In progress 1, Failed 1"))
	tab.Click(".chart summary")
	tab.WaitFor(browsertest.Says(".chart table", "2 Sep"))
	// The first series is at the bottom.
	tab.WaitFor(`[...document.querySelectorAll(".day")[1].querySelectorAll("[class^=series]")].every((bar, i, all) => bar.getAttribute("class") === "series-" + (i + 1) && (!i || bar.y.baseVal.value < all[i - 1].y.baseVal.value))`)
}

// On a narrow page, a chart of a month shows all its labels, which don't overlap, without scrolling.
func TestChart_FitsAPhone(t *testing.T) {
	t.Parallel()
	month := web.Chart{ID: "days", Title: "Messages", Series: []web.Series{{Name: "Read", Values: []int{12000}}}}
	for day := range 31 {
		month.Columns = append(month.Columns, fmt.Sprintf("%02d/12", day+1))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", webtest.ComponentPage(t, func(_ *web.Shell, e *web.Examples) { e.Chart = month }))
	site := webtest.NewSite(t, mux)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(chromedp.EmulateViewport(360, 800), chromedp.Navigate(site.URL+"/page"))
	const all = `(() => { const card = document.querySelector(".chart").getBoundingClientRect(); return [...document.querySelectorAll(".chart svg text")].map((text) => text.getBoundingClientRect()).every((at, i, all) =>
		at.left >= card.left && at.right <= card.right && at.height >= 9 && all.slice(0, i).every((other) => other.right <= at.left || at.right <= other.left || other.bottom <= at.top || at.bottom <= other.top)); })()`
	tab.WaitFor(`document.readyState === "complete" && document.querySelectorAll(".chart svg text").length === 10`)
	fits, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[bool](all))
	if err != nil || !fits {
		t.Errorf("labels are cut off or overlap: %v", err)
	}
	tab.Screenshot("chart-360")
}

func threeDays() web.Chart {
	return web.Chart{ID: "days", Title: "Messages", Columns: []string{"1 Sep", "2 Sep", "3 Sep"}, Series: []web.Series{
		{Name: "Read", Values: []int{1, 5, 0}}, {Name: "Delivered", Values: []int{1, 3, 0}}, {Name: "In progress", Values: []int{1, 2, 0}}, {Name: "Failed", Values: []int{1, 1, 0}},
	}}
}

// The system's high contrast mode removes backgrounds: legends, the switch of the mode, and the current page stay
// visible.
func TestApp_ForcedColors(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", webtest.ComponentPage(t, func(_ *web.Shell, e *web.Examples) { e.Chart = threeDays() }))
	site := webtest.NewSite(t, mux)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	for _, scheme := range []string{"light", "dark"} {
		tab.Do(browsertest.Command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}, {Name: "prefers-color-scheme", Value: scheme}}}),
			chromedp.EmulateViewport(1280, 900), chromedp.Navigate(site.URL+"/page?theme="+scheme))
		tab.WaitFor(`matchMedia("(forced-colors: active)").matches`)
		const ground = `((element) => getComputedStyle(element).backgroundColor)`
		for _, of := range []string{".nav", ".mode", ".tabs"} {
			tab.WaitFor(ground + `(document.querySelector("` + of + ` a[aria-current]")) !== ` + ground + `(document.querySelector("` + of + ` a:not([aria-current])"))`)
		}
		tab.WaitFor(`new Set([...document.querySelectorAll(".legend span")].map(` + ground + `)).size === 4`)
		tab.WaitFor(`new Set([...document.querySelectorAll(".chart [class^=series]")].map((bar) => getComputedStyle(bar).fill)).size === 4`)
		tab.Screenshot("forced-colors-" + scheme)
	}
}

func TestChart_IsDrawnFromItsNumbers(t *testing.T) {
	t.Parallel()
	c := web.Chart{Title: `A & "B"`, Columns: []string{"1 Sep", "2 Sep"}, Series: []web.Series{{Name: "Sent", Values: []int{150, 90}}, {Name: "Failed", Values: []int{0}}}}
	svg := string(c.Drawing())
	for _, want := range []string{`aria-label="A &amp; &#34;B&#34;"`, `<title>1 Sep – Sent 150, Failed 0</title>`, `<title>2 Sep – Sent 90, Failed 0</title>`, ">200<", ">100<", ">1 Sep<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if n := strings.Count(svg, `<rect class="series-`); n != 2 {
		t.Errorf("%d columns are drawn, want 2: a value of 0, or none, has none", n)
	}
	rows := c.Rows()
	if len(rows) != 2 || rows[1].Label != "2 Sep" || rows[1].Values[0] != 90 || rows[1].Values[1] != 0 {
		t.Errorf("rows %v", rows)
	}
	for _, empty := range []web.Chart{{}, {Columns: []string{"a"}}, {Columns: []string{"a"}, Series: []web.Series{{Values: []int{-3}}}}} {
		if svg := string(empty.Drawing()); strings.Contains(svg, `class="series-`) || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%v is drawn as %s", empty, svg)
		}
	}
}
