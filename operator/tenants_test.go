package operator_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

var (
	invitationKey = regexp.MustCompile(`inv_[A-Za-z0-9_-]+`)
	clientSecret  = regexp.MustCompile(`cs_[A-Za-z0-9_-]{49}`)
)

// happened returns the types of a tenant's audit events, the newest first.
func (s *site) happened(tenantID string) string {
	s.t.Helper()
	var types []string
	for _, e := range ask[[]authadmin.Event](s, "events.list", authadmin.EventsInput{TenantID: tenantID, Limit: 100}) {
		if e.Actor != tenant.ActorSystem && e.Type != "dashboard.login" {
			s.t.Errorf("%s is by %s, want the operator", e.Type, e.Actor)
		}
		types = append(types, e.Type)
	}
	return strings.Join(types, " ")
}

func TestTenants_AreMadeInvitedAndChanged(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		s.get("/operator/tenants").Shows(t, "Bamako Bank")
		s.post("/operator/tenants", "name", " ").Leads(t, "/operator/tenants")
		s.get("/operator/tenants").Shows(t, "1 to 100 characters")
		made := s.post("/operator/tenants", "name", "Boutique <Awa>")
		if made.Status != http.StatusSeeOther || !strings.HasPrefix(made.Location, "/operator/tenants/") {
			t.Fatalf("got %d to %s", made.Status, made.Location)
		}
		at, tenantID := made.Location, strings.TrimPrefix(made.Location, "/operator/tenants/")
		s.get(at).Shows(t, "The tenant is ready.", "<h1><bdi>Boutique &lt;Awa&gt;</bdi></h1>", "No invitation was made yet.", "The tenant has no clients")
		s.get("/operator/tenants?q=awa").Shows(t, "Boutique")
		s.get("/operator/tenants?q=awa").Hides(t, "Bamako")
		for _, absent := range []string{"/operator/tenants/none", "/operator/tenants?before=none", "/operator/tenants?q=" + strings.Repeat("a", 101)} {
			if got := s.get(absent).Status; got != http.StatusNotFound {
				t.Errorf("%s: %d, want 404", absent, got)
			}
		}

		s.post(at+"/invitations", "days", "400").Leads(t, at)
		s.get(at).Shows(t, "1 to 366 days")
		s.post(at+"/invitations", "days", "30", "single", "on").Leads(t, at)
		invited := s.get(at)
		invited.Shows(t, "The invitation is ready.", ">once<", ">Valid<")
		key := invitationKey.FindString(invited.Body)
		if _, ok, err := s.login.Tenants.OpenDashboard(t.Context(), tenantID, key, tenant.Caller{}); err != nil || !ok {
			t.Errorf("the shown key %q opens: %v, %v", key, ok, err)
		}
		s.get(at).Hides(t, key)
		s.get(at).Shows(t, ">Used<")
		one := ask[[]authadmin.Invitation](s, "invitations.list", authadmin.OfTenant{TenantID: tenantID})[0]
		s.post(at+"/invitations/"+one.ID+"/revoke").Leads(t, at+"#invitations")
		s.get(at).Shows(t, "The invitation is revoked.", ">Revoked<")
		s.post(at+"/invitations/none/revoke").Leads(t, at+"#invitations")
		s.get(at).Shows(t, "There is no such invitation.")

		c := ask[authadmin.Client](s, "clients.create", authadmin.ClientInput{TenantID: tenantID, Type: "CONFIDENTIAL", Mode: "TEST", RedirectURIs: []string{"https://a.example/"}})
		s.post(at+"/clients/"+c.ClientID+"/switch", "active", "false").Leads(t, at)
		s.get(at).Shows(t, "The client is off.", `name="active" value="true"`, `id="delete-`)
		s.post(at+"/clients/"+c.ClientID+"/switch", "active", "true").Leads(t, at)
		s.post(at+"/clients/"+c.ClientID+"/rotate").Leads(t, at)
		rotated := s.get(at)
		rotated.Shows(t, "The secret is replaced.")
		stored, err := s.login.Tenants.OwnedClient(t.Context(), tenantID, c.ID)
		if err != nil || !stored.HasSecret(clientSecret.FindString(rotated.Body)) || stored.HasSecret(c.ClientSecret) || !stored.Active {
			t.Errorf("stored %+v, %v; shown %q", stored, err, clientSecret.FindString(rotated.Body))
		}

		s.post(at+"/webhook", "url", "http://127.0.0.1:9/a").Leads(t, at)
		s.get(at).Shows(t, "Tick the box to confirm.")
		s.post(at+"/webhook", "url", "http://127.0.0.1:9/a", "confirm", "yes").Leads(t, at)
		s.get(at).Shows(t, "Saved.", "whsec_", "http://127.0.0.1:9/a")
		for act, want := range map[string]string{"disable": "The endpoint is off.", "enable": "The endpoint is on.", "rotate": "The secret is replaced.", "ping": "A test event is on its way.", "resend-failed": "It goes out again."} {
			s.post(at+"/webhook/"+act).Leads(t, at)
			s.get(at).Shows(t, want)
		}
		s.post(at+"/rename", "name", " ").Leads(t, at)
		s.get(at).Shows(t, "1 to 100 characters", "Boutique &lt;Awa&gt;")
		s.post(at+"/rename", "name", "Chez Awa").Leads(t, at)
		s.get(at).Shows(t, "Saved.", "<h1><bdi>Chez Awa</bdi></h1>")
		s.post(at+"/clients/"+c.ClientID+"/delete").Leads(t, at)
		s.get(at).Shows(t, "The client is deleted.", "The tenant has no clients")
		s.post(at+"/clients/"+c.ClientID+"/delete").Leads(t, at)
		s.get(at).Shows(t, "There is no such client.")
		got := s.happened(tenantID)
		for _, want := range []string{tenant.TenantCreated, "invitation.created", "invitation.revoked", "client.updated", "client.secret_rotated", "client.deleted", "webhook.set", "webhook.enabled"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s is not audited: %s", want, got)
			}
		}

		s.post(at+"/delete").Leads(t, at+"#delete")
		s.get(at).Shows(t, "Tick the box to confirm.")
		s.post(at+"/delete", "confirm", "yes").Leads(t, "/operator/tenants")
		after := s.get("/operator/tenants")
		after.Shows(t, "The tenant is deleted.", "Bamako Bank")
		after.Hides(t, "Chez Awa")
		if got := s.get(at).Status; got != http.StatusNotFound {
			t.Errorf("the page of a deleted tenant: %d, want 404", got)
		}
		s.post(at+"/delete", "confirm", "yes").Leads(t, "/operator/tenants")
		s.get("/operator/tenants").Shows(t, "There is no such tenant.")
		if got := s.happened(tenantID); !strings.HasPrefix(got, "tenant.deleted") {
			t.Errorf("the deletion is not audited: %s", got)
		}
	})
}

