package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/i18n"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
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

// Rules: L175.
func TestStatic_ServesFilesWithTheirTypeAndTag(t *testing.T) {
	t.Parallel()
	static := webtest.NewPages(t).Static(http.NotFound)
	for path, contentType := range map[string]string{
		"/static/css/griot.css":     "text/css; charset=utf-8",
		"/static/js/waiting.js":     "text/javascript; charset=utf-8",
		"/static/js/phones/card.js": "text/javascript; charset=utf-8",
		"/static/img/griot.svg":     "image/svg+xml",
	} {
		answer := get(t, static, http.MethodGet, path)
		h := answer.Header
		if answer.StatusCode != http.StatusOK || h.Get("Content-Type") != contentType || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Cache-Control") != "public, max-age=3600" || !regexp.MustCompile(`^"[\w-]{16}"$`).MatchString(h.Get("ETag")) || h.Get("Content-Encoding") != "" {
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
	static := webtest.NewPages(t).Static(http.NotFound)
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
	pages := webtest.NewPages(t)
	address := regexp.MustCompile(`src="(/static/v-[0-9a-f]{12}/js/waiting\.js)"`).FindStringSubmatch(render(t, pages, web.PageWaiting, i18n.FR, web.Waiting{}))
	if address == nil {
		t.Fatal("the script's address has no version")
	}
	static := pages.Static(http.NotFound)
	plain, versioned := get(t, static, http.MethodGet, "/static/js/waiting.js"), get(t, static, http.MethodGet, address[1])
	if versioned.StatusCode != http.StatusOK || versioned.Header.Get("ETag") != plain.Header.Get("ETag") {
		t.Errorf("%s: %d", address[1], versioned.StatusCode)
	}
	if got := versioned.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
		t.Errorf("the address of this release: Cache-Control %q", got)
	}
	// Another release's URL is served while both run, but must not be cached permanently with this release's file.
	other := get(t, static, http.MethodGet, "/static/v-000000000000/js/waiting.js")
	if got := other.Header.Get("Cache-Control"); other.StatusCode != http.StatusOK || got != "public, max-age=3600" {
		t.Errorf("the address of another release: %d, Cache-Control %q", other.StatusCode, got)
	}
}

func TestStatic_SendsCompressedFilesToWhoTakesThem(t *testing.T) {
	t.Parallel()
	static := webtest.NewPages(t).Static(http.NotFound)
	const path = "/static/css/griot.css"
	plain := get(t, static, http.MethodGet, path)
	want, err := io.ReadAll(plain.Body)
	if err != nil {
		t.Fatal(err)
	}
	for accept, compressed := range map[string]bool{
		"gzip": true, "br, GZIP;q=0.5": true, "gzip; q=0.001": true, "": false, "br": false, "gzip;q=0": false, "gzip; q=0.000": false, "xgzip": false,
	} {
		answer := get(t, static, http.MethodGet, path, "Accept-Encoding", accept)
		if got := answer.Header.Get("Content-Encoding") == "gzip"; got != compressed || answer.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: compressed %t, want %t; Vary %q", accept, got, compressed, answer.Header.Get("Vary"))
		}
		if !compressed {
			continue
		}
		unpacked, err := gzip.NewReader(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(unpacked); err != nil || !bytes.Equal(got, want) {
			t.Errorf("Accept-Encoding %q: %d bytes (%v), want %d", accept, len(got), err, len(want))
		}
		tag := answer.Header.Get("ETag")
		if tag == plain.Header.Get("ETag") {
			t.Errorf("the compressed file has the plain file's ETag %s", tag)
		}
		if again := get(t, static, http.MethodGet, path, "Accept-Encoding", accept, "If-None-Match", tag); again.StatusCode != http.StatusNotModified {
			t.Errorf("Accept-Encoding %q: %d for a file that the browser has", accept, again.StatusCode)
		}
	}
}

