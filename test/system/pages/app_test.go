package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

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

func TestChart_IsDrawnFromItsNumbers(t *testing.T) {
	t.Parallel()
	c := web.Chart{Title: `A & "B"`, Columns: []string{"1 Sep", "2 Sep"}, Series: []web.Series{{Name: "Sent", Values: []int{150, 90}}, {Name: "Failed", Values: []int{0}}}}
	svg := string(c.Drawing())
	for _, want := range []string{`aria-label="A &amp; &#34;B&#34;"`, `<title>1 Sep: Sent 150</title>`, `<title>2 Sep: Sent 90</title>`, ">200<", ">100<", ">1 Sep<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if n := strings.Count(svg, "<rect"); n != 2 {
		t.Errorf("%d columns are drawn, want 2: a value of 0, or none, has none", n)
	}
	rows := c.Rows()
	if len(rows) != 2 || rows[1].Label != "2 Sep" || rows[1].Values[0] != 90 || rows[1].Values[1] != 0 {
		t.Errorf("rows %v", rows)
	}
	for _, empty := range []web.Chart{{}, {Columns: []string{"a"}}, {Columns: []string{"a"}, Series: []web.Series{{Values: []int{-3}}}}} {
		if svg := string(empty.Drawing()); strings.Contains(svg, "<rect") || strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%v is drawn as %s", empty, svg)
		}
	}
}