func TestTenants_ArePaged(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.SQLite(t))
	s.signIn()
	for i := range 51 {
		s.login.Clock.Advance(time.Millisecond)
		ask[authadmin.Tenant](s, "tenants.create", authadmin.TenantInput{Name: fmt.Sprintf("Shop %02d", i)})
		ask[authadmin.NewInvitation](s, "invitations.create", authadmin.InvitationInput{TenantID: s.login.Tenant.ID, TTLSeconds: 30 * 86400})
	}
	first := s.get("/operator/tenants")
	first.Shows(t, "Shop 50", "Shop 01", `rel="next"`)
	first.Hides(t, "Shop 00")
	at := "/operator/tenants/" + s.login.Tenant.ID
	if n := strings.Count(s.get(at).Body, ">Valid<"); n != 50 {
		t.Errorf("%d invitations on a page, want 50", n)
	}
	if n := strings.Count(s.get(at+"?page=2").Body, ">Valid<"); n != 1 {
		t.Errorf("%d invitations on the second page, want 1", n)
	}
}

// An emergency rotation ends everybody's tokens, so it takes the kid of the key that signs.
func TestSigningKeys_AreRotated(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		s.signIn()
		active := ask[[]authadmin.Key](s, "keys.list", authadmin.Nothing{})[0]
		s.get("/operator/signing-keys").Shows(t, active.Kid, ">Signs</span>", "Rotate now")
		s.post("/operator/signing-keys/rotate").Leads(t, "/operator/signing-keys")
		page := s.get("/operator/signing-keys")
		page.Shows(t, "The next key is published.", ">Next</span>")
		page.Hides(t, "Rotate now")
		next := ""
		for _, k := range ask[[]authadmin.Key](s, "keys.list", authadmin.Nothing{}) {
			if k.Status == "next" {
				next = k.Kid
			}
		}
		for _, kid := range []string{"", "yes", next, active.Kid[1:], strings.ToUpper(active.Kid) + "x"} {
			s.post("/operator/signing-keys/emergency", "kid", kid).Leads(t, "/operator/signing-keys")
			s.get("/operator/signing-keys").Shows(t, "That is not the kid of the key that signs.", active.Kid)
		}
		s.post("/operator/signing-keys/emergency", "kid", " "+active.Kid+" ").Leads(t, "/operator/signing-keys")
		replaced := s.get("/operator/signing-keys")
		replaced.Shows(t, "All keys are replaced.")
		replaced.Hides(t, active.Kid, next)
		if got := s.happened(""); !strings.Contains(got, "key.published") || !strings.Contains(got, "key.revoked") {
			t.Errorf("audited %s, want both rotations", got)
		}
	})
}