func TestRender_LoadsAllScriptsAtOnce(t *testing.T) {
	t.Parallel()
	for page, scripts := range map[string][]string{
		web.PageWaiting: {"static/js/waiting/*.js", "static/js/page.js", "static/js/call.js"},
		web.PagePhones:  {"static/js/phones/*.js"},
	} {
		data := any(web.Waiting{})
		if page == web.PagePhones {
			data = nil
		}
		html := render(t, webtest.NewPages(t), page, i18n.FR, data)
		for name := range sources(t, scripts...) {
			link := regexp.MustCompile(`<link rel="modulepreload" href="/static/v-[0-9a-f]{12}/` + strings.TrimPrefix(name, "static/") + `">`)
			if n := len(link.FindAllString(html, -1)); n != 1 {
				t.Errorf("%s: %d modulepreload links for %s, want 1", page, n, name)
			}
		}
	}
}

func TestServe_CompressesPages(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := pages.Serve(w, r, http.StatusTeapot, web.PageTerms, web.LegalText{}); err != nil {
			t.Error(err)
		}
	})
	plain := get(t, serve, http.MethodGet, "/terms", "Accept-Language", "en")
	small := get(t, serve, http.MethodGet, "/terms", "Accept-Language", "en", "Accept-Encoding", "gzip")
	if vary := strings.Join(small.Header.Values("Vary"), ", "); vary != "Accept-Language, Accept-Encoding, Cookie" || small.StatusCode != http.StatusTeapot {
		t.Errorf("%d, Vary %q", small.StatusCode, vary)
	}
	want, err := io.ReadAll(plain.Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(small.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(unpacked); err != nil || !bytes.Equal(got, want) || small.ContentLength >= plain.ContentLength {
		t.Errorf("%d bytes on the wire are %d (%v), want %d", small.ContentLength, len(got), err, len(want))
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	web.Headers(h, "/")
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

func TestStatic_LeavesOutCommentLinesAndNothingElse(t *testing.T) {
	t.Parallel()
	static := webtest.NewPages(t).Static(http.NotFound)
	comments := regexp.MustCompile(`(?s)/\*.*?\*/`)
	for name, source := range sources(t, "static/css/*.css", "static/js/*.js", "static/js/*/*.js") {
		served, err := io.ReadAll(get(t, static, http.MethodGet, "/"+name).Body)
		if err != nil {
			t.Fatal(err)
		}
		got, want := string(served), ""
		if strings.HasSuffix(name, ".css") {
			got, want = strings.Join(strings.Fields(comments.ReplaceAllString(got, "")), " "), strings.Join(strings.Fields(comments.ReplaceAllString(source, "")), " ")
		} else {
			for line := range strings.Lines(source) {
				if !strings.HasPrefix(strings.TrimSpace(line), "//") {
					want += line
				}
			}
		}
		if got != want || len(served) >= len(source) {
			t.Errorf("%s: %d bytes of %d are served, and not all but the comments", name, len(served), len(source))
		}
	}
}

// An application can open the pages of a login in a pop-up window, whose callback needs its opener.
// Rules: L10.
func TestServe_PagesOfALoginKeepTheirOpener(t *testing.T) {
	t.Parallel()
	pages := webtest.NewPages(t)
	for path, kept := range map[string]bool{
		"/waiting.html": true, "/authorize": true, "/authorize/page": true, "/authorize/": true,
		"/": false, "/waiting.html/": false, "/waiting": false, "/authorized": false, "/dashboard/authorize": false, "/dashboard": false, "/terms": false, "/q/authorize": false,
	} {
		for _, page := range []string{web.PageWaiting, web.PageError} {
			var data any = web.Waiting{}
			if page == web.PageError {
				data = web.Failure{Status: http.StatusBadRequest}
			}
			w := httptest.NewRecorder()
			if err := pages.Serve(w, httptest.NewRequest(http.MethodGet, path, nil), http.StatusBadRequest, page, data); err != nil {
				t.Fatal(err)
			}
			want := "same-origin"
			if kept {
				want = ""
			}
			if got := w.Header().Get("Cross-Origin-Opener-Policy"); got != want || w.Header().Get("Content-Security-Policy") == "" {
				t.Errorf("%s at %s: %q, want %q", page, path, got, want)
			}
		}
	}
}
