package pages_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/i18n"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// The size limits of a page for a first-time visitor: the total, and its own bytes, styles, and pictures.
func TestBudget_OfPages(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	browser := browsertest.NewBrowser(t)
	for name, page := range map[string]struct {
		page            string
		data            any
		bytes, requests int64
	}{
		"terms":  {web.PageTerms, web.LegalText{}, 12_000, 5},
		"error":  {web.PageError, web.Failure{Status: 400, OAuth: "invalid_request", Code: "missing_parameter", Description: "state is missing.", RequestID: "x"}, 10_000, 5},
		"errors": {web.PageErrors, web.ErrorCatalogue(apierror.Auth, i18n.EN), 20_000, 6},
		"app":    {web.PageComponents, nil, 32_000, 9},
		"plain":  {web.PagePlain, web.Plain{View: web.PlainConsumed, Tenant: "Kalabash"}, 10_000, 5},
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) {
				if page.page == web.PageComponents {
					webtest.ComponentPage(t, nil)(w, r)
					return
				}
				_ = pages.Serve(w, r, http.StatusOK, page.page, page.data)
			})
			site, m := webtest.NewMeteredSite(t, mux)
			tab := browsertest.Open(t, browser, site+"/page")
			tab.WaitFor(`document.readyState === "complete"`)
			styles := m.Styles.Load()
			if bytes, requests := m.Bytes.Load(), m.Requests.Load(); bytes > page.bytes || requests > page.requests {
				t.Errorf("%d bytes in %d requests, want at most %d in %d", bytes, requests, page.bytes, page.requests)
			}
			tab.Do(chromedp.Navigate(site + "/page"))
			tab.WaitFor(`document.readyState === "complete"`)
			if again := m.Styles.Load(); styles == 0 || again != styles {
				t.Errorf("style sheets were asked for %d times, and %d times after a second visit, though browsers may keep them for good", styles, again)
			}
		})
	}
}
