package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/authtest"
	"example.com/griot/auth/dashboard"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
	"example.com/griot/web/webtest"
)

func TestSignIn_OpensTheDashboardAndSignOutClosesIt(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.Get("/dashboard/clients?x=1").Leads(t, "/dashboard/sign-in?next=%2Fdashboard%2Fclients%3Fx%3D1")
		s.Get("/dashboard/sign-in?next=%2Fdashboard%2Fclients%3Fx%3D1").Shows(t, `value="/dashboard/clients?x=1"`, `autocomplete="current-password"`)
		s.Post("/dashboard/sign-in", "tenantId", " "+s.Tenant.ID+" ", "key", s.InvitationKey, "next", "/dashboard/clients?x=1").Leads(t, "/dashboard/clients?x=1")
		s.Get("/dashboard/clients").Shows(t, "Bamako Bank", "No clients yet")
		s.Get("/dashboard/sign-in?next=/dashboard/clients").Leads(t, "/dashboard/clients")
		ended := s.Cookie
		s.Post("/dashboard/sign-out").Leads(t, "/dashboard/sign-in")
		if s.Cookie != "" {
			t.Error("the cookie is still there after signing out")
		}
		s.Cookie = ended
		if got := s.Get("/dashboard/clients"); got.Status != http.StatusSeeOther {
			t.Errorf("a session that was signed out shows %d", got.Status)
		}
		if n := s.Count(t, "SELECT count(*) FROM audit_events WHERE type IN ('dashboard.login', 'dashboard.logout')"); n != 2 {
			t.Errorf("got %d audit events, want 2", n)
		}
	})
}

// The page leads those who have an account to theirs.
func TestSignIn_SaysWhoSignsInWhere(t *testing.T) {
	t.Parallel()
	const accounts = "https://api.example/dashboard"
	s := authtest.NewSite(t, dbtest.SQLite(t), func(o *auth.Options) { o.Accounts = accounts })
	link := `<a href="` + accounts + `">Open the account dashboard</a>`
	s.Get("/dashboard/sign-in").Shows(t, link)
	if wrong := s.Post("/dashboard/sign-in", "tenantId", "x", "key", "x"); !strings.Contains(wrong.Body, link) {
		t.Error("after a wrong key, the link is gone")
	}
	if alone := authtest.NewSite(t, dbtest.SQLite(t)).Get("/dashboard/sign-in"); strings.Contains(alone.Body, "account dashboard") {
		t.Error("a link to an unknown dashboard")
	}
}

