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
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/messagingtest"
)

// disabled sets the endpoint's state as the dispatcher does.
func (w *world) disabled(reason string) {
	w.t.Helper()
	w.Write(w.t, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause, disabled_at, disabled_for) VALUES ($1, 0, 0, 0, $2, $3)
 ON CONFLICT (account_id) DO UPDATE SET disabled_at = excluded.disabled_at, disabled_for = excluded.disabled_for`, w.Account.ID, db.Ms(messagingtest.Start), reason)
		return err
	})
}

// attempted ends an event's delivery by an attempt that failed.
func (w *world) attempted(eventID string, status int, class webhook.Class, answer string) {
	w.t.Helper()
	w.Write(w.t, func(tx *db.Tx) error {
		now := db.Ms(w.Clock.Now())
		if _, err := tx.Exec(`INSERT INTO webhook_attempts (account_id, event_id, version, at, status, latency, answer, error) VALUES ($1, $2, 1, $3, $4, 1234, $5, $6)`, w.Account.ID, eventID, now, status, answer, string(class)); err != nil {
			return err
		}
		_, err := tx.Exec(`UPDATE webhook_events SET tries = 1, due_at = NULL, failed_at = $1 WHERE id = $2`, now, eventID)
		return err
	})
}

// ping sends a test event by the form, and returns the path of its page.
func (p *person) ping() string {
	p.w.t.Helper()
	got := p.post("/dashboard/webhooks/ping")
	path, _, _ := strings.Cut(got.to, "?")
	if got.status != http.StatusSeeOther || !strings.HasPrefix(path, "/dashboard/webhooks/evt_") {
		p.w.t.Fatalf("pinging: %d to %q\n%s", got.status, got.to, got.body)
	}
	return path
}

func TestWebhooks_WithoutAnEndpoint(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	p := w.signIn(ownerEmail)
	p.holds(p.get("/dashboard/webhooks"), "has no endpoint yet", "No events yet", "griot listen --forward-to", "no Send all failed again")
	p.wants(p.post("/dashboard/webhooks/ping"), http.StatusConflict, "There is no endpoint, and no one is listening.")
	p.wants(p.post("/dashboard/webhooks/enable"), http.StatusConflict, "There is no endpoint")
	secret := p.post("/dashboard/webhooks/stream-secret")
	found := regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`).FindString(html.UnescapeString(secret.body))
	if secret.status != http.StatusOK || found == "" || found != w.Endpoints.ListenSecret(w.Account.ID, 1, false) {
		t.Errorf("%d with the secret %q, want the stream's new one", secret.status, found)
	}
	if cached := secret.header.Get("Cache-Control"); !strings.Contains(cached, "no-store") {
		t.Errorf("the page with the secret has Cache-Control %q, want no-store", cached)
	}
	p.holds(p.get("/dashboard/webhooks"), "no whsec_")
}

func TestWebhooks_EventsAndTheirAttempts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.SetWebhook(t, "https://shop.example/hooks?<b>")
		p := w.signIn(ownerEmail)
		path := p.ping()
		p.holds(p.get(path), "webhook.ping", "Pending", `"event": "webhook.ping"`, "None yet")
		w.attempted(strings.TrimPrefix(path, "/dashboard/webhooks/"), 500, webhook.BadStatus, "<script>alert(1)</script>")
		got := p.get(path)
		p.holds(got, "Failed", "It did not answer with a 2xx status.", "500", "1.2", "<script>alert(1)</script>")
		if strings.Contains(got.body, "<script>alert") {
			t.Error("an endpoint's answer is not text")
		}
		list := p.get("/dashboard/webhooks")
		p.holds(list, "https://shop.example/hooks?<b>", "1 failed attempt", path)
		if strings.Contains(list.body, "?<b>") {
			t.Error("an endpoint's address is not text")
		}
		p.wants(p.post("/dashboard/webhooks/resend-failed"), http.StatusSeeOther, "/dashboard/webhooks?done=resent_failed")
		p.holds(p.get(path), "Pending")
		w.Write(t, func(tx *db.Tx) error { // given up again
			_, err := tx.Exec(`UPDATE webhook_events SET due_at = NULL`)
			return err
		})
		p.wants(p.post(path+"/resend"), http.StatusSeeOther, path+"?done=resent")
		p.holds(p.get(path), "Pending")
		p.wants(p.get("/dashboard/webhooks/evt_none"), http.StatusNotFound, "event_not_found")
		p.wants(p.post("/dashboard/webhooks/evt_none/resend"), http.StatusNotFound, "event_not_found")
	})
}

