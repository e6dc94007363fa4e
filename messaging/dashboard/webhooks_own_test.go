package dashboard_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/messagingtest"
)

// accountsSetURL lets accounts set the URL of their endpoint.
func accountsSetURL(o *api.Options) { o.Endpoints.AccountsSetURL = true }

// secretOn returns the signing secret on a page; empty: none.
func secretOn(body string) string {
	return regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`).FindString(html.UnescapeString(body))
}

// Rules: M213.
func TestOwnWebhook_IsSetChangedAndRemoved(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d, accountsSetURL)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Holds(p.Get("/dashboard/webhooks"), "has no endpoint yet", "Set the URL", "no Remove the endpoint", "no Replace the secret?", "no Ask your", "no /dashboard/requests")
		p.Wants(p.Post("/dashboard/webhooks/rotate-secret"), http.StatusConflict, "There is no endpoint")
		first := p.Post("/dashboard/webhooks", "url", " https://shop.example/hooks?<b> ")
		secret := secretOn(first.Body)
		if first.Status != http.StatusOK || secret == "" || !strings.Contains(first.Header.Get("Cache-Control"), "no-store") || strings.Contains(first.Body, "?<b>") {
			t.Fatalf("%d with Cache-Control %q, a secret: %t", first.Status, first.Header.Get("Cache-Control"), secret != "")
		}
		p.Holds(first, "https://shop.example/hooks?<b>", "Copy it now", "Your server needs it to verify", "Enabled")
		p.Holds(p.Get("/dashboard/webhooks"), "no whsec_", `value="https://shop.example/hooks?<b>"`, "Change the URL", "Remove the endpoint?", "Replace the secret?")
		p.Wants(p.Post("/dashboard/webhooks", "url", "https://shop.example/new"), http.StatusSeeOther, "/dashboard/webhooks?done=webhook_set")
		p.Holds(p.Get("/dashboard/webhooks?done=webhook_set"), "Webhook URL saved.", "https://shop.example/new", "no whsec_")
		rotated := p.Post("/dashboard/webhooks/rotate-secret")
		if got := secretOn(rotated.Body); rotated.Status != http.StatusOK || got == "" || got == secret {
			t.Errorf("the new secret: %d, a secret: %t, the same: %t", rotated.Status, got != "", got == secret)
		}
		p.Holds(p.Get("/dashboard/webhooks"), "The previous secret signs until", "no whsec_")
		p.Wants(p.Post("/dashboard/webhooks/ping"), http.StatusSeeOther, "/dashboard/webhooks/evt_")
		p.Wants(p.Post("/dashboard/webhooks/remove"), http.StatusSeeOther, "/dashboard/webhooks?done=webhook_removed")
		p.Holds(p.Get("/dashboard/webhooks?done=webhook_removed"), "Endpoint removed.", "has no endpoint yet")
		for _, action := range []string{"webhook.set", "webhook.secret_rotated", "webhook.removed"} {
			if w.Int(t, `SELECT count(*) FROM account_audit_events WHERE actor = 'owner' AND action = $1`, action) == 0 {
				t.Errorf("no audit event %s by the owner", action)
			}
		}
	})
}

// Rules: M213.
func TestOwnWebhook_RefusesURLs(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t), accountsSetURL)
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Post("/dashboard/webhooks", "url", "https://shop.example/hooks")
	for _, url := range []string{"", " ", "http://shop.example/other", "https://10.0.0.1/other", "https://awa:pass@shop.example/other", "other"} {
		got := p.Post("/dashboard/webhooks", "url", url)
		if got.Status != http.StatusBadRequest {
			t.Errorf("%q: %d, want 400", url, got.Status)
		}
		p.Holds(got, `aria-invalid="true"`, "This URL can't be used.", `value="`+strings.TrimSpace(url)+`"`, "https://shop.example/hooks", "Remove the endpoint")
	}
	p.Holds(p.Get("/dashboard/webhooks"), "https://shop.example/hooks", "no /other")
}

// Rules: M213.
func TestOwnWebhook_AnOperatorsDecisionStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d, accountsSetURL)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Post("/dashboard/webhooks", "url", "https://shop.example/hooks")
		w.Disabled(webhook.ForOperator)
		p.Holds(p.Get("/dashboard/webhooks"), "Only your service operator can change this.", "no Change the URL", "no /dashboard/webhooks/remove", "/dashboard/webhooks/rotate-secret")
		p.Wants(p.Post("/dashboard/webhooks", "url", "https://shop.example/other"), http.StatusForbidden, "Only your service operator can change this.")
		p.Wants(p.Post("/dashboard/webhooks/remove"), http.StatusForbidden, "Only your service operator can change this.")
		if n := w.Int(t, `SELECT count(*) FROM webhook_endpoints WHERE disabled_for = 'operator'`); n != 1 {
			t.Error("an operator's decision was undone")
		}
	})
}

// Without the setting, the page only shows the endpoint, and asks the operator.
// Rules: M212.
func TestOwnWebhook_IsOffByDefault(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	w.SetWebhook(t, "https://shop.example/hooks")
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Holds(p.Get("/dashboard/webhooks"), "Your service operator sets the address", `action="/dashboard/requests"`, "no Change the URL", "no Remove the endpoint", "no rotate-secret")
	p.Holds(p.Get("/dashboard"), "Ask for a webhook", "no Set a webhook")
	p.Wants(p.Post("/dashboard/webhooks", "url", "https://shop.example/other"), http.StatusMethodNotAllowed, "method_not_allowed")
	for _, path := range []string{"/dashboard/webhooks/remove", "/dashboard/webhooks/rotate-secret"} {
		p.Wants(p.Post(path), http.StatusMethodNotAllowed, "method_not_allowed") // like every event's page
	}
	p.Holds(p.Get("/dashboard/webhooks"), "https://shop.example/hooks", "no whsec_")
}

// The first steps lead to the form.
func TestOwnWebhook_IsAFirstStep(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t), accountsSetURL)
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Holds(p.Get("/dashboard"), "Set a webhook", `href="/dashboard/webhooks"`, "no Ask for a webhook", "Ask for a sender")
	developer := w.Member("dev@example.com", account.RoleDeveloper)
	developer.Wants(developer.Post("/dashboard/webhooks", "url", "https://shop.example/hooks"), http.StatusForbidden, "forbidden")
}
