package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/griot/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m) }

// newSite serves the pages with what a test's service answers.
func newSite(t *testing.T, mux *http.ServeMux) *httptest.Server {
	t.Helper()
	mux.Handle("/static/", newPages(t).Static(http.NotFound))
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site
}