func TestWebhooks_FilterAndPages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.SetWebhook(t, "https://shop.example/hooks")
		p := w.signIn(ownerEmail)
		w.Write(t, func(tx *db.Tx) error {
			for i := range 51 {
				if err := events.Insert(tx, events.NewPing(w.Account.ID, w.Clock.Now().Add(-time.Duration(i)*time.Second))); err != nil {
					return err
				}
			}
			return nil
		})
		failed := p.ping()
		w.attempted(strings.TrimPrefix(failed, "/dashboard/webhooks/"), 0, webhook.Timeout, "")
		count := func(got *page) int { return strings.Count(got.body, `href="/dashboard/webhooks/evt_`) }
		first := p.get("/dashboard/webhooks")
		older := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(first.body)
		if older == nil || count(first) != 50 || !strings.Contains(first.body, "data-live") {
			t.Fatalf("%d events, older %q; want 50 and more, and a list that is kept fresh", count(first), older)
		}
		second := p.get(strings.ReplaceAll(older[1], "&amp;", "&"))
		if count(second) != 2 || strings.Contains(second.body, "data-live") {
			t.Errorf("%d events on the second page, want 2, and a list that stays", count(second))
		}
		for filter, want := range map[string]int{"delivery=failed": 1, "delivery=pending": 50, "delivery=delivered": 0, "delivery=not_sent": 0} {
			if got := p.get("/dashboard/webhooks?" + filter); got.status != http.StatusOK || count(got) != want {
				t.Errorf("%s: %d with %d events, want %d", filter, got.status, count(got), want)
			}
		}
		for _, wrong := range []string{"delivery=lost", "cursor=x"} {
			if got := p.get("/dashboard/webhooks?" + wrong); got.status != http.StatusBadRequest {
				t.Errorf("%s: %d, want 400", wrong, got.status)
			}
		}
	})
}

func TestWebhooks_ADisabledEndpointIsEnabledByItsOwner(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.SetWebhook(t, "https://shop.example/hooks")
		p := w.signIn(ownerEmail)
		p.holds(p.get("/dashboard/webhooks"), "Enabled", "no /dashboard/webhooks/enable")
		for reason, want := range map[string]string{webhook.ForGone: "It answered 410 Gone on 4 Mar 2026, 12:00 UTC.", webhook.ForFailing: "It failed for five days"} {
			w.disabled(reason)
			p.holds(p.get("/dashboard/webhooks"), want, "/dashboard/webhooks/enable")
			p.wants(p.post("/dashboard/webhooks/enable"), http.StatusSeeOther, "/dashboard/webhooks?done=webhook_enabled")
			p.holds(p.get("/dashboard/webhooks"), "Enabled", "no "+want)
		}
		w.disabled(webhook.ForOperator)
		p.holds(p.get("/dashboard/webhooks"), "Whoever runs this service switched it off", `no action="/dashboard/webhooks/enable"`)
		p.wants(p.post("/dashboard/webhooks/enable"), http.StatusForbidden, "Whoever runs this service decides about that.")
		if s := fmt.Sprint(w.Int(t, `SELECT count(*) FROM webhook_endpoints WHERE disabled_for = 'operator'`)); s != "1" {
			t.Error("an operator's decision was undone")
		}
	})
}
