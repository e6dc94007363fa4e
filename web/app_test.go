package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"example.com/griot/internal/i18n"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
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
		e.Pagination = web.Pagination{Text: hostile, FirstURL: address, NewerURL: address, OlderURL: address}
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
	browser := webtest.NewBrowser(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", componentPage(t, func(s *web.Shell, _ *web.Examples) { s.Done = "Saved." }))
	site := newSite(t, mux)
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{320, 1280} {
			for _, lang := range []string{"fr", "en"} {
				tab := webtest.Open(t, browser, "about:blank")
				tab.Do(webtest.WithoutMotion(), chromedp.EmulateViewport(width, 800), chromedp.Navigate(site.URL+"/page?theme="+theme+"&lang="+lang))
				tab.WaitFor(webtest.Says("time", map[string]string{"fr": "il y a", "en": "ago"}[lang])) // the script has run
				what := theme + " " + lang
				tab.Axe(what)
				tab.Fits(what)
				tab.Click(".chart summary")
				tab.Click("details.menu.right summary")
				tab.Click(map[int64]string{320: ".bar-top .button", 1280: "details.account summary"}[width])
				tab.Axe(what + ", menus open")
				tab.Fits(what + ", menus open")
			}
		}
	}
}

func TestApp_WithoutScripts(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", componentPage(t, nil))
	site := newSite(t, mux)
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	tab.Do(webtest.Command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}),
		chromedp.EmulateViewport(360, 700), chromedp.Navigate(site.URL+"/page"))
	tab.WaitFor("!" + webtest.Seen(".side") + " && " + webtest.Seen(".bar-top") + " && !" + webtest.Seen("[data-copy]") + " && " + webtest.Says("time", "UTC"))
	tab.Click(".bar-top .button")
	tab.WaitFor(webtest.Seen(".side .nav"))
	tab.Click(".side .close")
	tab.WaitFor("!" + webtest.Seen(".side"))
	tab.Click("a[data-dialog]")
	tab.WaitFor(webtest.Seen("#erase"))
	tab.Click("#erase [data-cancel]")
	tab.WaitFor("!" + webtest.Seen("#erase"))
	tab.Do(chromedp.EmulateViewport(1280, 700))
	tab.WaitFor(webtest.Seen(".side .nav") + " && !" + webtest.Seen(".bar-top"))
	tab.Click("details.account summary")
	tab.WaitFor(webtest.Seen("details.account a"))
	tab.Click(".preferences a")
	tab.WaitFor(`document.documentElement.lang === "fr" && ` + webtest.Says(".side-foot", "Se déconnecter"))
}

func TestApp_WithScripts(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page", componentPage(t, nil))
	site := newSite(t, mux)
	tab := webtest.Open(t, webtest.NewBrowser(t), "about:blank")
	tab.Do(before(`Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });`),
		chromedp.EmulateViewport(1280, 700), chromedp.Navigate(site.URL+"/page"))
	tab.WaitFor(webtest.Says("time", "2 minutes ago") + ` && document.querySelector("time").title.endsWith(" UTC")`)
	tab.Click("[data-copy=first]")
	tab.WaitFor(`window.copied.startsWith("curl https://") && ` + webtest.Says("[data-copy=first]", "Copied"))
	tab.Click("details.account summary")
	tab.WaitFor(webtest.Seen("details.account a"))
	tab.Click("h1")
	tab.WaitFor("!" + webtest.Seen("details.account a"))
	tab.Click("a[data-dialog]")
	tab.WaitFor(`document.getElementById("erase").matches(":modal") && document.activeElement.closest("#erase")`)
	tab.Click("#erase [data-cancel]")
	tab.WaitFor("!" + webtest.Seen("#erase"))
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
