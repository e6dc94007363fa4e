package dashboard_test

import (
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

// Every page says how much there is to look at, and the overview what; each role sees what it can look after.
func TestAlerts_OnEveryPage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.SetWebhook(t, "https://shop.example/hooks")
		owner := w.signIn(ownerEmail)
		owner.holds(owner.get("/dashboard"), "no alert-count")
		w.Gateway.SetState(messagingtest.SMS, gateway.Restricted)
		owner.holds(owner.get("/dashboard/logs"), `href="/dashboard#alerts"`, "1 alert")
		w.disabled(webhook.ForGone)
		owner.holds(owner.get("/dashboard/webhooks"), "2 alerts")
		overview := owner.get("/dashboard")
		owner.holds(overview, `id="alerts"`, "2 alerts", "+22370000003 (SMS) cannot send.", `href="/dashboard/senders/`+w.sender(messagingtest.SMS), `<a href="/dashboard/webhooks">Have a look</a>`)
		viewer := w.member("view@example.com", account.RoleViewer)
		viewer.holds(viewer.get("/dashboard/logs"), "1 alert", "no 2 alerts")
		viewer.holds(viewer.get("/dashboard"), "+22370000003 (SMS) cannot send.", "no /dashboard/senders/", "no Webhook disabled")
		owner.post("/dashboard/senders/" + w.sender(messagingtest.SMS) + "/pause")
		owner.post("/dashboard/webhooks/enable")
		if got := owner.get("/dashboard"); strings.Contains(got.body, "alert-count") || strings.Contains(got.body, `id="alerts"`) {
			t.Errorf("what was looked after is an alert still:\n%s", got.body)
		}
	})
}
