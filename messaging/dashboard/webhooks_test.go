package dashboard_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/web/webtest"
)

func TestWebhooks_WithoutAnEndpoint(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	p.Holds(p.Get("/dashboard/webhooks"), "has no endpoint yet", "No events yet", "griot listen --forward-to", "no Send all failed events again")
	p.Wants(p.Post("/dashboard/webhooks/ping"), http.StatusConflict, "There is no endpoint, and no program is listening.")
	p.Wants(p.Post("/dashboard/webhooks/enable"), http.StatusConflict, "There is no endpoint")
	secret := p.Post("/dashboard/webhooks/stream-secret")
	found := regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`).FindString(html.UnescapeString(secret.Body))
	if secret.Status != http.StatusOK || found == "" || found != w.Endpoints.ListenSecret(w.Account.ID, 1, false) {
		t.Errorf("%d with the secret %q, want the stream's new one", secret.Status, found)
	}
	if cached := secret.Header.Get("Cache-Control"); !strings.Contains(cached, "no-store") {
		t.Errorf("the page with the secret has Cache-Control %q, want no-store", cached)
	}
	p.Holds(p.Get("/dashboard/webhooks"), "no whsec_")
}

func TestWebhooks_EventsAndTheirAttempts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		w.SetWebhook(t, "https://shop.example/hooks?<b>")
		p := w.SignIn(messagingtest.OwnerEmail)
		path := p.Ping()
		p.Holds(p.Get(path), "webhook.ping", "Pending", `"event": "webhook.ping"`, "None yet")
		w.Attempted(strings.TrimPrefix(path, "/dashboard/webhooks/"), 500, webhook.BadStatus, "<script>alert(1)</script>")
		got := p.Get(path)
		p.Holds(got, "Failed", "The server didn't respond with a 2xx status.", "500", "1.2", "<script>alert(1)</script>")
		if strings.Contains(got.Body, "<script>alert") {
			t.Error("an endpoint's answer is not text")
		}
		list := p.Get("/dashboard/webhooks")
		p.Holds(list, "https://shop.example/hooks?<b>", "1 failed attempt", path)
		if strings.Contains(list.Body, "?<b>") {
			t.Error("an endpoint's address is not text")
		}
		p.Wants(p.Post("/dashboard/webhooks/resend-failed"), http.StatusSeeOther, "/dashboard/webhooks?done=resent_failed")
		p.Holds(p.Get(path), "Pending")
		w.Write(t, func(tx *db.Tx) error { // given up again
			_, err := tx.Exec(`UPDATE webhook_events SET due_at = NULL`)
			return err
		})
		p.Wants(p.Post(path+"/resend"), http.StatusSeeOther, path+"?done=resent")
		p.Holds(p.Get(path), "Pending")
		p.Wants(p.Get("/dashboard/webhooks/evt_none"), http.StatusNotFound, "event_not_found")
		p.Wants(p.Post("/dashboard/webhooks/evt_none/resend"), http.StatusNotFound, "event_not_found")
	})
}

func TestWebhooks_FilterAndPages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		w.SetWebhook(t, "https://shop.example/hooks")
		p := w.SignIn(messagingtest.OwnerEmail)
		w.Write(t, func(tx *db.Tx) error {
			for i := range 51 {
				if err := webhooks.Insert(tx, nil, webhooks.NewPing(w.Account.ID, w.Clock.Now().Add(-time.Duration(i)*time.Second))); err != nil {
					return err
				}
			}
			return nil
		})
		failed := p.Ping()
		w.Attempted(strings.TrimPrefix(failed, "/dashboard/webhooks/"), 0, webhook.Timeout, "")
		count := func(got *webtest.Page) int { return strings.Count(got.Body, `href="/dashboard/webhooks/evt_`) }
		first := p.Get("/dashboard/webhooks")
		older := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(first.Body)
		if older == nil || count(first) != 50 || !strings.Contains(first.Body, "data-live") {
			t.Fatalf("%d events, older %q; want 50 and more, and a list that is kept fresh", count(first), older)
		}
		second := p.Get(strings.ReplaceAll(older[1], "&amp;", "&"))
		if count(second) != 2 || strings.Contains(second.Body, "data-live") {
			t.Errorf("%d events on the second page, want 2, and a list that stays", count(second))
		}
		for filter, want := range map[string]int{"delivery=failed": 1, "delivery=pending": 50, "delivery=delivered": 0, "delivery=not_sent": 0} {
			if got := p.Get("/dashboard/webhooks?" + filter); got.Status != http.StatusOK || count(got) != want {
				t.Errorf("%s: %d with %d events, want %d", filter, got.Status, count(got), want)
			}
		}
		for _, wrong := range []string{"delivery=lost", "cursor=x"} {
			if got := p.Get("/dashboard/webhooks?" + wrong); got.Status != http.StatusBadRequest {
				t.Errorf("%s: %d, want 400", wrong, got.Status)
			}
		}
	})
}

func TestWebhooks_ADisabledEndpointIsEnabledByItsOwner(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		w.SetWebhook(t, "https://shop.example/hooks")
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Holds(p.Get("/dashboard/webhooks"), "Enabled", "no /dashboard/webhooks/enable")
		for reason, want := range map[string]string{webhook.ForGone: "It responded with 410 Gone on 4 Mar 2026, 12:00 UTC.", webhook.ForFailing: "It failed for five days"} {
			w.Disabled(reason)
			p.Holds(p.Get("/dashboard/webhooks"), want, "/dashboard/webhooks/enable")
			p.Wants(p.Post("/dashboard/webhooks/enable"), http.StatusSeeOther, "/dashboard/webhooks?done=webhook_enabled")
			p.Holds(p.Get("/dashboard/webhooks"), "Enabled", "no "+want)
		}
		w.Disabled(webhook.ForOperator)
		p.Holds(p.Get("/dashboard/webhooks"), "Your service operator disabled it", `no action="/dashboard/webhooks/enable"`)
		p.Wants(p.Post("/dashboard/webhooks/enable"), http.StatusForbidden, "Only your service operator can change this.")
		if s := fmt.Sprint(w.Int(t, `SELECT count(*) FROM webhook_endpoints WHERE disabled_for = 'operator'`)); s != "1" {
			t.Error("an operator's decision was undone")
		}
	})
}
