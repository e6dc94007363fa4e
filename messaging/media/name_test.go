package media_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/internal/safedial"
	"example.com/griot/messaging/media"
)

// fetch returns a fetcher's result for a local address.
func fetch(t *testing.T, address string) (*gateway.Media, error) {
	t.Helper()
	c := media.NewClient(safedial.Options{Loopback: true})
	t.Cleanup(c.CloseIdleConnections)
	return media.New(c, func() time.Time { return time.Unix(0, 0) }).Fetch(t.Context(), address)
}

// Rules: M28.
func TestFetch_Names(t *testing.T) {
	t.Parallel()
	const pdf, png, bytes = "%PDF-1.7\n", "\x89PNG\r\n\x1a\n", "\x00\x01\x02\x03"
	long := strings.Repeat("é", 300)
	for _, tt := range []struct{ disposition, path, data, want string }{
		{`attachment; filename="Facture 2041.pdf"`, "/download", pdf, "Facture 2041.pdf"},
		{`attachment; filename="x.pdf"; filename*=UTF-8''Re%C3%A7u%20n%C2%B0%2041.pdf`, "/download", pdf, "Reçu n° 41.pdf"},
		{`inline; filename*=utf-8'fr'%E2%82%AC.png`, "/download", png, "€.png"},
		{`attachment; filename*=x-unknown''%ff; filename=plain.pdf`, "/download", pdf, "plain.pdf"},
		{`attachment; filename=Facture 2041.pdf`, "/download", pdf, "Facture 2041.pdf"},
		{`filename="only.pdf"`, "/download", pdf, "only.pdf"},
		{`attachment; filename="caf` + "\xe9" + `.pdf"`, "/download", pdf, "café.pdf"},
		{`attachment; filename="café.pdf"`, "/download", pdf, "café.pdf"},
		{`attachment; filename="=?UTF-8?B?UmXDp3UucGRm?="`, "/download", pdf, "Reçu.pdf"},
		{`attachment; filename="Facture 2041"`, "/download", pdf, "Facture 2041.pdf"},
		{`attachment; filename="Facture No. 7"`, "/download", pdf, "Facture No. 7.pdf"},
		{`attachment; filename="Tarifs v1.2"`, "/download", pdf, "Tarifs v1.2.pdf"},
		{`attachment; filename="../../etc/passwd"`, "/download", bytes, "passwd"},
		{`attachment; filename="C:\\Users\\awa\\Facture.pdf"`, "/download", pdf, "Facture.pdf"},
		{`attachment; filename*=UTF-8''a%2Fb%5Cc%00%0D%0A%E2%80%AEfdp.exe`, "/download", bytes, "cfdp.exe"},
		{`attachment; filename=".."`, "/files/photo.png", png, "photo.png"},
		{`attachment; filename=""`, "/files/photo.png", png, "photo.png"},
		{`attachment`, "/files/photo.png", png, "photo.png"},
		{`;;;=`, "/files/photo.png", png, "photo.png"},
		{`attachment; filename="` + strings.Repeat("a", 300) + `.pdf"`, "/download", pdf, strings.Repeat("a", 196) + ".pdf"},
		{"", "/f/8f3c2a", pdf, "8f3c2a.pdf"},
		{"", "/f/8f3c2a/", pdf, "8f3c2a.pdf"},
		{"", "/Re%C3%A7u%2041.pdf?t=a/b.png", pdf, "Reçu 41.pdf"},
		{"", "/a%2F..%2Fb%0Ac.png", png, "bc.png"},
		{"", "/facture.php?id=7", pdf, "facture.pdf"},
		{"", "/%ff%fe", png, "file.png"},
		{"", "/", pdf, "file.pdf"},
		{"", "", bytes, "file"},
		{"", "/" + strings.ReplaceAll(long, "é", "%C3%A9"), png, strings.Repeat("é", 100) + ".png"},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if tt.disposition != "" {
				w.Header()["Content-Disposition"] = []string{tt.disposition}
			}
			_, _ = w.Write([]byte(tt.data))
		}))
		m, err := fetch(t, srv.URL+tt.path)
		srv.Close()
		if err != nil || m.FileName != tt.want {
			t.Errorf("%s at %.40s: got %+v (%v), want the name %q", tt.disposition, tt.path, m, err, tt.want)
		}
	}
}

// The name is that of the address after the redirects. At most five are followed.
// Rules: M28.
func TestFetch_Redirects(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hop/{n}", func(w http.ResponseWriter, r *http.Request) {
		for name := range map[string]bool{"Referer": true, "Authorization": true, "Cookie": true} {
			if r.Header.Get(name) != "" {
				t.Errorf("%s: %s is sent on", r.URL, name)
			}
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "secret"})
		if left := r.PathValue("n"); left != "0" {
			http.Redirect(w, r, "/hop/"+string(rune(left[0]-1))+"?token=secret", http.StatusFound)
			return
		}
		http.Redirect(w, r, "/files/photo", http.StatusPermanentRedirect)
	})
	mux.HandleFunc("GET /files/photo", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") != "" {
			t.Error("the address before, which can have a secret, is sent on")
		}
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n"))
	})
	mux.HandleFunc("GET /to", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("address"))
		w.WriteHeader(http.StatusSeeOther)
	})
	mux.HandleFunc("GET /loop", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/loop", http.StatusMovedPermanently)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	for _, path := range []string{"/hop/0?token=secret", "/hop/4?token=secret", "/to?address=" + "%2Ffiles%2Fphoto%23part"} {
		if m, err := fetch(t, srv.URL+path); err != nil || m.FileName != "photo.png" || m.URL != srv.URL+path {
			t.Errorf("%s: got %+v, %v", path, m, err)
		}
	}
	for path, want := range map[string]string{
		"/hop/5": "media_not_found", "/loop": "media_not_found", "/to": "media_not_found",
		"/to?address=http%3A%2F%2Ffiles.example%2F": "media_refused", "/to?address=https%3A%2F%2F10.0.0.1%2F": "media_refused", "/to?address=https%3A%2F%2F169.254.169.254%2Flatest": "media_refused",
		"/to?address=https%3A%2F%2Fa%3Ab%40127.0.0.1%2F": "media_refused", "/to?address=file%3A%2F%2F%2Fetc%2Fpasswd": "media_refused", "/to?address=https%3A%2F%2F2130706433%2F": "media_refused", "/to?address=https%3A%2F%2Fintranet%2F": "media_refused",
	} {
		m, err := fetch(t, srv.URL+path)
		if err == nil || gateway.AsError(err).Code != want || strings.Contains(err.Error(), "10.0.0.1") {
			t.Errorf("%s: got %+v, %v, want %s", path, m, err, want)
		}
	}
}

func FuzzFetch_Names(f *testing.F) {
	for _, s := range []string{`attachment; filename="Facture 2041.pdf"`, `a; filename*=UTF-8''%e2%80%ae`, `filename=..`, `x; filename="=?utf-8?q?=0a?="`, "a; filename=\xff\\\xfe/"} {
		f.Add(s, "/a/b.php")
	}
	f.Fuzz(func(t *testing.T, disposition, path string) {
		name := media.FileName(disposition, path, "application/pdf")
		if name == "" || len(name) > 210 || !utf8.ValidString(name) || strings.ContainsAny(name, `/\`) || strings.ContainsFunc(name, unicode.IsControl) || name[0] == '.' {
			t.Errorf("%q at %q: the name is %q", disposition, path, name)
		}
	})
}
