package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"griot/internal/i18n"
	"griot/web"
)

func componentPage(t *testing.T, change func(*web.Shell, *web.Examples)) http.HandlerFunc {
	t.Helper()
	pages := newPages(t)
	return func(w http.ResponseWriter, r *http.Request) {
		shell, examples := web.ComponentExamples(time.Now())
		if change != nil {
			change(shell, &examples)
		}
		if err := pages.ServeApp(w, r, http.StatusOK, web.PageComponents, shell, examples); err != nil {
			t.Error(err)
		}
	}
}

func TestApp_PagesKeepTheirOwnPolicy(t *testing.T) {
	t.Parallel()
	const hostile = `</title></template><script>alert(1)</script>'"> onload=alert(1) {{.}} <!--`
	const address = `javascript:alert("1")//'onclick=`
	page := componentPage(t, func(s *web.Shell, e *web.Examples) {
		s.Service, s.Account, s.Person, s.Done, s.Home, s.LiveURL, s.SignOut = hostile, hostile, hostile, hostile, address, address, address
		s.Accounts = []web.AccountLink{{URL: address, Name: hostile}}
		s.Nav = []web.NavGroup{{Title: hostile, Items: []web.NavItem{{URL: address, Label: hostile, Icon: "home"}}}}
		e.Alerts = []web.Alert{{Title: hostile, Text: hostile, URL: address, Action: hostile, Tone: web.Bad}}
		e.Stats = []web.Stat{{Label: hostile, Value: hostile, Note: hostile, Trend: hostile}}
		e.Chart = web.Chart{ID: "volume", Title: hostile, Columns: []string{hostile}, Series: []web.Series{{Name: hostile, Values: []int{7}}}}
		e.Fields = []web.Field{{ID: "to", Label: hostile, Value: hostile, Placeholder: hostile, Hint: hostile}, {ID: "email", Label: hostile, Wrong: hostile}}
		e.Select.Options = []web.Option{{Value: hostile, Label: hostile}}
		e.Code.Text, e.Code.Title, e.Empty.Title, e.Empty.ActionURL = hostile, hostile, hostile, address
		e.Pagination = web.Pagination{Text: hostile, NewerURL: address, OlderURL: address}
		e.Rows = nil
	})
	static := newPages(t).Static(http.NotFound)
	for _, h := range []http.Handler{page, componentPage(t, nil)} {
		for _, lang := range i18n.Langs() {
			body, err := io.ReadAll(get(t, h, http.MethodGet, "/dev/components", "Accept-Language", string(lang)).Body)
			if err != nil {
				t.Fatal(err)
			}
			elements := elementsOf(t, string(body))
			for _, e := range elements {
				checkInert(t, e)
				checkLinks(t, static, e)
			}
			checkShape(t, elements, lang)
			if strings.Contains(string(body), "<script>alert") {
				t.Errorf("not escaped:\n%s", body)
			}
		}
	}
}

func TestApp_RefusesPagesThatAreNone(t *testing.T) {
	t.Parallel()
	w := http.Header{}
	err := newPages(t).ServeApp(discard{w}, mustRequest(t), http.StatusOK, "nothing", &web.Shell{}, nil)
	if err == nil || len(w) != 0 {
		t.Errorf("%v, headers %v", err, w)
	}
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

func mustRequest(t *testing.T) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestApp_IsAccessibleAndFits(t *testing.T) {
	t.Parallel()
	browser := newBrowser(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", componentPage(t, func(s *web.Shell, _ *web.Examples) { s.Done = "Saved." }))
	site := newSite(t, mux)
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{320, 1280} {
			for _, lang := range []string{"fr", "en"} {
				tab := open(t, browser, "about:blank")
				tab.do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(site.URL+"/page?theme="+theme+"&lang="+lang))
				tab.waitFor(says("time", map[string]string{"fr": "il y a", "en": "ago"}[lang])) // the script has run
				what := theme + " " + lang
				tab.axe(what)
				tab.fits(what)
				tab.click(".chart summary")
				tab.click("details.menu.right summary")
				tab.click(map[int64]string{320: ".bar-top .button", 1280: "details.account summary"}[width])
				tab.axe(what + ", menus open")
				tab.fits(what + ", menus open")
			}
		}
	}
}

func TestApp_WithoutScripts(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", componentPage(t, nil))
	site := newSite(t, mux)
	tab := open(t, newBrowser(t), "about:blank")
	tab.do(command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}),
		chromedp.EmulateViewport(360, 700), chromedp.Navigate(site.URL+"/page"))
	tab.waitFor("!" + seen(".side") + " && " + seen(".bar-top") + " && !" + seen("[data-copy]") + " && " + says("time", "UTC"))
	tab.click(".bar-top .button")
	tab.waitFor(seen(".side .nav"))
	tab.click(".side .close")
	tab.waitFor("!" + seen(".side"))
	tab.click("a[data-dialog]")
	tab.waitFor(seen("#erase"))
	tab.click("#erase [data-cancel]")
	tab.waitFor("!" + seen("#erase"))
	tab.do(chromedp.EmulateViewport(1280, 700))
	tab.waitFor(seen(".side .nav") + " && !" + seen(".bar-top"))
	tab.click("details.account summary")
	tab.waitFor(seen("details.account a"))
	tab.click(".preferences a")
	tab.waitFor(`document.documentElement.lang === "fr" && ` + says(".side-foot", "Se déconnecter"))
}

func TestApp_WithScripts(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", componentPage(t, nil))
	site := newSite(t, mux)
	tab := open(t, newBrowser(t), "about:blank")
	tab.do(before(`Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });`),
		chromedp.EmulateViewport(1280, 700), chromedp.Navigate(site.URL+"/page"))
	tab.waitFor(says("time", "2 minutes ago") + ` && document.querySelector("time").title.endsWith(" UTC")`)
	tab.click("[data-copy=first]")
	tab.waitFor(`window.copied.startsWith("curl https://") && ` + says("[data-copy=first]", "Copied"))
	tab.click("details.account summary")
	tab.waitFor(seen("details.account a"))
	tab.click("h1")
	tab.waitFor("!" + seen("details.account a"))
	tab.click("a[data-dialog]")
	tab.waitFor(`document.getElementById("erase").matches(":modal") && document.activeElement.closest("#erase")`)
	tab.click("#erase [data-cancel]")
	tab.waitFor("!" + seen("#erase"))
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
