package dashboard_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/forms"
	"example.com/griot/web/webtest"
)

func TestClients_AreCreatedChangedRotatedAndSwitched(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		s.Get("/dashboard/clients/new").Shows(t, "New client")
		created := s.Post("/dashboard/clients", "name", "Boutique", "type", "CONFIDENTIAL", "mode", "TEST", "redirects", "https://app.example/a\r\nhttps://app.example/b\r\n")
		if created.Status != http.StatusSeeOther || !strings.HasPrefix(created.Location, "/dashboard/clients/") {
			t.Fatalf("create: %d %s", created.Status, created.Body)
		}
		first := s.Get(created.Location)
		first.Shows(t, "Boutique", "cl_test_", "https://app.example/a\nhttps://app.example/b", "The client is ready.", "CLIENT_SECRET")
		secret := authtest.SecretForm.FindString(first.Body)
		list, err := s.Tenants.ListClients(context.Background(), s.Tenant.ID)
		if err != nil || len(list) != 1 || !list[0].HasSecret(secret) || list[0].Name != "Boutique" {
			t.Fatalf("stored %+v, %v; the shown secret %q", list, err, secret)
		}
		if again := s.Get(created.Location); strings.Contains(again.Body, secret) || strings.Contains(again.Body, "The client is ready.") {
			t.Error("the secret or the note is shown twice")
		}
		s.Post(created.Location, "name", "Boutique 2", "redirects", "https://app.example/c").Leads(t, created.Location)
		s.Get(created.Location).Shows(t, "Boutique 2", "https://app.example/c", "Saved.")
		s.Post(created.Location+"/rotate").Leads(t, created.Location)
		rotated := authtest.SecretForm.FindString(s.Get(created.Location).Body)
		s.Post(created.Location+"/switch", "active", "false").Leads(t, created.Location)
		s.Get(created.Location).Shows(t, "Enable the client", "The client is disabled.")
		got, err := s.Tenants.OwnedClient(context.Background(), s.Tenant.ID, list[0].ID)
		if err != nil || got.Active || got.Name != "Boutique 2" || !got.HasSecret(rotated) || got.HasSecret(secret) || got.RedirectURIs[0] != "https://app.example/c" {
			t.Errorf("got %+v, %v", got, err)
		}
		s.Post(created.Location+"/switch", "active", "true").Leads(t, created.Location)
		s.Get("/dashboard/clients").Shows(t, "Boutique 2", "https://app.example/c", ">Enabled<")
		if n := s.Count(t, "SELECT count(*) FROM audit_events WHERE actor = 'tenant' AND type LIKE 'client.%' AND client_id = $1", got.ClientID); n != 5 {
			t.Errorf("got %d audit events, want 5", n)
		}
	})
}

// A session that sends the form twice creates one client, and sees its secret each time, for 30 seconds.
// What copying adds around an address isn't registered. An invisible character within one is refused.
// Rules: L159.
func TestClients_PastedAddresses(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		registered := func() string {
			t.Helper()
			all, err := s.Tenants.ListClients(t.Context(), s.Tenant.ID)
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			return fmt.Sprintf("%q %q", all[0].RedirectURIs, all[0].Connect.PostLogoutRedirectURIs)
		}
		at := s.Post("/dashboard/clients", "name", "A", "type", "CONFIDENTIAL", "mode", "LIVE", "redirects", "\ufeffhttps://app.example/a\u200b\r\n\u00a0https://app.example/b\u2060").Location
		if got := registered(); got != `["https://app.example/a" "https://app.example/b"] []` {
			t.Errorf("registered %s", got)
		}
		s.Post(at, "name", "A", "redirects", "https://app.example/c\u200b").Leads(t, at)
		s.Post(at+"/connect", "after", "\u200bhttps://app.example/bye\u00ad").Leads(t, at)
		if got := registered(); got != `["https://app.example/c"] ["https://app.example/bye"]` {
			t.Errorf("changed to %s", got)
		}
		if got := s.Post(at, "name", "A", "redirects", "https://app\u200b.example/d"); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "invisible characters") {
			t.Errorf("an invisible character within an address: %d", got.Status)
		}
		if got := registered(); strings.Contains(got, "/d") {
			t.Errorf("registered %s", got)
		}
	})
}