// A browser that sends a single-use key twice gets the session of the first request, for 30 seconds and while it is
// open.
// Rules: L146.
func TestSignIn_ADoubleClickWithASingleUseKey(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		give := func(key string) string {
			t.Helper()
			s.Cookie = "" // the browser has no response yet
			if got := s.Post("/dashboard/sign-in", "tenantId", s.Tenant.ID, "key", key); got.Status != http.StatusSeeOther {
				if got.Status != http.StatusUnauthorized || s.Cookie != "" {
					t.Errorf("got %d with the cookie %q", got.Status, s.Cookie)
				}
				return ""
			}
			return s.Cookie
		}
		newKey := func() string {
			t.Helper()
			key, err := s.Tenants.CreateSingleUseInvitation(t.Context(), s.Tenant.ID, tenant.InvitationTime)
			if err != nil {
				t.Fatal(err)
			}
			return key
		}
		key := newKey()
		if first, again := give(key), give(key); first == "" || again != "" {
			t.Errorf("without a cookie of the form's page: %q and %q, want one session", first, again)
		}
		s.Cookie = ""
		s.Get("/dashboard/sign-in")
		if len(s.Browser) != httpx.TokenLength {
			t.Fatalf("the page sets the cookie %q", s.Browser)
		}
		key = newKey()
		tokens := make([]string, 3)
		var group sync.WaitGroup
		for i := range tokens { // on separate nodes, if there are several
			group.Go(func() {
				got := webtest.Send(t, s.URL, http.MethodPost, "/dashboard/sign-in", webtest.Form("tenantId", s.Tenant.ID, "key", key), map[string]string{"svc_dashboard_browser": s.Browser})
				for _, c := range got.Cookies {
					if c.Name == "svc_dashboard" {
						tokens[i] = c.Value
					}
				}
			})
		}
		group.Wait()
		if tokens[0] == "" || tokens[1] != tokens[0] || tokens[2] != tokens[0] {
			t.Errorf("at once: %q, want one session", tokens)
		}
		s.Clock.Advance(forms.RepeatTime - time.Millisecond)
		if again := give(key); again != tokens[0] {
			t.Errorf("%q, want the session again", again)
		}
		s.Get("/dashboard/clients").Shows(t, "Bamako Bank")
		browser := s.Browser
		s.Browser = strings.Repeat("b", httpx.TokenLength)
		if got := give(key); got != "" {
			t.Error("another browser has the session")
		}
		s.Browser = browser
		if got := give(key[:len(key)-1]); got != "" {
			t.Error("a wrong key has the session")
		}
		s.Clock.Advance(time.Millisecond)
		if got := give(key); got != "" {
			t.Error("after 30 seconds the key opens the session")
		}
		if n := s.Count(t, "SELECT count(*) FROM audit_events WHERE type = 'dashboard.login'"); n != 2 {
			t.Errorf("%d events of two keys, want 2", n)
		}

		key = newKey()
		give(key)
		s.Post("/dashboard/sign-out").Leads(t, "/dashboard/sign-in")
		if got := give(key); got != "" {
			t.Error("the key opens the session again that was signed out")
		}
		key = newKey()
		give(key)
		all, err := s.Tenants.ListInvitations(t.Context(), s.Tenant.ID)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			if _, err := s.Tenants.RevokeInvitation(t.Context(), s.Tenant.ID, all[i].ID); err != nil {
				t.Fatal(err)
			}
		}
		if got := give(key); got != "" {
			t.Error("a revoked key opens the session again")
		}
	})
}

func TestSignIn_AnswersAbsentAndWrongAlike(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	other := s.NewTenant(t, "Another")
	var bodies []string
	for _, given := range [][2]string{
		{s.Tenant.ID, "inv_" + strings.Repeat("a", 43)},
		{other.ID, s.InvitationKey},
		{id.New(s.Clock.Now()), s.InvitationKey},
		{"not an id", s.InvitationKey},
		{s.Tenant.ID, ""},
		{"", ""},
		{s.Tenant.ID, "short"},
	} {
		got := s.Post("/dashboard/sign-in", "tenantId", given[0], "key", given[1])
		if got.Status != http.StatusUnauthorized || s.Cookie != "" {
			t.Fatalf("%v: got %d with cookie %q, want 401 without one", given, got.Status, s.Cookie)
		}
		if given[1] != "" && strings.Contains(got.Body, given[1]) {
			t.Errorf("%v: the page repeats the key", given)
		}
		bodies = append(bodies, strings.Replace(got.Body, `value="`+given[0]+`"`, `value=""`, 1))
	}
	for i, body := range bodies {
		if body != bodies[0] {
			t.Errorf("answer %d differs:\n%s\n---\n%s", i, body, bodies[0])
		}
	}
}

func TestSignIn_IsLimitedWithManageLogin(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t), withLimits)
	for range 5 {
		s.Post("/dashboard/sign-in", "tenantId", s.Tenant.ID, "key", "wrong")
	}
	if got := s.Post("/dashboard/sign-in", "tenantId", s.Tenant.ID, "key", s.InvitationKey); got.Status != http.StatusTooManyRequests || got.Header.Get("Retry-After") == "" {
		t.Errorf("got %d, want 429 with Retry-After", got.Status)
	}
	got := s.Send(http.MethodPost, "/manage/login", nil)
	if got.Status != http.StatusTooManyRequests {
		t.Errorf("/manage/login: got %d, want 429: the two are counted together", got.Status)
	}
}

func TestSignIn_LeadsToOwnPathsOnly(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	for _, next := range []string{"https://evil.example/", "//evil.example/dashboard", "/authorize", `/dashboard\..\x`, "/dashboard/../x"} {
		s.Cookie = ""
		s.Post("/dashboard/sign-in", "tenantId", s.Tenant.ID, "key", s.InvitationKey, "next", next).Leads(t, dashboard.Home)
		s.Get("/dashboard/sign-in?next="+url.QueryEscape(next)).Leads(t, dashboard.Home)
	}
}

