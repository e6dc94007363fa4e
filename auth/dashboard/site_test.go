package dashboard_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"griot/auth/api"
	"griot/auth/authtest"
	"griot/auth/login"
	"griot/auth/tenant"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/openapi"
	"griot/web"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

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

// page is an answer that was read.
type page struct {
	status         int
	location, body string
	header         http.Header
}

// send requests a page with the session's cookie, as a browser that speaks English. A form is posted from the service's own origin.
func (s *site) send(method, path string, form url.Values, header ...string) page {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Accept-Language", "en")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", s.url)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Del(header[i]); header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	for name, value := range map[string]string{"svc_dashboard": s.cookie, "svc_dashboard_flash": s.flash} {
		if value != "" {
			r.AddCookie(&http.Cookie{Name: name, Value: value})
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range resp.Cookies() {
		switch c.Name {
		case "svc_dashboard":
			s.cookie = c.Value
		case "svc_dashboard_flash":
			s.flash = c.Value
		}
	}
	return page{resp.StatusCode, resp.Header.Get("Location"), string(body), resp.Header}
}

func (s *site) get(path string) page { s.t.Helper(); return s.send(http.MethodGet, path, nil) }

func (s *site) post(path string, pairs ...string) page {
	s.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return s.send(http.MethodPost, path, form)
}

func (s *site) signIn() {
	s.t.Helper()
	if got := s.post("/dashboard/sign-in", "tenantId", s.Tenant.ID, "key", s.key); got.status != http.StatusSeeOther || s.cookie == "" {
		s.t.Fatalf("sign-in: %d %s", got.status, got.body)
	}
}

// shows holds that an answer is a page with these texts.
func (p page) shows(t testing.TB, texts ...string) {
	t.Helper()
	if p.status != http.StatusOK {
		t.Fatalf("got %d %s, want a page", p.status, p.body)
	}
	for _, want := range texts {
		if !strings.Contains(p.body, want) {
			t.Errorf("the page does not show %q:\n%s", want, p.body)
		}
	}
	if got := p.header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q, want no-store", got)
	}
}

// leads holds that an answer is a 303 to a path.
func (p page) leads(t testing.TB, path string) {
	t.Helper()
	if p.status != http.StatusSeeOther || p.location != path {
		t.Fatalf("got %d to %q %s, want 303 to %q", p.status, p.location, p.body, path)
	}
}
