package httpx_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/griot/internal/httpx"
)

// setSecure sets a header instead of those that services set on their redirects.
func setSecure(h http.Header, _ string) { h.Set("Content-Security-Policy", "default-src 'none'") }

func wantSecure(t *testing.T, h http.Header) {
	t.Helper()
	if h.Get("Content-Security-Policy") == "" {
		t.Error("a redirect has no security headers")
	}
}

// Every redirect has the security headers, whether it is from a handler, net/http, or the mux.
func TestRedirects_HaveTheHeadersOfPages(t *testing.T) {
	t.Parallel()
	a := newAPI(io.Discard)
	a.SecureRedirect = setSecure
	h := a.Handler([]httpx.Route{
		{Method: "GET", Path: "/a/{$}", Access: httpx.Anyone, Handler: http.RedirectHandler("/a", http.StatusSeeOther)},
		{Method: "GET", Path: "/b", Access: httpx.Anyone, Handler: a.Handle(func(w http.ResponseWriter, _ *http.Request) error { return httpx.SeeOther(w, "/a") })},
		{Method: "GET", Path: "/c/", Access: httpx.Anyone, Handler: http.NotFoundHandler()},
		{Method: "GET", Path: "/d", Access: httpx.Anyone, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })},
	})
	for path, redirects := range map[string]bool{"/a/": true, "/b": true, "/c": true, "//b": true, "/c/../b": true, "/d": false, "/e": false} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if got := w.Header().Get("Location") != ""; got != redirects {
			t.Errorf("%s: %d, redirects: %t, want %t", path, w.Code, got, redirects)
		}
		if redirects {
			wantSecure(t, w.Header())
		} else if w.Header().Get("Content-Security-Policy") != "" {
			t.Errorf("%s: no redirect has the headers of one", path)
		}
	}
}
