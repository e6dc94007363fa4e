package operator_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/operator/operatortest"
)

var (
	invitationKey = regexp.MustCompile(`inv_[A-Za-z0-9_-]+`)
	clientSecret  = regexp.MustCompile(`cs_[A-Za-z0-9_-]{49}`)
)

func TestTenants_AreMadeInvitedAndChanged(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		s.Get("/operator/tenants").Shows(t, "Bamako Bank")
		s.Refuses("/operator/do/tenants.create", "1 to 100 visible characters", "name", "")
		made := s.Post("/operator/do/tenants.create", "name", "Boutique <Awa>")
		if made.Status != http.StatusSeeOther || !strings.HasPrefix(made.Location, "/operator/tenants/") {
			t.Fatalf("got %d to %s", made.Status, made.Location)
		}
		at, tenantID := made.Location, strings.TrimPrefix(made.Location, "/operator/tenants/")
		do := func(verb string) string { return "/operator/do/" + verb + "?tenantId=" + tenantID }
		s.Get(at).Shows(t, "The tenant is ready.", "<h1><bdi>Boutique &lt;Awa&gt;</bdi></h1>", "The tenant has no clients", "No invitations yet.")
		s.Get("/operator/tenants?text=awa").Shows(t, "Boutique")
		s.Get("/operator/tenants?text=awa").Hides(t, "Bamako")
		for path, want := range map[string]int{"/operator/tenants/none": http.StatusNotFound, "/operator/tenants?before=none": http.StatusBadRequest, "/operator/tenants?text=" + strings.Repeat("a", 101): http.StatusBadRequest} {
			if got := s.Get(path).Status; got != want {
				t.Errorf("%s: %d, want %d", path, got, want)
			}
		}

		s.Get(do("invitations.create")).Shows(t, `value="30"`)
		s.Refuses(do("invitations.create"), "An invitation must be valid for a minute to a year.", "ttlSeconds", "400")
		s.Refuses(do("invitations.create"), "Invalid value.", "ttlSeconds", "99999999999999")
		s.Post(do("invitations.create"), "ttlSeconds", "30", "singleUse", "on").Leads(t, at)
		invited := s.Get(at)
		invited.Shows(t, "The invitation is ready.", ">Valid</span>", "invitations.revoke")
		key := invitationKey.FindString(invited.Body)
		if _, ok, err := s.Login.Tenants.OpenDashboard(t.Context(), tenantID, key, nil, tenant.Caller{}); err != nil || !ok {
			t.Errorf("the shown key %q opens: %v, %v", key, ok, err)
		}
		s.Get(at).Hides(t, key)
		one := operatortest.Ask[[]authverbs.Invitation](s, "invitations.list", authverbs.OfTenant{TenantID: tenantID})[0]
		if one.UsedAt == nil {
			t.Errorf("the invitation %+v is not used", one)
		}
		s.Get(at).Shows(t, ">Used</span>")
		s.Post(do("invitations.revoke")+"&id="+one.ID, "confirm", "yes").Leads(t, at)
		revoked := s.Get(at)
		revoked.Shows(t, "The invitation is revoked.", ">Revoked</span>")
		revoked.Hides(t, "invitations.revoke")
		s.Refuses(do("invitations.revoke")+"&id=none", "The invitation doesn&#39;t exist.", "confirm", "yes")

		s.Refuses(do("clients.create"), "The type must be PUBLIC or CONFIDENTIAL", "type", "CONFIDENTIAL", "mode", "TEST", "redirectUris", "none")
		s.Post(do("clients.create"), "type", "CONFIDENTIAL", "mode", "TEST", "redirectUris", "https://a.example/\r\nhttps://b.example/").Leads(t, at)
		created := s.Get(at)
		created.Shows(t, "The client is ready.", ">Enabled</span>")
		c := operatortest.Ask[[]authverbs.Client](s, "clients.list", authverbs.OfTenant{TenantID: tenantID})[0]
		if len(c.RedirectURIs) != 2 || c.RedirectURIs[1] != "https://b.example/" {
			t.Errorf("made %+v, want both addresses", c)
		}
		c.ClientSecret = clientSecret.FindString(created.Body)
		of := "&clientId=" + c.ClientID
		s.Post(do("clients.deactivate")+of).Leads(t, at)
		s.Get(at).Shows(t, "The client is disabled.", ">Disabled</span>", "clients.activate", "clients.delete")
		s.Post(do("clients.activate")+of).Leads(t, at)
		s.Post(do("clients.rotate")+of, "confirm", "yes").Leads(t, at)
		rotated := s.Get(at)
		rotated.Shows(t, "The secret is replaced.")
		stored, err := s.Login.Tenants.OwnedClient(t.Context(), tenantID, c.ID)
		if err != nil || !stored.HasSecret(clientSecret.FindString(rotated.Body)) || c.ClientSecret == "" || stored.HasSecret(c.ClientSecret) || !stored.Active {
			t.Errorf("stored %+v, %v; shown %q", stored, err, clientSecret.FindString(rotated.Body))
		}

		s.Refuses(do("tenants.webhook.set"), "Tick the box to confirm.", "url", "http://127.0.0.1:9/a")
		s.Post(do("tenants.webhook.set"), "url", "http://127.0.0.1:9/a", "confirm", "yes").Leads(t, at)
		s.Get(at).Shows(t, "Saved.", "whsec_", "http://127.0.0.1:9/a")
		for _, one := range []struct{ verb, confirm, want string }{
			{"disable", "", "The endpoint is disabled."}, {"enable", "", "The endpoint is enabled."}, {"rotate-secret", "yes", "The secret is replaced."}, {"ping", "", "A test event is on its way."},
		} {
			s.Post(do("tenants.webhook."+one.verb), "confirm", one.confirm).Leads(t, at)
			s.Get(at).Shows(t, one.want)
		}
		s.Post(do("tenants.webhook.resend-failed"), "since", "2026-01-01").Leads(t, at)
		s.Refuses(do("tenants.rename"), "1 to 100 visible characters", "name", "")
		s.Post(do("tenants.rename"), "name", "Chez Awa").Leads(t, at)
		s.Get(at).Shows(t, "Saved.", "<h1><bdi>Chez Awa</bdi></h1>")
		s.Post(do("clients.deactivate")+of).Leads(t, at)
		s.Refuses(do("clients.delete")+of, "Tick the box to confirm.")
		s.Post(do("clients.delete")+of, "confirm", "yes").Leads(t, at)
		s.Get(at).Hides(t, c.ClientID)
		s.Refuses(do("clients.delete")+of, "The client doesn&#39;t exist.", "confirm", "yes")
		got := s.Happened(tenantID)
		for _, want := range []string{tenant.TenantCreated, "invitation.created", "invitation.revoked", "client.updated", "client.secret_rotated", "client.deleted", "webhook.set", "webhook.enabled"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s is not audited: %s", want, got)
			}
		}

		s.Refuses(do("tenants.delete"), "Tick the box to confirm.")
		s.Post(do("tenants.delete"), "confirm", "yes").Leads(t, "/operator/tenants")
		after := s.Get("/operator/tenants")
		after.Shows(t, "The tenant is deleted.", "Bamako Bank")
		after.Hides(t, "Chez Awa")
		if got := s.Get(at).Status; got != http.StatusNotFound {
			t.Errorf("the page of a deleted tenant: %d, want 404", got)
		}
		s.Refuses(do("tenants.delete"), "The tenant doesn&#39;t exist.", "confirm", "yes")
		if got := s.Happened(tenantID); !strings.HasPrefix(got, "tenant.deleted") {
			t.Errorf("the deletion is not audited: %s", got)
		}
	})
}

