package dashboard_test

import (
	"context"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/web/webtest"
)

var codeText = regexp.MustCompile(`<code id="secret">([^<]+)</code>`)

func TestWebhook_IsTestedRotatedAndEnabled(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, r := authtest.NewSite(t, d, authtest.Loopback), authtest.NewReceiver(t)
		s.SignIn()
		s.Get("/dashboard/webhook").Shows(t, "No endpoint yet", `name="url"`)
		for _, act := range []string{"ping", "enable", "rotate"} {
			if got := s.Post("/dashboard/webhook/" + act); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "no_endpoint") {
				t.Errorf("%s without an endpoint: %d, want 400 no_endpoint", act, got.Status)
			}
		}
		for _, address := range []string{"http://app.example/hook", "https://10.0.0.1/hook", "app.example"} {
			if got := s.Post("/dashboard/webhook", "url", address); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, `value="`+address+`"`) || !strings.Contains(got.Body, "Use an https address on the internet") {
				t.Errorf("%s: %d", address, got.Status)
			}
		}
		s.Post("/dashboard/webhook", "url", " "+r.URL+"\u00a0\u200b").Leads(t, "/dashboard/webhook")
		waittest.Run(t, s.Run)
		s.Get("/dashboard/webhook").Shows(t, html.EscapeString(r.URL), "Enabled", "No events yet", "whsec_")

		pinged := s.Post("/dashboard/webhook/ping")
		path := pinged.Location
		pinged.Leads(t, path)
		r.Next(t)
		waittest.Eventually(t, true, func() bool { return strings.Contains(s.Get(path).Body, "Delivered") })
		s.Get(path).Shows(t, "&#34;event&#34;: &#34;webhook.ping&#34;", ">204<")
		s.Get("/dashboard/webhook").Shows(t, path, "webhook.ping")
		s.Get("/dashboard/webhook?delivery=failed").Shows(t, "No event matches")

		s.Post("/dashboard/webhook/rotate").Leads(t, "/dashboard/webhook")
		shown := codeText.FindStringSubmatch(s.Get("/dashboard/webhook").Body)
		if shown == nil {
			t.Fatal("the secret is not shown")
		}
		if again := s.Get("/dashboard/webhook"); codeText.MatchString(again.Body) {
			t.Error("the secret is shown twice")
		}
		verify, err := standardwebhooks.NewWebhook(html.UnescapeString(shown[1]))
		if err != nil {
			t.Fatal(err)
		}
		s.Post(path+"/resend").Leads(t, path)
		if got := r.Next(t); verify.VerifyIgnoringTimestamp([]byte(got.Raw), got.Header) != nil {
			t.Error("the event that was sent again is not signed by the new secret")
		}

		r.Status.Store(http.StatusGone)
		s.Post("/dashboard/webhook/ping")
		r.Next(t)
		waittest.Eventually(t, true, func() bool { return strings.Contains(s.Get("/dashboard/webhook").Body, "responded with 410") })
		r.Status.Store(http.StatusNoContent)
		s.Post("/dashboard/webhook/enable").Leads(t, "/dashboard/webhook")
		s.Get("/dashboard/webhook").Shows(t, "The endpoint is enabled.", "Enabled")
		if err := s.NewEndpoints().Disable(context.Background(), s.Tenant.ID); err != nil {
			t.Fatal(err)
		}
		got := s.Get("/dashboard/webhook")
		got.Shows(t, "Your service operator disabled the endpoint")
		if strings.Contains(got.Body, "/dashboard/webhook/enable") {
			t.Error("what an operator has disabled can be enabled")
		}
		for path, url := range map[string]string{"/dashboard/webhook/enable": "", "/dashboard/webhook": "https://app.example/hook"} {
			if got := s.Post(path, "url", url); got.Status != http.StatusForbidden || !strings.Contains(got.Body, "endpoint_disabled") {
				t.Errorf("%s: %d, want 403 endpoint_disabled", path, got.Status)
			}
		}
		if state, err := s.NewEndpoints().State(context.Background(), s.Tenant.ID); err != nil || state.URL != r.URL || state.DisabledFor != webhook.ForOperator {
			t.Errorf("%+v, %v: want what it was before", state, err)
		}
		if err := s.NewEndpoints().Enable(context.Background(), s.Tenant.ID); err != nil {
			t.Fatal(err)
		}
		s.Post("/dashboard/webhook", "url", "").Leads(t, "/dashboard/webhook")
		s.Get("/dashboard/webhook").Shows(t, "No endpoint yet")
	})
}

func TestWebhookEvents_AreTheTenantsOwn(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SetEndpoint("https://app.example/hook")
	eventID, err := s.NewEndpoints().Ping(context.Background(), s.Tenant.ID)
	if err != nil {
		t.Fatal(err)
	}
	other := s.NewTenant(t, "Another")
	key := s.Invite(other.ID)
	s.Post("/dashboard/sign-in", "tenantId", other.ID, "key", key)
	for _, absent := range []string{eventID, "evt_" + id.New(s.Clock.Now()), "x"} {
		at := "/dashboard/webhook/events/" + absent
		for _, got := range []webtest.Page{s.Get(at), s.Post(at + "/resend")} {
			if got.Status != http.StatusNotFound || !strings.Contains(got.Body, "event_not_found") {
				t.Errorf("%s: got %d, want 404 event_not_found", absent, got.Status)
			}
		}
	}
}

// A body contains the person's full number for the application, but the page doesn't show it.
func TestWebhookEvent_MasksTheNumber(t *testing.T) {
	t.Parallel()
	s := authtest.NewSite(t, dbtest.SQLite(t))
	s.SignIn()
	s.SetEndpoint("https://app.example/hook")
	at := s.Clock.Now()
	audit := &tenant.Event{ID: id.New(at), TenantID: s.Tenant.ID, Type: tenant.TokenIssued, At: at}
	s.Write(t, func(tx *db.Tx) error {
		return webhooks.Insert(tx, webhooks.LoginCompleted, audit, webhooks.Detail{Subject: audit.ID, Phone: "22376543210"})
	})
	got := s.Get("/dashboard/webhook/events/evt_" + audit.ID)
	got.Shows(t, "&#34;phone_e164&#34;: &#34;&#43;223*****210&#34;", "The number is masked here", "No attempt yet")
	if strings.Contains(got.Body, "22376543210") {
		t.Error("the page has the full number")
	}
}
