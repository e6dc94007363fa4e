package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// Every page, in both languages and themes, at the width of the smallest phone and of a computer.
// It takes more than 10 seconds, because it examines each view with axe.
func TestPages_AreAccessibleAndFit(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	browser := browsertest.NewBrowser(t)
	list := webtest.Samples("axe", "Boutique Kalabash", "https://app.example/x")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := 0
		_, _ = fmt.Sscan(r.PathValue("n"), &n)
		_ = pages.Serve(w, r, http.StatusOK, list[n].Page, list[n].Data)
	})
	mux.HandleFunc("GET /authorize/qr.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = fmt.Fprint(w, webtest.QrPicture)
	})
	mux.HandleFunc("GET /dev/", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"phones":[],"contacts":[],"faults":[]}`)
	})
	site := webtest.NewSite(t, mux)
	tab := browsertest.Open(t, browser, site.URL+"/page/0")
	for i, s := range list {
		if s.Page == web.PageWaiting {
			continue // TestWaiting_IsAccessible checks each of its views
		}
		if strings.Contains(s.Name, "verified") {
			continue // redirects immediately
		}
		for j, choice := range []string{"theme=light&lang=fr", "theme=dark&lang=en"} {
			width := []int64{320, 1280}[(i+j)%2]
			what := fmt.Sprintf("%s, %s, %d pixels", s.Name, choice, width)
			tab.Do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(fmt.Sprintf("%s/page/%d?%s", site.URL, i, choice)))
			tab.WaitFor(`document.readyState === "complete"`)
			tab.Axe(what)
			tab.Do(chromedp.EmulateViewport(320, 800))
			tab.Fits(what)
		}
	}
}