// Rules: L157.
func TestClients_ADoubleClickMakesOne(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := authtest.NewSite(t, d)
		s.SignIn()
		newForm := func() string {
			t.Helper()
			found := regexp.MustCompile(`name="id" value="([0-9A-Z]{26})"`).FindStringSubmatch(s.Get("/dashboard/clients/new").Body)
			if found == nil {
				t.Fatal("no id in the form")
			}
			return found[1]
		}
		send := func(id, name, typ string) string {
			t.Helper()
			s.Post("/dashboard/clients", "id", id, "name", name, "type", typ, "mode", "TEST", "redirects", "https://app.example/a").Leads(t, "/dashboard/clients/"+id)
			return authtest.SecretForm.FindString(s.Get("/dashboard/clients/" + id).Body)
		}
		id := newForm()
		pages := make([]webtest.Page, 3)
		var group sync.WaitGroup
		for i := range pages {
			group.Go(func() {
				pages[i] = webtest.Send(t, s.URL, "POST", "/dashboard/clients", webtest.Form("id", id, "name", "A", "type", "CONFIDENTIAL", "mode", "TEST", "redirects", "https://app.example/a"), map[string]string{"svc_dashboard": s.Cookie})
			})
		}
		group.Wait()
		for i := range pages {
			pages[i].Leads(t, "/dashboard/clients/"+id)
		}
		secret := send(id, "Another", "PUBLIC")
		c, err := s.Tenants.OwnedClient(context.Background(), s.Tenant.ID, id)
		if err != nil || c == nil || !c.HasSecret(secret) || c.Name != "A" || c.Type != tenant.Confidential {
			t.Errorf("%+v, %v; want the first form's client with the secret that is shown", c, err)
		}
		if n, events := s.Count(t, "SELECT count(*) FROM oauth_clients"), s.Count(t, "SELECT count(*) FROM audit_events WHERE type = 'client.created'"); n != 1 || events != 1 {
			t.Errorf("%d clients and %d events, want one", n, events)
		}
		owner := s.Cookie
		s.Cookie = ""
		s.SignIn()
		if got := send(id, "A", "CONFIDENTIAL"); got != "" {
			t.Error("another session sees the secret")
		}
		s.Cookie = owner
		s.Post("/dashboard/clients/"+id+"/switch", "active", "false")
		if got := send(id, "A", "CONFIDENTIAL"); got != "" {
			t.Error("the secret of a client that is off is shown")
		}
		s.Post("/dashboard/clients/"+id+"/switch", "active", "true")
		s.Post("/dashboard/clients/" + id + "/rotate")
		s.Get("/dashboard/clients/" + id)
		if got := send(id, "A", "CONFIDENTIAL"); got != "" {
			t.Error("a secret is shown after it was replaced")
		}
		id = newForm()
		if send(id, "B", "CONFIDENTIAL") == "" {
			t.Error("no secret")
		}
		s.Clock.Advance(forms.RepeatTime)
		if got := send(id, "B", "CONFIDENTIAL"); got != "" {
			t.Error("the secret is shown after 30 seconds")
		}
		foreign := s.NewClientOf(t, s.NewTenant(t, "Other"), tenant.Confidential, tenant.Test)
		send(foreign.ID, "C", "CONFIDENTIAL")
		if got := s.Get("/dashboard/clients/" + foreign.ID); got.Status != http.StatusNotFound {
			t.Errorf("another tenant's client: %d, want 404", got.Status)
		}
		if n := s.Count(t, "SELECT count(*) FROM oauth_clients WHERE name = 'C'"); n != 0 {
			t.Error("another tenant's client was changed")
		}
	})
}

func TestClients_FormsAreShownAgainWhenTheyAreWrong(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	c := s.NewClient(t, tenant.Public, tenant.Live)
	at := "/dashboard/clients/" + c.ID
	long := strings.Repeat("x", tenant.MaxName+1)
	for _, tt := range []struct {
		name  string
		got   webtest.Page
		shows []string
	}{
		{"http", s.Post("/dashboard/clients", "name", "A", "type", "PUBLIC", "mode", "LIVE", "redirects", "http://app.example/"), []string{"1 to 20 addresses", `autofocus aria-invalid="true">http://app.example/`, `value="A"`, `value="PUBLIC" selected`}},
		{"none", s.Post("/dashboard/clients", "name", "A", "type", "PUBLIC", "mode", "LIVE"), []string{"1 to 20 addresses"}},
		{"no type", s.Post("/dashboard/clients", "redirects", "https://app.example/"), []string{"1 to 20 addresses"}},
		{"long name", s.Post("/dashboard/clients", "name", long, "type", "PUBLIC", "mode", "LIVE", "redirects", "https://app.example/"), []string{"at most 60"}},
		{"unseen characters", s.Post(at, "name", "a\u202eb", "redirects", "https://app.example/"), []string{"at most 60"}},
		{"change", s.Post(at, "name", "A", "redirects", "ftp://app.example/"), []string{"1 to 20 addresses", `autofocus aria-invalid="true">ftp://app.example/`}},
	} {
		if tt.got.Status != http.StatusBadRequest {
			t.Errorf("%s: got %d, want 400", tt.name, tt.got.Status)
		}
		for _, want := range tt.shows {
			if !strings.Contains(tt.got.Body, want) {
				t.Errorf("%s: the page does not show %q", tt.name, want)
			}
		}
	}
	if got := s.Post(at + "/rotate"); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "client_is_public") {
		t.Errorf("a PUBLIC client's secret: got %d, want 400 client_is_public", got.Status)
	}
	if n := s.Count(t, "SELECT count(*) FROM oauth_clients"); n != 1 {
		t.Errorf("%d clients, want 1", n)
	}
}

