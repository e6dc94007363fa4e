package login_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/test/system/systemtest"
)

// An operator creates a client of the login service and names it in the configuration. Then people who have linked a
// number can sign in to the dashboard with it, and no one else can. The two services communicate over HTTP at their
// public addresses.
func TestServe_SignsInByWhatsApp(t *testing.T) {
	const receiver, awa = "22370000099", "22376000001"
	database := dbtest.PostgresURL(t)
	systemtest.WithAccount(t, database)
	d, err := db.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	tenants := tenant.New(d, clock.System)
	owner, err := tenants.CreateTenant(t.Context(), "Griot")
	if err != nil {
		t.Fatal(err)
	}
	client, secret, err := tenants.CreateClient(t.Context(), owner.ID, tenant.Confidential, tenant.Live, []string{"http://127.0.0.1:1/"})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GRIOT_API_WHATSAPP_SIGN_IN_CLIENT_ID", client.ClientID)
	t.Setenv("GRIOT_API_WHATSAPP_SIGN_IN_CLIENT_SECRET", secret)
	mine := systemtest.NewRemoteGateway(t, true)
	s := systemtest.StartServeWith(t, database, fmt.Sprintf("  receivers: [{phone_id: p1, number: %q, gateway: mine, secret: %s}]\n", receiver, systemtest.RemoteSecret)+"gateways:"+mine.Settings("mine", "whatsapp"))
	if _, err := tenants.SetRedirectURIs(t.Context(), client.ClientID, []string{s.Api + dashboard.WhatsAppCallback}); err != nil { // its port is known now
		t.Fatal(err)
	}

	enter := func(p *systemtest.Person, messageID string) (leads *url.URL) {
		t.Helper()
		status, body, authorize := p.Get(s.Api + "/api/session/whatsapp/start")
		if status != 303 || authorize == nil || !strings.HasPrefix(authorize.String(), s.Auth+"/authorize?") {
			t.Fatalf("%d %v %s", status, authorize, body)
		}
		login, service := p.StartLogin(authorize.String())
		var opened struct{ Deeplink string }
		p.Decode(p.Post(service+"/authorize/activate", service, fmt.Sprintf(`{"loginKeyId":%q}`, login)), &opened)
		link, err := url.Parse(opened.Deeplink)
		if err != nil {
			t.Fatal(err)
		}
		inbound := fmt.Sprintf(`{"type":"inbound","inbound":{"id":%q,"channel":"whatsapp","from":%q,"to":%q,"text":%q,"at":%q}}`, messageID, awa, receiver, link.Query().Get("text"), clock.System().UTC().Format(time.RFC3339))
		if got := systemtest.PostEvent(t, s.Api, "mine", inbound); got != 200 {
			t.Fatalf("the words: %d\n%s", got, s.Out)
		}
		status, body, leads = p.Get(p.ReturnAddress(service, login).String())
		if status != 303 || leads == nil {
			t.Fatalf("the callback: %d %s\n%s", status, body, s.Out)
		}
		return leads
	}
	if to := enter(systemtest.NewPerson(t), "1"); to.Path != "/dashboard/sign-in" || to.RawQuery != "whatsapp=unknown" {
		t.Fatalf("a number that nobody has linked led to %s\n%s", to, s.Out)
	}
	err = d.Write(t.Context(), func(tx *db.Tx) error {
		n, err := tx.Exec(`INSERT INTO whatsapp_links (email, issuer, subject, phone, linked_at) SELECT 'boutique@example.com', CAST($1 AS TEXT), id, '+223*****001', 0 FROM profiles WHERE phone = $2`, s.Auth, awa)
		if err == nil && n != 1 {
			t.Errorf("%d profiles of the number, want 1", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p := systemtest.NewPerson(t)
	if to := enter(p, "2"); to.Path != "/dashboard" {
		t.Fatalf("a linked number led to %s\n%s", to, s.Out)
	}
	if status, body, _ := p.Get(s.Api + "/api/session"); status != 200 || !strings.Contains(body, "boutique@example.com") || !strings.Contains(body, `"codeAt":null`) {
		t.Errorf("%d %s", status, body)
	}
}
