package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/auth"
	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/web/webtest"
)

// Rules: L212.
func TestDomains(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dns := authtest.NewDNS(t)
		s := authtest.NewSite(t, d, func(o *auth.Options) { o.Resolver = dns.Resolver() })
		s.SignIn()
		const page = "/dashboard/domains"
		s.Get(page).Shows(t, "Email domains", "No domains yet", "no message arrives at the addresses")
		for _, wrong := range []string{"a@b", "co.uk", `"><script>`} {
			if got := s.Post(page, "domain", wrong); got.Status != http.StatusBadRequest || strings.Count(got.Body, `aria-invalid="true"`) != 1 || strings.Contains(got.Body, "<script>\"") {
				t.Errorf("%q: %d %s", wrong, got.Status, got.Body)
			}
		}
		s.Post(page, "domain", " People.Example.com. ").Leads(t, page)
		found := s.Get(page)
		found.Shows(t, "The domain is added.", "people.example.com", "Not proven", "_griot.people.example.com", `data-copy="value-people.example.com"`, "Check now")
		value := regexp.MustCompile(`griot-domain=[A-Za-z0-9_-]{22}`).FindString(found.Body)
		check := func() webtest.Page { return s.Post(page + "/people.example.com/verify") }
		if got := check(); got.Status != http.StatusConflict {
			t.Errorf("%d", got.Status)
		} else {
			contains(t, got, "The check didn&#39;t prove the domain.", "DNS has no TXT record with this name and value")
		}
		dns.Break(true)
		contains(t, check(), "didn&#39;t answer")
		dns.Break(false)
		dns.Set("_griot.people.example.com", []string{value})
		check().Leads(t, page)
		s.Get(page).Shows(t, "The domain is proven.", "Proven")

		other := s.NewTenant(t, "Other")
		if _, _, err := s.Tenants.AddDomain(t.Context(), other.ID, "other.example"); err != nil {
			t.Fatal(err)
		}
		for _, action := range []string{"/verify", "/remove"} {
			if got := s.Post(page + "/other.example" + action); got.Status != http.StatusNotFound {
				t.Errorf("another tenant's domain: %d", got.Status)
			}
		}
		s.Get(page).Shows(t, "Remove the domain?")
		s.Post(page+"/people.example.com/remove").Leads(t, page)
		s.Get(page).Shows(t, "The domain is removed.", "No domains yet")
	})
}

// contains checks that a page of any status has these texts.
func contains(t *testing.T, got webtest.Page, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(got.Body, text) {
			t.Errorf("%d without %q: %s", got.Status, text, got.Body)
		}
	}
}

// The client's page has the settings for claims. It asks before it replaces a domain or a form of user names, and shows
// that another organization has proven the domain.
// Rules: L210, L213.
func TestClientConnect_Claims(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dns := authtest.NewDNS(t)
		s := authtest.NewSite(t, d, func(o *auth.Options) { o.Resolver = dns.Resolver() })
		s.Tenants.Resolver = dns.Resolver()
		s.SignIn()
		c := s.NewClient(t, tenant.Confidential, tenant.Live)
		page, form := "/dashboard/clients/"+c.ID, "/dashboard/clients/"+c.ID+"/connect"
		send := func(domain, verified, username string, more ...string) webtest.Page {
			return s.Post(form, append([]string{"emailDomain", domain, "emailVerified", verified, "preferredUsername", username}, more...)...)
		}
		s.Get(page).Shows(t, "Email address and user name", "No mail arrives at these addresses", `href="/dashboard/domains"`)
		refused := func(got webtest.Page, status int, text string) {
			t.Helper()
			if got.Status != status || strings.Count(got.Body, `aria-invalid="true"`) != 1 || !strings.Contains(got.Body, text) {
				t.Errorf("%d %s, want %d with %q", got.Status, got.Body, status, text)
			}
		}
		refused(send("a@b", "", ""), http.StatusBadRequest, "Use a domain with at least two labels")
		refused(send("a.example", "true", ""), http.StatusConflict, "hasn&#39;t proven this domain")
		send("", "true", "").Leads(t, page) // without a domain, the choice has no effect
		send(" A.example ", "false", "name").Leads(t, page)
		s.Get(page).Shows(t, `value="a.example"`, `value="false" selected`, `value="name" selected`)

		for _, change := range [][3]string{{"b.example", "false", "name"}, {"", "", "name"}, {"a.example", "false", ""}} {
			got := send(change[0], change[1], change[2])
			if got.Status != http.StatusConflict || !strings.Contains(got.Body, `name="confirm"`) || !strings.Contains(got.Body, `name="replacesEmailDomain" value="a.example"`) {
				t.Errorf("%v: %d %s", change, got.Status, got.Body)
			}
			contains(t, got, `value="`+change[0]+`"`, "Change everyone&#39;s address or user name?")
		}
		if got := send("b.example", "", "sub", "replacesEmailDomain", "a.example", "replacesPreferredUsername", "name"); got.Status != http.StatusConflict {
			t.Errorf("without the checkbox: %d", got.Status)
		}
		if got := send("b.example", "", "sub", "confirm", "yes", "replacesEmailDomain", "x.example", "replacesPreferredUsername", "name"); got.Status != http.StatusConflict {
			t.Errorf("a confirmation of another value: %d", got.Status)
		}
		send("b.example", "", "sub", "confirm", "yes", "replacesEmailDomain", "a.example", "replacesPreferredUsername", "name").Leads(t, page)

		other := s.NewTenant(t, "Other")
		for _, domain := range []string{"b.example", "c.example"} {
			added, _, err := s.Tenants.AddDomain(t.Context(), other.ID, domain)
			if err != nil {
				t.Fatal(err)
			}
			dns.Set(added.RecordName(), []string{added.RecordValue()})
			if _, err := s.Tenants.VerifyDomain(t.Context(), other.ID, domain); err != nil {
				t.Fatal(err)
			}
		}
		s.Get(page).Shows(t, "Another organization has proven this domain.", "Programs get no address anymore.")
		refused(send("c.example", "", "sub", "confirm", "yes", "replacesEmailDomain", "b.example"), http.StatusConflict, "so you can&#39;t use it")
		send("", "", "", "confirm", "yes", "replacesEmailDomain", "b.example", "replacesPreferredUsername", "sub").Leads(t, page)
		got, err := s.Tenants.OwnedClient(t.Context(), s.Tenant.ID, c.ID)
		if err != nil || got.Connect.EmailDomain != "" || got.Connect.EmailVerified != nil || got.Connect.PreferredUsername != "" {
			t.Errorf("stored %+v, %v", got, err)
		}
	})
}