func TestTenants_ArePaged(t *testing.T) {
	t.Parallel()
	s := operatortest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	for i := range 51 {
		s.Login.Clock.Advance(time.Millisecond)
		operatortest.Ask[authverbs.Tenant](s, "tenants.create", authverbs.TenantInput{Name: fmt.Sprintf("Shop %02d", i)})
		operatortest.Ask[authverbs.NewInvitation](s, "invitations.create", authverbs.InvitationInput{OfTenant: authverbs.OfTenant{TenantID: s.Login.Tenant.ID}, TTLSeconds: 30 * 86400})
	}
	first := s.Get("/operator/tenants")
	first.Shows(t, "Shop 50", "Shop 01", `rel="next"`)
	first.Hides(t, "Shop 00")
	at := "/operator/tenants/" + s.Login.Tenant.ID
	if n := strings.Count(s.Get(at).Body, "invitations.revoke?"); n != 50 {
		t.Errorf("%d invitations on a page, want 50", n)
	}
	if n := strings.Count(s.Get(at+"?page=2").Body, "invitations.revoke?"); n != 1 {
		t.Errorf("%d invitations on the second page, want 1", n)
	}
}

// An emergency rotation ends everyone's tokens, so it requires the kid of the signing key.
func TestSigningKeys_AreRotated(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := operatortest.NewSite(t, d)
		s.SignIn()
		active := operatortest.Ask[[]authverbs.Key](s, "keys.list", authverbs.Nothing{})[0]
		s.Get("/operator/signing-keys").Shows(t, active.Kid, ">Signs</span>", "Rotate now")
		s.Post("/operator/signing-keys/rotate").Leads(t, "/operator/signing-keys")
		page := s.Get("/operator/signing-keys")
		page.Shows(t, "The next key is published.", ">Next</span>")
		page.Hides(t, "Rotate now")
		next := ""
		for _, k := range operatortest.Ask[[]authverbs.Key](s, "keys.list", authverbs.Nothing{}) {
			if k.Status == "next" {
				next = k.Kid
			}
		}
		for _, kid := range []string{"", "yes", next, active.Kid[1:], strings.ToUpper(active.Kid) + "x"} {
			s.Post("/operator/signing-keys/emergency", "kid", kid).Leads(t, "/operator/signing-keys")
			s.Get("/operator/signing-keys").Shows(t, "That is not the kid of the key that signs.", active.Kid)
		}
		s.Post("/operator/signing-keys/emergency", "kid", " "+active.Kid+" ").Leads(t, "/operator/signing-keys")
		replaced := s.Get("/operator/signing-keys")
		replaced.Shows(t, "All keys are replaced.")
		replaced.Hides(t, active.Kid, next)
		if got := s.Happened(""); !strings.Contains(got, "key.published") || !strings.Contains(got, "key.revoked") {
			t.Errorf("audited %s, want both rotations", got)
		}
	})
}
