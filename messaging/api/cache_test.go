package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

// cacheable lists the routes whose successful responses are public. All other responses must not be cached.
var cacheable = map[string]string{
	"GET /openapi.yaml":          "no-cache",
	"GET /static/{path...}":      "public, max-age=3600",
	"GET /static/css/griot.css":  "public, max-age=3600",
	"HEAD /static/css/griot.css": "public, max-age=3600",
}

// Rules: M164.
func TestCaching_EveryRoute(t *testing.T) {
	t.Parallel()
	p := newPeople(t, dbtest.SQLite(t), accountsSetURL)
	site := httptest.NewServer(p.api.Handler())
	defer site.Close()
	ctx := waittest.Context(t)
	routes := []string{"GET /none", "PUT /api/send", "GET /mcp", "DELETE /mcp", "GET /static/none", "GET /static/css/griot.css", "HEAD /static/css/griot.css"}
	for _, r := range p.api.Routes() {
		routes = append(routes, r.Method+" "+r.Path)
	}
	for _, shown := range []string{"X-Nothing: x", "X-API-Key: " + p.LiveKey, p.signIn(ownerEmail)} {
		for _, route := range routes {
			if route == "DELETE /api/session" {
				continue // it would end the session; its responses are like those of the other methods
			}
			method, path, _ := strings.Cut(route, " ")
			path = strings.NewReplacer("{messageId}", "msg_01KJWBG7G0NGJ7V25V1R3KGN47", "{id}", "none", "{eventId}", "none", "{path...}", "css/griot.css").Replace(path)
			req, err := http.NewRequestWithContext(ctx, method, site.URL+path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range []string{shown, p.origin(), "Content-Type: application/json"} {
				name, value, _ := strings.Cut(h, ": ")
				req.Header.Set(name, value)
			}
			res, err := http.DefaultClient.Do(req) // not read: one of them is a stream
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			want := cacheable[route]
			if want == "" {
				want = "no-store"
			}
			if got := strings.Join(res.Header.Values("Cache-Control"), "; "); got != want {
				t.Errorf("%s with %.12s: %d with Cache-Control %q, want %q", route, shown, res.StatusCode, got, want)
			}
		}
	}
}
