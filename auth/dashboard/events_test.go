package dashboard_test

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

func TestEvents_AreFilteredAndPaged(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		s.Logins(10)
		row, older := regexp.MustCompile(`<th scope="row"`), regexp.MustCompile(`rel="next" href="([^"]+)"`)
		path, rows := "/dashboard/events?type=login.started", 0
		for range 5 {
			got := s.Get(path)
			got.Shows(t, `value="login.started" selected`)
			rows += len(row.FindAllString(got.Body, -1))
			next := older.FindStringSubmatch(got.Body)
			if next == nil {
				path = ""
				break
			}
			path = html.UnescapeString(next[1])
		}
		if rows != 55 || path != "" {
			t.Errorf("got %d starts, then %q, want 55 and an end", rows, path)
		}
		one := s.Get("/dashboard/events?login=" + s.LastLogin())
		one.Shows(t, "The sign-in page is opened", "The three words arrived", "The application exchanged the code", "223*****210")
		if strings.Index(one.Body, "The sign-in page is opened") > strings.Index(one.Body, "The application exchanged the code") {
			t.Error("the timeline does not begin with the start")
		}
		for _, page := range []string{"/dashboard/events", "/dashboard/events?login=" + s.LastLogin()} {
			got := s.Get(page).Body
			if logins := regexp.MustCompile(`href="/dashboard/events\?login=([^"]+)"`).FindAllStringSubmatch(got, -1); len(logins) == 0 || len(logins) != strings.Count(got, `scope="rowgroup"`) {
				t.Errorf("%s: %d links to logins, %d groups", page, len(logins), strings.Count(got, `scope="rowgroup"`))
			} else {
				for i := range logins {
					if strings.Count(got, logins[i][0]) != 1 {
						t.Errorf("%s: a login has two groups", page)
					}
				}
			}
		}
		for _, odd := range []string{"?login=%3Cscript%3E", "?type=%3Cscript%3E", "?before=x", "?login=01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"} {
			if got := s.Get("/dashboard/events" + odd); got.Status != 200 || strings.Contains(got.Body, "<script>") {
				t.Errorf("%s: got %d", odd, got.Status)
			}
		}
	})
}

// Strangers can't displace events on the tenant's page, even with many requests.
func TestEvents_StrangersPushNothingOut(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		s.Write(t, func(tx *db.Tx) error {
			for _, typ := range []string{tenant.AppearanceUpdated, tenant.DashboardLoginFailed, tenant.LoginStarted} {
				for i := range 60 {
					if typ == tenant.AppearanceUpdated && i > 0 {
						continue
					}
					s.Clock.Advance(time.Second)
					if err := tenant.Record(tx, &tenant.Event{ID: id.New(s.Clock.Now()), TenantID: s.Tenant.ID, Type: typ, At: s.Clock.Now(), Actor: tenant.ActorTenant}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		s.Clock.Advance(s.Clock.Now().Truncate(time.Minute).Add(time.Minute + 5*time.Second).Sub(s.Clock.Now()))
		for range 3 {
			s.Clock.Advance(10 * time.Second)
			s.Tenants.Count(&tenant.Event{ID: id.New(s.Clock.Now()), TenantID: s.Tenant.ID, Type: tenant.LoginStarted, At: s.Clock.Now(), Actor: tenant.ActorUser, ClientID: "cl_live_x", Mode: tenant.Live})
		}
		if err := s.Tenants.StoreCounts(t.Context()); err != nil { // like another node within a second
			t.Fatal(err)
		}
		page := s.Get("/dashboard/events")
		page.Shows(t, `class="event">`+tenant.AppearanceUpdated)
		for _, typ := range []string{tenant.DashboardLoginFailed, tenant.LoginStarted} {
			if strings.Contains(page.Body, `class="event">`+typ) {
				t.Errorf("%s is on the page", typ)
			}
		}
		all := s.Get("/dashboard/events?type=all")
		all.Shows(t, `value="all" selected`, `class="event">`+tenant.LoginStarted, "× 3", ":15 – "+s.Clock.Now().UTC().Format(time.TimeOnly)+" UTC", "type=all")
		if strings.Contains(all.Body, `class="event">`+tenant.AppearanceUpdated) {
			t.Error("the 50 latest of all events have one that is older")
		}
	})
}

// A group names the client as the tenant does, and links to it.
func TestEvents_NameTheClient(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	c, _, err := s.Tenants.CreateNamedClient(t.Context(), s.Tenant.ID, "Boutique <Kalabash>", tenant.Public, tenant.Live, []string{"https://app.example/callback"})
	if err != nil {
		t.Fatal(err)
	}
	s.Write(t, func(tx *db.Tx) error {
		return tenant.Record(tx, &tenant.Event{ID: id.New(s.Clock.Now()), TenantID: s.Tenant.ID, Type: tenant.LoginVerified, At: s.Clock.Now(), Actor: tenant.ActorUser, ClientID: c.ClientID, LoginID: id.New(s.Clock.Now()), Mode: tenant.Live})
	})
	s.Get("/dashboard/events").Shows(t, `<a href="/dashboard/clients/`+c.ID+`"><bdi>Boutique &lt;Kalabash&gt;</bdi></a>`, `<span class="tag">LIVE</span>`)
}

// The steps of a login name its client, as the list does.
func TestEvents_StepsNameTheClient(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	made := s.Post("/dashboard/clients", "name", "Caisse", "type", "PUBLIC", "mode", "TEST", "redirects", "https://app.example/a")
	clients, err := s.Tenants.ListClients(t.Context(), s.Tenant.ID)
	if err != nil || len(clients) == 0 {
		t.Fatalf("%d, %d clients, %v", made.Status, len(clients), err)
	}
	e := &tenant.Event{ID: id.New(s.Clock.Now()), TenantID: s.Tenant.ID, Type: tenant.LoginVerified, At: s.Clock.Now(), Actor: tenant.ActorUser, ClientID: clients[0].ClientID, LoginID: id.New(s.Clock.Now()), Mode: tenant.Test, Phone: "22376543210"}
	s.Write(t, func(tx *db.Tx) error { return tenant.Record(tx, e) })
	got := s.Get("/dashboard/events?login=" + e.LoginID)
	got.Shows(t, "223*****210 · Caisse")
	got.Hides(t, e.ClientID)
}
