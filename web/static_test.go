package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"griot/internal/i18n"
	"griot/web"
)

func get(t *testing.T, h http.Handler, method, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestStatic_ServesFilesWithTheirTypeAndTag(t *testing.T) {
	t.Parallel()
	static := newPages(t).Static(http.NotFound)
	for path, contentType := range map[string]string{
		"/static/css/griot.css":     "text/css; charset=utf-8",
		"/static/js/waiting.js":     "text/javascript; charset=utf-8",
		"/static/js/phones/card.js": "text/javascript; charset=utf-8",
		"/static/img/griot.svg":     "image/svg+xml",
	} {
		answer := get(t, static, http.MethodGet, path)
		h := answer.Header
		if answer.StatusCode != http.StatusOK || h.Get("Content-Type") != contentType || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Cache-Control") != "public, max-age=3600" || !regexp.MustCompile(`^"[\w-]{43}"$`).MatchString(h.Get("ETag")) {
			t.Errorf("%s: %d %v", path, answer.StatusCode, h)
		}
		if again := get(t, static, http.MethodGet, path, "If-None-Match", h.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: %d for a file that the browser has", path, again.StatusCode)
		}
		if head := get(t, static, http.MethodHead, path); head.StatusCode != http.StatusOK || head.ContentLength != answer.ContentLength {
			t.Errorf("%s: HEAD %d %d", path, head.StatusCode, head.ContentLength)
		}
	}
}

func TestStatic_RefusesTheRest(t *testing.T) {
	t.Parallel()
	static := newPages(t).Static(http.NotFound)
	for _, path := range []string{"/static/", "/static/js", "/static/js/", "/static/none.js", "/static/../web.go", "/static/templates/layout.html", "/static/v-000000000000/", "/js/waiting.js/"} {
		if answer := get(t, static, http.MethodGet, path); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	if answer := get(t, static, http.MethodPost, "/static/js/waiting.js"); answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", answer.StatusCode, answer.Header)
	}
}

// A new release's page must not run the old release's script out of a cache.
func TestStatic_AddressesChangeWithTheFiles(t *testing.T) {
	t.Parallel()
	pages := newPages(t)
	address := regexp.MustCompile(`src="(/static/v-[0-9a-f]{12}/js/waiting\.js)"`).FindStringSubmatch(render(t, pages, web.PageWaiting, i18n.FR, web.Waiting{}))
	if address == nil {
		t.Fatal("the script's address has no version")
	}
	plain, versioned := get(t, pages.Static(http.NotFound), http.MethodGet, "/static/js/waiting.js"), get(t, pages.Static(http.NotFound), http.MethodGet, address[1])
	if versioned.StatusCode != http.StatusOK || versioned.Header.Get("ETag") != plain.Header.Get("ETag") {
		t.Errorf("%s: %d", address[1], versioned.StatusCode)
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	web.Headers(h)
	for name, want := range map[string]string{
		"Content-Security-Policy":    web.CSP,
		"Content-Type":               "text/html; charset=utf-8",
		"X-Content-Type-Options":     "nosniff",
		"Referrer-Policy":            "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin",
		"Vary":                       "Accept-Language",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if h.Get("Permissions-Policy") == "" || strings.Contains(web.CSP, "unsafe") || strings.Contains(web.CSP, "*") {
		t.Errorf("a page may do too much: %v", h)
	}
}
