package pages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/test/system/browsertest"
	"example.com/griot/web/webtest"
)

// The script of a list finds the same as the server, and keeps the search in the URL.
func TestReference_SearchesWithAndWithoutScripts(t *testing.T) {
	t.Parallel()
	mux := webtest.NewReferenceMux(t, webtest.DocsServices()[1])
	site := webtest.NewSite(t, mux)
	tab := browsertest.Open(t, browsertest.NewBrowser(t), site.URL+"/docs/reference")
	const visible = `Array.from(document.querySelectorAll("[data-item]:not([hidden])"), (e) => e.textContent.trim()).join("|") + "#" + document.querySelectorAll("[data-section]:not([hidden])").length + document.getElementById("nothing").hidden + document.getElementById("found").textContent`
	read := func() string {
		t.Helper()
		s, err := chromedp.Run(tab.Ctx, chromedp.Evaluate[string](visible))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, page := range []string{"/docs/reference", "/docs/errors"} {
		seen := map[string]bool{}
		for _, q := range []string{"", "send", "Rate_Limited  post", "409", "nothing of the kind"} {
			tab.Do(chromedp.Navigate(site.URL + page + "?q=" + strings.ReplaceAll(q, " ", "%20")))
			byServer := read()
			tab.Do(chromedp.Navigate(site.URL + page))
			tab.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.getElementById("q").value = %q; document.getElementById("q").dispatchEvent(new Event("input")); undefined`, q)))
			if byScript := read(); byScript != byServer {
				t.Errorf("%s, %q: the script shows\n%s\nthe server\n%s", page, q, byScript, byServer)
			}
			tab.WaitFor(fmt.Sprintf(`(new URL(location.href).searchParams.get("q") || "") === %q`, q))
			seen[byServer] = true
		}
		if len(seen) < 4 {
			t.Errorf("%s: %d different results for five searches", page, len(seen))
		}
	}
}

// The API references have no accessibility violation and load few bytes. It takes more than 10 seconds, because axe examines
// long pages.
func TestReference_IsAccessibleAndWeighsLittle(t *testing.T) {
	t.Parallel()
	site, m := webtest.NewMeteredSite(t, webtest.NewReferenceMux(t, webtest.DocsServices()[1]))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	for i, path := range []string{"/docs/reference", "/docs/reference/sendMessage", "/docs/reference/getHealth", "/docs/reference/SendRequest", "/docs/errors", "/docs", "/docs/concepts/message", "/docs/start/back-end"} {
		bytes, requests := m.Bytes.Load(), m.Requests.Load()
		for j, choice := range []string{"?theme=light&lang=fr", "?theme=dark&lang=en"} {
			width := []int64{320, 1280}[(i+j)%2]
			what := fmt.Sprintf("%s%s at %d pixels", path, choice, width)
			tab.Do(chromedp.EmulateViewport(width, 800), chromedp.Navigate(site+path+choice))
			tab.WaitFor(`document.readyState === "complete"`)
			tab.Do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => { d.open = true; }); undefined`))
			tab.Axe(what)
			tab.Do(chromedp.EmulateViewport(320, 800))
			tab.Fits(what)
		}
		// Both languages, each after the redirect that sets it.
		if bytes, requests = m.Bytes.Load()-bytes, m.Requests.Load()-requests; bytes > 50_000 || requests > 16 {
			t.Errorf("%s: %d bytes in %d requests for two visits, want at most 50000 in 16", path, bytes, requests)
		}
	}
}

// Without scripts, the form of a search sends a request to the server, and the page of an operation explains
// the requirements for trying it.
func TestReference_WorksWithoutScripts(t *testing.T) {
	t.Parallel()
	site := webtest.NewSite(t, webtest.NewReferenceMux(t, webtest.DocsServices()[1]))
	tab := browsertest.Open(t, browsertest.NewBrowser(t), "about:blank")
	tab.Do(browsertest.WithoutScripts(), chromedp.Navigate(site.URL+"/docs/reference?lang=en"), chromedp.SetValue(chromedp.CSS("#q"), "cancel"))
	tab.Click(".search button")
	tab.WaitFor(`new URL(location.href).searchParams.get("q") === "cancel" && ` + browsertest.Seen(`a[href="/docs/reference/cancelMessage"]`) + ` && !` + browsertest.Seen(`a[href="/docs/reference/listGroups"]`))
	tab.Click(`a[href="/docs/reference/cancelMessage"]`)
	tab.WaitFor(browsertest.Seen("noscript .note") + ` && ` + browsertest.Says("noscript .note", "needs JavaScript") + ` && !` + browsertest.Seen("#try") + ` && !` + browsertest.Seen("[data-copy]") + ` && ` + browsertest.Seen("#curl"))
}
