package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/httpx/accesstest"
)

// TestAccess compares the access to each public route of the login service and of its dashboard with
// testdata/access.txt. A commit that changes a line of the file must describe the change. `go test -run '^TestAccess$'
// ./auth/dashboard -record` writes it again.
func TestAccess(t *testing.T) {
	s := authtest.NewSite(t, dbtest.SQLite(t))
	client := s.NewClient(t, tenant.Confidential, tenant.Test)
	begun := s.Get("/authorize?" + url.Values{"client_id": {client.ClientID}, "redirect_uri": {authtest.Redirect}, "state": {"0123456789abcdef"}}.Encode())
	if begun.Status != http.StatusSeeOther || len(begun.Cookies) == 0 {
		t.Fatalf("a login starts with %d: %s", begun.Status, begun.Body)
	}
	s.SignIn()
	own := s.Cookie
	other := s.NewTenant(t, "Other")
	s.Post("/dashboard/sign-in", "tenantId", other.ID, "key", s.Invite(other.ID))
	foreign := s.Cookie
	s.Exec(t, `CREATE TABLE saved_sessions AS SELECT * FROM dashboard_sessions`)
	dashboard := func(token string) []*http.Cookie { return []*http.Cookie{{Name: "svc_dashboard", Value: token}} }
	m := accesstest.Matrix{
		URL: s.URL, Routes: append(s.Auth.API.Routes(), s.Auth.Dashboard.Routes()...), Code: "error_code",
		Objects: map[string]string{"/dashboard/clients": client.ID},
		Form:    func(path string) bool { return strings.HasPrefix(path, "/dashboard") || path == "/authorize/page" },
		Skip: func(r httpx.Route) bool {
			return strings.HasPrefix(r.Path, "/static/") || strings.HasPrefix(r.Path, "/docs")
		},
		After: func() { // signing out is also a route
			s.Exec(t, `INSERT INTO dashboard_sessions SELECT * FROM saved_sessions WHERE 1 = 1 ON CONFLICT DO NOTHING`)
		},
		Callers: []accesstest.Caller{
			{Name: "nobody"},
			{Name: "nobody with an own origin", Origin: s.URL},
			{Name: "login session", Cookies: begun.Cookies, Origin: s.URL},
			{Name: "login session from a foreign origin", Cookies: begun.Cookies, Origin: "https://elsewhere.example"},
			{Name: "tenant", Cookies: dashboard(own), Origin: s.URL},
			{Name: "tenant from a foreign origin", Cookies: dashboard(own), Origin: "https://elsewhere.example"},
			{Name: "tenant without an origin", Cookies: dashboard(own)},
			{Name: "another tenant", Cookies: dashboard(foreign), Origin: s.URL},
		},
	}
	m.Compare(t)
}

// Another host of the domain can set a cookie with the same name. If one value is valid, it is used, and if two
// are, none is.
// Rules: L149.
func TestVisit_CookiesOfOneName(t *testing.T) {
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	own := s.Cookie
	other := s.NewTenant(t, "Other")
	s.Post("/dashboard/sign-in", "tenantId", other.ID, "key", s.Invite(other.ID))
	foreign := s.Cookie
	s.Cookie = own
	if got := s.Send(http.MethodGet, "/dashboard", nil, "Cookie", "svc_dashboard="+strings.Repeat("x", httpx.TokenLength)); got.Status != http.StatusOK {
		t.Errorf("behind an unknown one: %d, leads to %s", got.Status, got.Location)
	}
	if got := s.Send(http.MethodGet, "/dashboard", nil, "Cookie", "svc_dashboard="+foreign); got.Status != http.StatusSeeOther || !strings.HasPrefix(got.Location, "/dashboard/sign-in") {
		t.Errorf("behind another tenant's: %d, leads to %q", got.Status, got.Location)
	}
}
