package httpx_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/internal/httpx"
)

func TestParseOwn(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://Login.Example.com": "https://login.example.com", "https://login.example.com:443": "https://login.example.com", "http://127.0.0.1:8080/": "http://127.0.0.1:8080",
		"http://[::1]:80": "http://[::1]", "http://[::1]:8080": "http://[::1]:8080",
		"https://connexion.café.example": "https://connexion.xn--caf-dma.example", "https://Connexion.CAFE\u0301.example:8443": "https://connexion.xn--caf-dma.example:8443",
		"https://caf%C3%A9.example": "https://xn--caf-dma.example", "https://xn--caf-dma.example": "https://xn--caf-dma.example", "HTTPS://café.example.:443": "https://xn--caf-dma.example",
		"https://login.example.com.": "https://login.example.com", "https://[2001:DB8:0::1]": "https://[2001:db8::1]",
		"https://-é.example": "", "https://☃.example": "", "https://é..example": "", "https://a..example": "", "https://" + strings.Repeat("a", 64) + ".example": "",
		"": "", "login.example.com": "", "ftp://x": "", "https://x/y": "", "https://x?y": "", "https://u@x": "", "https://x#y": "", "https://": "",
	} {
		own, err := httpx.ParseOwn(in)
		if own.URL != want || (err == nil) != (want != "") {
			t.Errorf("ParseOwn(%q) = %q, %v; want %q", in, own.URL, err, want)
		}
	}
}

// Rules: L32.
func TestRedirectPages_LeadsToTheOwnName(t *testing.T) {
	t.Parallel()
	own, err := httpx.ParseOwn("http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	isPage := func(path string) bool { return path == "/page" }
	for _, tc := range []struct{ method, host, path, location string }{
		{"GET", "localhost:8080", "/page?a=b", "http://127.0.0.1:8080/page?a=b"},
		{"GET", "[::1]:8080", "/page", "http://127.0.0.1:8080/page"},
		{"GET", "127.0.0.1:8080", "/page", ""},
		{"GET", "localhost:8081", "/page", ""},
		{"GET", "proxy.example", "/page", ""},
		{"GET", "localhost:8080", "/api", ""},
		{"POST", "localhost:8080", "/page", ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), tc.method, tc.path, nil)
		r.Host = tc.host
		w := httptest.NewRecorder()
		redirected := own.RedirectPage(w, r, isPage, setSecure)
		if got := w.Header().Get("Location"); got != tc.location || redirected != (got != "") {
			t.Errorf("%s %s%s leads to %q (%v), want %q", tc.method, tc.host, tc.path, got, redirected, tc.location)
		}
		if tc.location != "" {
			wantSecure(t, w.Header())
		}
	}
}
