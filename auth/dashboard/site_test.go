package dashboard_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"example.com/griot/internal/limit"

	"example.com/griot/auth/api"
	"example.com/griot/auth/authtest"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/openapi"
	"example.com/griot/web"
	"example.com/griot/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m, dbtest.Stop) }

// site is the login service behind a real listener, with its dashboard.
type site struct {
	*authtest.World
	t      testing.TB
	api    *api.API
	url    string
	key    string // opens the tenant's dashboard
	cookie string // of the session
	flash  string
}

func newSite(t testing.TB, d *db.DB, change ...func(*api.Options)) *site {
	t.Helper()
	pages, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	s := &site{World: authtest.New(t, d), t: t, url: server.URL}
	o := api.Options{
		DB: d, Key: s.Key, Now: s.Clock.Now, Log: slog.New(slog.DiscardHandler), Pages: pages, URL: s.url, OpenAPI: openapi.Auth(),
		Receivers: []login.Receiver{{PhoneID: "phone-1", Number: "22370000001", Gateway: "wa", Secret: "a secret"}},
		StateMax:  256,
	}
	for _, c := range change {
		c(&o)
	}
	if s.api, err = api.New(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	handler = s.api.Public()
	s.key = s.invite(s.Tenant.ID)
	return s
}

func (s *site) invite(tenantID string) string {
	s.t.Helper()
	key, err := s.Tenants.CreateInvitation(context.Background(), tenantID, tenant.InvitationTime)
	if err != nil {
		s.t.Fatal(err)
	}
	return key
}

// send requests a page with the session's cookies.
func (s *site) send(method, path string, form url.Values, headers ...string) webtest.Page {
	s.t.Helper()
	got := webtest.Send(s.t, s.url, method, path, form, map[string]string{"svc_dashboard": s.cookie, "svc_dashboard_flash": s.flash}, headers...)
	for _, c := range got.Cookies {
		switch c.Name {
		case "svc_dashboard":
			s.cookie = c.Value
		case "svc_dashboard_flash":
			s.flash = c.Value
		}
	}
	return got
}

func (s *site) get(path string) webtest.Page { s.t.Helper(); return s.send(http.MethodGet, path, nil) }

func (s *site) post(path string, pairs ...string) webtest.Page {
	s.t.Helper()
	return s.send(http.MethodPost, path, webtest.Form(pairs...))
}

func (s *site) signIn() {
	s.t.Helper()
	if got := s.post("/dashboard/sign-in", "tenantId", s.Tenant.ID, "key", s.key); got.Status != http.StatusSeeOther || s.cookie == "" {
		s.t.Fatalf("sign-in: %d %s", got.Status, got.Body)
	}
}

// withLimits turns the rate limits on.
func withLimits(o *api.Options) { o.Limits = new(limit.Defaults()) }
