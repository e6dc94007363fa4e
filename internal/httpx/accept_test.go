package httpx_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/griot/internal/httpx"
)

func TestSeenByPeople(t *testing.T) {
	t.Parallel()
	isPage := func(path string) bool { return path == "/page" }
	for _, give := range []struct {
		method, path, pattern, accept string
		want                          bool
	}{
		{"GET", "/page", "GET /page", "text/html,application/xhtml+xml;q=0.9", true},
		{"POST", "/page", "POST /page", "application/json;q=0.05, TEXT/HTML;q=0.1", true},
		{"GET", "/page", "GET /page", "text/html;q=0.5, application/json", false},
		{"GET", "/page", "GET /page", "application/json, text/html;Q=0.9", false},
		{"GET", "/page", "GET /page", "text/html;q=0.5, */*", false},
		{"GET", "/page", "GET /page", "text/html;q=0.5, application/*;q=0.8", false},
		{"GET", "/page", "GET /page", "application/json, text/html", true},
		{"GET", "/page", "GET /page", "text/html, application/json;q=0.9, */*;q=0.8", true},
		{"GET", "/page", "GET /page", "text/html;q=0.7, application/json;q=0, */*;q=0.8", true},
		{"GET", "/page", "GET /page", "text/html;level=1;q=0.4, */*;q=0.3", true},
		{"GET", "/page", "GET /page", "text/html;q=0.000", false},
		{"GET", "/page", "GET /page", "text/html; q = 0", false},
		{"GET", "/page", "GET /page", "text/html;q=x", true},
		{"GET", "/page", "GET /page", "*/*", false},
		{"GET", "/page", "GET /page", "application/json", false},
		{"GET", "/page", "GET /page", "", false},
		{"GET", "/page", "GET /page", "text/html;q=0", false},
		{"GET", "/nowhere", "/", "text/html", true},
		{"HEAD", "/nowhere", "/", "text/html", true},
		{"POST", "/nowhere", "/", "text/html", false},
		{"GET", "/api/me", "GET /api/me", "text/html, image/gif, *; q=.2", false},
	} {
		r := httptest.NewRequest(give.method, give.path, http.NoBody)
		r.Pattern = give.pattern
		r.Header.Set("Accept", give.accept)
		if got := httpx.SeenByPeople(r, isPage); got != give.want {
			t.Errorf("%s %s (Accept %q): %t, want %t", give.method, give.path, give.accept, got, give.want)
		}
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{"/a": true, "/a/": true, "/a/b": true, "/ab": false, "/": false, "/b/a": false} {
		if got := httpx.Below(path, "/a"); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
}
