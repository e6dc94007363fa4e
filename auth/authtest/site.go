package authtest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/login"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/task"
	"example.com/griot/web/webtest"
)

// Hostile is a name that tries to be markup.
const Hostile = `</title><script>alert(1)</script><img src=x onerror=alert(1)>`

// SecretForm matches a client secret.
var SecretForm = regexp.MustCompile(`cs_[A-Za-z0-9_-]{49}`)

// Site is the login service behind a real listener, with its dashboard.
type Site struct {
	*World
	T             testing.TB
	Auth          *auth.Service
	InvitationKey string // opens the tenant's dashboard
	Cookie        string // of the session
	Browser       string // the cookie of the browser
	flash         string
}

// NewSite opens the service on a database, with options changed, and a tenant.
func NewSite(t testing.TB, d *db.DB, change ...func(*auth.Options)) *Site {
	t.Helper()
	w := New(t, d)
	s := &Site{World: w, T: t, Auth: w.NewService(t, change...)}
	s.Serve(s.Auth.Public())
	s.InvitationKey = s.Invite(s.Tenant.ID)
	return s
}

// Run runs the tasks of a server until ctx ends.
func (s *Site) Run(ctx context.Context) error { return task.All(ctx, s.Auth.ServerTasks()...) }

// Lived gives the tenant data for each page, with names that contain markup. It returns the pages' addresses.
func (s *Site) Lived() map[string]string {
	s.T.Helper()
	var at string
	for _, c := range []struct {
		name string
		typ  tenant.Type
		mode tenant.Mode
	}{{"Boutique Kalabash", tenant.Confidential, tenant.Test}, {Hostile[:tenant.MaxName], tenant.Public, tenant.Live}, {"", tenant.Public, tenant.Test}} {
		made, _, err := s.Tenants.CreateNamedClient(context.Background(), s.Tenant.ID, c.name, c.typ, c.mode, []string{"https://app.example/callback/of/a/shop?with=a-long-address", "https://b.example/", "https://c.example/"})
		if err != nil {
			s.T.Fatal(err)
		}
		if at == "" {
			at = "/dashboard/clients/" + made.ID
		}
	}
	for i, domain := range []string{"people.example.com", "xn--bcher-kva.example", "a-department.with-a-long-name.of-an-organization-with-a-long-name.example.com"} {
		if _, _, err := s.Tenants.AddDomain(context.Background(), s.Tenant.ID, domain); err != nil {
			s.T.Fatal(err)
		}
		if i < 2 {
			s.Exec(s.T, `UPDATE tenant_domains SET `+[]string{"verified_at", "lost_at"}[i]+` = created_at WHERE domain = $1`, domain)
		}
	}
	s.Logins(30)
	s.SetEndpoint("https://app.example/a/long/path/to/the/endpoint/of/a/shop")
	c := s.NewClient(s.T, tenant.Public, tenant.Live)
	person := s.Proved(c, "22376543210", Hostile)
	for i := range 5 {
		s.Proved(c, phone.Number(fmt.Sprintf("2237654321%d", i+1)), []string{"Awa Traoré", "", "Seydou", "مريم", "A name that is as long as names may be, and says so"}[i])
	}
	event, err := s.NewEndpoints().Ping(context.Background(), s.Tenant.ID)
	if err != nil {
		s.T.Fatal(err)
	}
	for i, answer := range []string{"", "Come back later " + Hostile} {
		s.Exec(s.T, "INSERT INTO tenant_hook_attempts (tenant_id, event_id, version, at, status, latency, answer, error) VALUES ($1, $2, $3, $4, $5, 31, $6, $7)",
			s.Tenant.ID, event, i, s.Clock.Now().UnixMilli(), []any{nil, 503}[i], answer, []string{"timeout", "status"}[i])
	}
	return map[string]string{
		"people": "/dashboard/people", "person": "/dashboard/people/" + person, "webhook": "/dashboard/webhook", "webhook-event": "/dashboard/webhook/events/" + event, "appearance": "/dashboard/appearance", "domains": "/dashboard/domains",
		"home": "/dashboard", "home-empty": "/dashboard?mode=TEST", "events": "/dashboard/events", "login": "/dashboard/events?login=" + s.LastLogin(), "no-events": "/dashboard/events?type=code.replayed", "clients": "/dashboard/clients", "client-new": "/dashboard/clients/new", "client": at,
	}
}