// formPaths returns the paths of the forms that change something, with the id of a client.
func formPaths(s *authtest.Site, a *tenant.Client) []string {
	var paths []string
	for _, r := range s.Auth.Dashboard.Routes() {
		if r.Method != http.MethodGet {
			paths = append(paths, strings.NewReplacer("{id}", a.ID).Replace(r.Path))
		}
	}
	return paths
}

func TestForms_RefuseForeignOriginsAndMissingSessions(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	c := s.NewClient(t, tenant.Confidential, tenant.Test)
	s.SignIn()
	paths := formPaths(s, c.Client)
	if len(paths) < 6 {
		t.Fatalf("only %d forms: %v", len(paths), paths)
	}
	before := s.Count(t, "SELECT count(*) FROM audit_events")
	for _, path := range paths {
		for _, header := range [][]string{
			{"Origin", ""},
			{"Origin", "https://evil.example"},
			{"Origin", "null"},
			{"Sec-Fetch-Site", "cross-site"},
		} {
			got := s.Send(http.MethodPost, path, url.Values{"tenantId": {s.Tenant.ID}, "key": {s.InvitationKey}, "active": {"false"}}, header...)
			if got.Status != http.StatusForbidden || !strings.Contains(got.Body, "origin_mismatch") {
				t.Errorf("%s with %v: got %d, want 403 origin_mismatch", path, header, got.Status)
			}
		}
		if path == "/dashboard/sign-in" {
			continue
		}
		for _, cookie := range []string{"", strings.Repeat("a", 43), "short"} {
			kept := s.Cookie
			s.Cookie = cookie
			s.Post(path, "active", "false").Leads(t, "/dashboard/sign-in")
			s.Cookie = kept
		}
	}
	if after := s.Count(t, "SELECT count(*) FROM audit_events"); after != before {
		t.Errorf("refused forms wrote %d audit events", after-before)
	}
}

func TestPages_AreForTheirTenant(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	foreign := s.NewClientOf(t, s.NewTenant(t, "Another"), tenant.Confidential, tenant.Test)
	s.SignIn()
	absent := id.New(s.Clock.Now())
	for _, r := range s.Auth.Dashboard.Routes() {
		if !strings.Contains(r.Path, "{id}") || r.Path == "/dashboard/people/{id}/erase" { // its page shows for every id that no data is left
			continue
		}
		for _, clientID := range []string{foreign.ID, absent, "x"} {
			path := strings.ReplaceAll(r.Path, "{id}", clientID)
			got := s.Send(r.Method, path, url.Values{"active": {"false"}, "redirects": {"https://app.example/"}})
			if got.Status != http.StatusNotFound || !strings.Contains(got.Body, "not_found") {
				t.Errorf("%s %s: got %d, want 404", r.Method, path, got.Status)
			}
		}
	}
	if n := s.Count(t, "SELECT active FROM oauth_clients WHERE id = $1", foreign.ID); n != 1 {
		t.Error("another tenant's client was switched off")
	}
}

// A person who uses the dashboard directly was not sent there by an application.
func TestErrors_AdviseWhoIsAtTheDashboard(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	for _, path := range []string{"/dashboard/nothing", "/dashboard/people/x", "/dashboard/clients/x", "/dashboard/webhook/events/x"} {
		got := s.Get(path)
		if got.Status != http.StatusNotFound || !strings.Contains(got.Body, `href="/dashboard">Back to the dashboard`) || strings.Contains(got.Body, "the application") {
			t.Errorf("%s: got %d, want 404 with a link to the dashboard:\n%s", path, got.Status, got.Body)
		}
	}
	if got := s.Post("/dashboard/webhook/ping"); !strings.Contains(got.Body, "your service operator") || strings.Contains(got.Body, "the application") {
		t.Errorf("a form that is refused advises:\n%s", got.Body)
	}
	if got := s.Get("/nothing"); got.Status != http.StatusNotFound || !strings.Contains(got.Body, "the application") || strings.Contains(got.Body, "Back to the dashboard") {
		t.Errorf("elsewhere: got %d:\n%s", got.Status, got.Body)
	}
}