func TestClients_SnippetsHaveTheClientsValues(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	for _, typ := range []tenant.Type{tenant.Public, tenant.Confidential} {
		c := s.NewClient(t, typ, tenant.Test, "https://app.example/it's?a=b&c=d")
		body := html.UnescapeString(s.Get("/dashboard/clients/" + c.ID).Body)
		for _, want := range []string{
			"client_id=" + c.ClientID, s.URL + "/oauth2/token", `src="` + s.URL + `/button.js"`, `<a class="griot-button" href="/login"></a>`, "redirect_uri=https%3A%2F%2Fapp.example%2Fit%27s%3Fa%3Db%26c%3Dd", `'https://app.example/it'\''s?a=b&c=d'`,
			`RedirectURL:  "https://app.example/it's?a=b&c=d"`, `redirect_uri: "https://app.example/it's?a=b&c=d"`, "/authorize?client_id=" + c.ClientID,
		} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: the page does not show %q", typ, want)
			}
		}
		if got := strings.Contains(body, "CLIENT_SECRET"); got != (typ == tenant.Confidential) {
			t.Errorf("%s: the snippets name a secret: %v", typ, got)
		}
		if strings.Contains(body, "{client}") || strings.Contains(body, "{issuer}") || c.Secret != "" && strings.Contains(body, c.Secret) {
			t.Errorf("%s: a value is not filled in, or the secret is shown", typ)
		}
	}
}

// The link for trying a client starts a login whose code no one can exchange.
func TestClients_TryLinkStartsALogin(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	link := regexp.MustCompile(`href="(/authorize\?[^"]+)"`)
	c := s.NewClient(t, tenant.Confidential, tenant.Test)
	found := link.FindStringSubmatch(s.Get("/dashboard/clients/" + c.ID).Body)
	if found == nil {
		t.Fatal("no link to try a TEST client")
	}
	if got := s.Get(html.UnescapeString(found[1])); got.Status != http.StatusSeeOther || !strings.HasPrefix(got.Location, "/waiting.html?loginKeyId=") {
		t.Errorf("the link leads to %d %q", got.Status, got.Location)
	}
	live := s.NewClient(t, tenant.Public, tenant.Live)
	if body := s.Get("/dashboard/clients/" + live.ID).Body; link.MatchString(body) {
		t.Error("a LIVE client can be tried, which asks for a real message")
	}
}

// Anyone can sign in with a TEST client, so its page shows a warning if others can reach the application.
func TestClients_WarnsOfAnOpenTestClient(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	const warning = "Anyone can sign in with this TEST client."
	for _, c := range []struct {
		typ       tenant.Type
		mode      tenant.Mode
		redirects []string
		warns     bool
	}{
		{tenant.Confidential, tenant.Test, []string{"http://127.0.0.1:3000/cb", "http://localhost/cb", "https://[::1]:8443/cb"}, false},
		{tenant.Confidential, tenant.Test, []string{"http://127.0.0.1:3000/cb", "https://app.example/cb"}, true},
		{tenant.Confidential, tenant.Test, []string{"http://192.168.1.10:3000/cb"}, true},
		{tenant.Confidential, tenant.Test, []string{"https://127.0.0.1.example/cb"}, true},
		{tenant.Public, tenant.Test, []string{"com.example.app:/cb"}, true},
		{tenant.Confidential, tenant.Live, []string{"https://app.example/cb"}, false},
	} {
		made, _, err := s.Tenants.CreateClient(t.Context(), s.Tenant.ID, c.typ, c.mode, c.redirects)
		if err != nil {
			t.Fatal(err)
		}
		if page := s.Get("/dashboard/clients/" + made.ID); strings.Contains(page.Body, warning) != c.warns {
			t.Errorf("%s client with %v: want the warning %v", c.mode, c.redirects, c.warns)
		}
		if _, _, err := s.Tenants.SwitchClient(t.Context(), made.ClientID, false); err != nil {
			t.Fatal(err)
		}
		if page := s.Get("/dashboard/clients/" + made.ID); strings.Contains(page.Body, warning) {
			t.Errorf("%s client with %v: the warning is there though the client is off", c.mode, c.redirects)
		}
	}
}