// LastLogin returns the id of a completed login.
func (s *Site) LastLogin() string {
	s.T.Helper()
	found, _, err := s.Tenants.SearchEvents(context.Background(), s.Tenant.ID, tenant.EventFilter{Type: tenant.TokenIssued, Limit: 1})
	if err != nil || len(found) != 1 {
		s.T.Fatalf("%d logins, %v", len(found), err)
	}
	return found[0].LoginID
}

// Logins stores the events of LIVE logins of the last days. Each day has as many logins as it is days ago, and every
// second one is completed.
func (s *Site) Logins(days int) {
	s.T.Helper()
	s.Write(s.T, func(tx *db.Tx) error {
		for ago := range days {
			for i := range ago + 1 {
				began := s.Clock.Now().Add(-time.Duration(ago)*24*time.Hour - time.Duration(i)*time.Minute)
				loginID := id.New(began)
				steps := []string{tenant.LoginStarted, tenant.LoginActivated, tenant.LoginVerified, tenant.TokenIssued}
				if i%2 == 1 {
					steps = steps[:1+i%3]
				}
				for n, typ := range steps {
					at := began.Add(time.Duration(n*7) * time.Second)
					e := &tenant.Event{ID: id.New(at), TenantID: s.Tenant.ID, Type: typ, At: at, Actor: tenant.ActorUser, ClientID: "cl_live_x", LoginID: loginID, Mode: tenant.Live}
					if n >= 2 {
						e.Phone = "22376543210"
					}
					if err := tenant.Record(tx, e); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

// Proved creates a login of a client that a number has proved, and returns the person's id.
func (s *Site) Proved(c Client, number phone.Number, name string) string {
	s.T.Helper()
	ctx, logins := context.Background(), s.NewLogins()
	found, err := s.Tenants.Client(ctx, c.ClientID)
	if err != nil || found == nil {
		s.T.Fatal(found, err)
	}
	sessionID, token, err := logins.Start(ctx, login.Request{Client: found, RedirectURI: c.RedirectURIs[0], State: "0123456789abcdef", Lang: i18n.EN})
	if err != nil {
		s.T.Fatal(err)
	}
	session, err := logins.Owned(ctx, sessionID, []string{token})
	if err != nil {
		s.T.Fatal(err)
	}
	if _, err := logins.Prove(ctx, login.Proof{SessionID: sessionID, Phone: number, DisplayName: name, MessageID: sessionID, Receiver: session.Receiver, Words: session.Words, Provider: login.WhatsApp}); err != nil {
		s.T.Fatal(err)
	}
	people, err := logins.FindPeople(ctx, c.TenantID, number)
	if err != nil || len(people) == 0 {
		s.T.Fatalf("%v, %v", people, err)
	}
	return people[0].ID
}

// Invite creates an invitation of a tenant, and returns its key.
func (s *Site) Invite(tenantID string) string {
	s.T.Helper()
	key, err := s.Tenants.CreateInvitation(context.Background(), tenantID, tenant.InvitationTime)
	if err != nil {
		s.T.Fatal(err)
	}
	return key
}

// Send requests a page with the session's cookies.
func (s *Site) Send(method, path string, form url.Values, headers ...string) webtest.Page {
	s.T.Helper()
	got := webtest.Send(s.T, s.URL, method, path, form, map[string]string{"svc_dashboard": s.Cookie, "svc_dashboard_browser": s.Browser, "svc_dashboard_flash": s.flash}, headers...)
	for _, c := range got.Cookies {
		switch c.Name {
		case "svc_dashboard":
			s.Cookie = c.Value
		case "svc_dashboard_browser":
			s.Browser = c.Value
		case "svc_dashboard_flash":
			s.flash = c.Value
		}
	}
	return got
}

// Get requests a page.
func (s *Site) Get(path string) webtest.Page { s.T.Helper(); return s.Send(http.MethodGet, path, nil) }

// Post sends a form with pairs of names and values.
func (s *Site) Post(path string, pairs ...string) webtest.Page {
	s.T.Helper()
	return s.Send(http.MethodPost, path, webtest.Form(pairs...))
}

// SignIn opens a session with the invitation key.
func (s *Site) SignIn() {
	s.T.Helper()
	if got := s.Post("/dashboard/sign-in", "tenantId", s.Tenant.ID, "key", s.InvitationKey); got.Status != http.StatusSeeOther || s.Cookie == "" {
		s.T.Fatalf("sign-in: %d %s", got.Status, got.Body)
	}
}

// SetEndpoint sets the URL of the tenant's webhook.
func (s *Site) SetEndpoint(url string) {
	s.T.Helper()
	if _, err := s.NewEndpoints().Set(context.Background(), s.Tenant.ID, url); err != nil {
		s.T.Fatal(err)
	}
}
