package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

// cacheable are the routes whose successful responses are public. All other responses stay out of caches.
var cacheable = map[string]string{
	"GET /.well-known/jwks.json":                  "public, max-age=300",
	"GET /.well-known/oauth-authorization-server": "public, max-age=300",
	"GET /.well-known/openid-configuration":       "public, max-age=300",
	"GET /openapi.yaml":                           "no-cache",
	"GET /static/css/griot.css":                   "public, max-age=3600",
	"GET /button.js":                              "public, max-age=3600",
	"GET /button.css":                             "public, max-age=3600",
}

// Rules: L39.
func TestCaching_EveryRoute(t *testing.T) {
	t.Parallel()
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.VerifyOnPublic = true })
	site := httptest.NewServer(s.auth.Public())
	defer site.Close()
	ctx := waittest.Context(t)
	b := s.browser()
	loginID := b.start(s.app(tenant.Public, tenant.Test))
	routes := []string{"GET /none", "PUT /token", "GET /static/none", "GET /static/css/griot.css"}
	for _, r := range s.auth.API.Routes() {
		routes = append(routes, r.Method+" "+r.Path)
	}
	for _, cookie := range []string{"", "svc_sid=" + b.cookie} {
		for _, route := range routes {
			method, path, _ := strings.Cut(route, " ")
			r := s.request(method, site.URL+strings.ReplaceAll(path, "{id}", "none")+"?loginKeyId="+loginID, "{}", "Cookie", cookie, "Origin", s.URL)
			res, err := s.http.Do(r.WithContext(ctx)) // not read: one of them is a stream
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			want := cacheable[route]
			if want == "" || res.StatusCode >= http.StatusBadRequest {
				want = "no-store"
			}
			if got := strings.Join(res.Header.Values("Cache-Control"), "; "); got != want {
				t.Errorf("%s with the cookie %.12s: %d with Cache-Control %q, want %q", route, cookie, res.StatusCode, got, want)
			}
		}
	}
}
