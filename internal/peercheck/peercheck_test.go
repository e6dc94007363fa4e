package peercheck_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/peercheck"
	"example.com/griot/internal/seal"
)

func key(t *testing.T) *seal.Key {
	t.Helper()
	k, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

var notFound = http.NotFoundHandler()

// proxy starts a proxy in front of a server, at its own address, which changes requests with set.
func proxy(t *testing.T, to, from string, set func(in, out *http.Request)) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	s := httptest.NewTLSServer(&httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
		set(r.In, r.Out)
	}})
	t.Cleanup(s.Close)
	return s.URL
}

func host(r *http.Request) string {
	h, _, _ := net.SplitHostPort(r.RemoteAddr)
	return h
}

func appends(in, out *http.Request) {
	out.Header.Set("X-Forwarded-For", strings.Join(append(in.Header.Values("X-Forwarded-For"), host(in)), ", "))
}
func replaces(in, out *http.Request) { out.Header.Set("X-Forwarded-For", host(in)) }
func strips(_, out *http.Request)    { out.Header.Del("X-Forwarded-For") }
func passes(_, _ *http.Request)      {}
func toHTTP(in, out *http.Request) {
	appends(in, out)
	out.Header.Set("X-Forwarded-Proto", "http")
}

// The different ways in which proxies handle their clients' addresses are distinguished, and problems are reported.
func TestLook_NamesWhatAProxyHides(t *testing.T) {
	t.Parallel()
	k := key(t)
	for name, tt := range map[string]struct {
		through func(t *testing.T, server string) string
		trusted string
		want    string
	}{
		"no proxy":                      {func(_ *testing.T, s string) string { return s }, "", ""},
		"no proxy, and we are trusted":  {func(_ *testing.T, s string) string { return s }, "127.0.0.0/8", ""},
		"appends":                       {func(t *testing.T, s string) string { return proxy(t, s, "127.0.0.2", appends) }, "127.0.0.2/32", ""},
		"appends, on our machine":       {func(t *testing.T, s string) string { return proxy(t, s, "127.0.0.1", appends) }, "127.0.0.1/32", ""},
		"replaces":                      {func(t *testing.T, s string) string { return proxy(t, s, "127.0.0.2", replaces) }, "127.0.0.2/32", ""},
		"is not trusted":                {func(t *testing.T, s string) string { return proxy(t, s, "127.0.0.2", appends) }, "", "the proxy at 127.0.0.2 is not trusted"},
		"says nothing":                  {func(t *testing.T, s string) string { return proxy(t, s, "127.0.0.2", strips) }, "127.0.0.2/32", "doesn't send its client's address"},
		"says nothing, and not trusted": {func(t *testing.T, s string) string { return proxy(t, s, "127.0.0.2", passes) }, "", "doesn't send its client's address"},
		"passes on what clients claim":  {func(t *testing.T, s string) string { return proxy(t, s, "127.0.0.2", passes) }, "127.0.0.2/32", "anyone can claim any address"},
		"two": {func(t *testing.T, s string) string {
			return proxy(t, proxy(t, s, "127.0.0.2", appends), "127.0.0.3", appends)
		}, "127.0.0.2/31", ""},
		"two, one is not trusted": {func(t *testing.T, s string) string {
			return proxy(t, proxy(t, s, "127.0.0.2", appends), "127.0.0.3", appends)
		}, "127.0.0.2/32", "one of several proxies, at 127.0.0.3, is not trusted"},
		"reports http": {func(t *testing.T, s string) string { return proxy(t, s, "127.0.0.2", toHTTP) }, "127.0.0.2/32", "reports http"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &peercheck.Server{Service: "auth", Key: k, Now: time.Now}
			if tt.trusted != "" {
				server.Proxies = []netip.Prefix{netip.MustParsePrefix(tt.trusted)}
			}
			s := httptest.NewServer(server.Handler(notFound))
			t.Cleanup(s.Close)
			origin := tt.through(t, s.URL)
			seen, local, err := peercheck.Ask(t.Context(), k, "auth", origin, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if p := seen.Look(local, strings.HasPrefix(origin, "https:")); p != nil {
				got = p.Text
			}
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q; seen %+v, from %v", got, tt.want, seen, local)
			}
		})
	}
}

// Without a nonce of this deployment, for this service and this time, the path doesn't exist.
func TestHandler_AnswersNobodyElse(t *testing.T) {
	t.Parallel()
	k := key(t)
	server := &peercheck.Server{Service: "auth", Key: k, Now: time.Now}
	var credential string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		credential = r.Header.Get("Authorization")
		server.Handler(notFound).ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	for name, ask := range map[string]func() error{
		"another key":     func() error { _, _, err := peercheck.Ask(t.Context(), key(t), "auth", s.URL, time.Now()); return err },
		"another service": func() error { _, _, err := peercheck.Ask(t.Context(), k, "api", s.URL, time.Now()); return err },
		"an old nonce": func() error {
			_, _, err := peercheck.Ask(t.Context(), k, "auth", s.URL, time.Now().Add(-3*time.Minute))
			return err
		},
	} {
		if err := ask(); !errors.Is(err, peercheck.ErrNotHere) {
			t.Errorf("%s: got %v, want %v", name, err, peercheck.ErrNotHere)
		}
	}
	if _, _, err := peercheck.Ask(t.Context(), k, "auth", s.URL, time.Now()); err != nil {
		t.Fatal(err)
	}
	right := credential
	for name, r := range map[string]*http.Request{
		"no credential": request(t, http.MethodGet, peercheck.Path, ""),
		"a changed one": request(t, http.MethodGet, peercheck.Path, right[:len(right)-2]+"AA"),
		"half":          request(t, http.MethodGet, peercheck.Path, right[:20]),
		"very long":     request(t, http.MethodGet, peercheck.Path, right+strings.Repeat("A", 500)),
		"POST":          request(t, http.MethodPost, peercheck.Path, right),
		"another path":  request(t, http.MethodGet, "/", right),
	} {
		w := httptest.NewRecorder()
		server.Handler(notFound).ServeHTTP(w, r)
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", name, w.Code)
		}
	}
	w := httptest.NewRecorder()
	server.Handler(notFound).ServeHTTP(w, request(t, http.MethodGet, peercheck.Path, right))
	if w.Code != http.StatusOK {
		t.Errorf("the right one: %d, want 200", w.Code)
	}
}

func request(t *testing.T, method, path, credential string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	r.Header.Set("Authorization", credential)
	return r
}

// Another program that echoes, or a modified response, is not accepted.
func TestAsk_TakesSignedAnswersOnly(t *testing.T) {
	t.Parallel()
	k := key(t)
	server := &peercheck.Server{Service: "auth", Key: k, Now: time.Now}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		server.Handler(notFound).ServeHTTP(rec, r)
		_, _ = io.WriteString(w, strings.Replace(rec.Body.String(), "127.0.0.1", "127.0.0.9", 1))
	}))
	t.Cleanup(s.Close)
	if _, _, err := peercheck.Ask(t.Context(), k, "auth", s.URL, time.Now()); !errors.Is(err, peercheck.ErrNotHere) {
		t.Errorf("got %v, want %v", err, peercheck.ErrNotHere)
	}
}
