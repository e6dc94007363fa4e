package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"griot/web"
)

// axe reads the rules of WCAG A and AA and its makers' advice into a tab's page, and
// fails for each that the page breaks, whatever its impact.
func (b *tab) axe(what string) {
	b.t.Helper()
	rules, err := os.ReadFile(npmFile(b.t, "axe-core/axe.min.js"))
	if err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Evaluate[chromedp.Void](string(rules) + "; undefined"))
	const run = `axe.run(document, { resultTypes: ["violations"] }).then((r) => JSON.stringify(r.violations.map((v) =>
		v.id + " (" + v.impact + "): " + v.help + "\n" + v.nodes.map((n) => "    " + n.html.slice(0, 200) + " " + n.any.map((a) => a.message).join("; ")).join("\n"))))`
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](run, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	var violations []string
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range violations {
		b.t.Errorf("%s: %s", what, v)
	}
}

// fits holds that nothing makes the page wider than its window.
func (b *tab) fits(what string) {
	b.t.Helper()
	width, err := chromedp.Run(b.ctx, chromedp.Evaluate[int64]("document.documentElement.scrollWidth - innerWidth"))
	if err != nil {
		b.t.Fatal(err)
	}
	if width > 0 {
		b.t.Errorf("%s: the page is %d pixels wider than its window", what, width)
	}
}

// Every page, in both languages and themes, at the width of the smallest phone and of a computer.
func TestPages_AreAccessibleAndFit(t *testing.T) {
	t.Parallel()
	pages := newPages(t)
	browser := newBrowser(t)
	list := samples("axe", "Boutique Kalabash", "https://app.example/x")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := 0
		_, _ = fmt.Sscan(r.PathValue("n"), &n)
		_ = pages.Serve(w, r, http.StatusOK, list[n].page, list[n].data)
	})
	mux.HandleFunc("GET /authorize/qr.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = fmt.Fprint(w, qrPicture)
	})
	mux.HandleFunc("GET /dev/", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"phones":[],"contacts":[],"faults":[]}`)
	})
	site := newSite(t, mux)
	tab := open(t, browser, site.URL+"/page/0")
	for i, s := range list {
		if s.page == web.PageWaiting {
			continue // TestWaiting_IsAccessible looks at each of its views
		}
		if strings.Contains(s.name, "verified") {
			continue // leads elsewhere at once
		}
		for j, choice := range []string{"theme=light&lang=fr", "theme=dark&lang=en"} {
			width := []int64{320, 1280}[(i+j)%2]
			what := fmt.Sprintf("%s, %s, %d pixels", s.name, choice, width)
			tab.do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(fmt.Sprintf("%s/page/%d?%s", site.URL, i, choice)))
			tab.waitFor(`document.readyState === "complete"`)
			tab.axe(what)
			tab.do(chromedp.EmulateViewport(320, 800))
			tab.fits(what)
		}
	}
}
