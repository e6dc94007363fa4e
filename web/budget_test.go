package web_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/fault"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

// meter counts what a site sends to browsers, headers included.
type meter struct {
	bytes, requests, styles atomic.Int64 // of the requests, styles are those for style sheets
}

type meteredListener struct {
	net.Listener
	meter *meter
}

func (l meteredListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return meteredConn{c, l.meter}, nil
}

type meteredConn struct {
	net.Conn
	meter *meter
}

func (c meteredConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.meter.bytes.Add(int64(n))
	return n, err
}

// newMeteredSite is a site that counts.
func newMeteredSite(t *testing.T, mux *http.ServeMux) (site string, m *meter) {
	t.Helper()
	m = &meter{}
	mux.Handle("/static/", newPages(t).Static(http.NotFound))
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.requests.Add(1)
		if strings.HasSuffix(r.URL.Path, ".css") {
			m.styles.Add(1)
		}
		mux.ServeHTTP(w, r)
	}))
	server.Listener = meteredListener{server.Listener, m}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, m
}

// What a page may cost who opens it for the first time: the whole, with its own bytes, styles and pictures.
func TestBudget_OfPages(t *testing.T) {
	t.Parallel()
	pages := newPages(t)
	browser := webtest.NewBrowser(t)
	for name, page := range map[string]struct {
		page            string
		data            any
		bytes, requests int64
	}{
		"terms":  {web.PageTerms, web.LegalText{}, 12_000, 5},
		"error":  {web.PageError, web.Failure{Status: 400, OAuth: "invalid_request", Code: "missing_parameter", Description: "state is missing.", RequestID: "x"}, 10_000, 5},
		"errors": {web.PageErrors, web.ErrorCatalogue(fault.Auth), 20_000, 6},
		"app":    {web.PageComponents, nil, 32_000, 9},
		"plain":  {web.PagePlain, web.Plain{View: web.PlainConsumed, Tenant: "Kalabash"}, 10_000, 5},
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("GET /page", func(w http.ResponseWriter, r *http.Request) {
				if page.page == web.PageComponents {
					componentPage(t, nil)(w, r)
					return
				}
				_ = pages.Serve(w, r, http.StatusOK, page.page, page.data)
			})
			site, m := newMeteredSite(t, mux)
			tab := webtest.Open(t, browser, site+"/page")
			tab.WaitFor(`document.readyState === "complete"`)
			styles := m.styles.Load()
			if bytes, requests := m.bytes.Load(), m.requests.Load(); bytes > page.bytes || requests > page.requests {
				t.Errorf("%d bytes in %d requests, want at most %d in %d", bytes, requests, page.bytes, page.requests)
			}
			tab.Do(chromedp.Navigate(site + "/page"))
			tab.WaitFor(`document.readyState === "complete"`)
			if again := m.styles.Load(); styles == 0 || again != styles {
				t.Errorf("style sheets were asked for %d times, and %d times after a second visit, though browsers may keep them for good", styles, again)
			}
		})
	}
}
