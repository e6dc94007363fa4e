package dashboard_test

import (
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/messagingtest"
)

// Every page shows the number of alerts, and the overview lists them. Each role sees the alerts that it can act on.
func TestAlerts_OnEveryPage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		w.SetWebhook(t, "https://shop.example/hooks")
		owner := w.SignIn(messagingtest.OwnerEmail)
		owner.Holds(owner.Get("/dashboard"), "no alert-count")
		w.Gateway.SetState(messagingtest.SMS, gateway.Restricted)
		owner.Holds(owner.Get("/dashboard/logs"), `href="/dashboard#alerts"`, "1 alert")
		w.Disabled(webhook.ForGone)
		owner.Holds(owner.Get("/dashboard/webhooks"), "2 alerts")
		overview := owner.Get("/dashboard")
		owner.Holds(overview, `id="alerts"`, "2 alerts", phone.Grouped("22370000003")+" (SMS) cannot send.", `href="/dashboard/senders/`+w.Sender(messagingtest.SMS), `<a href="/dashboard/webhooks">Show details</a>`)
		viewer := w.Member("view@example.com", account.RoleViewer)
		viewer.Holds(viewer.Get("/dashboard/logs"), "1 alert", "no 2 alerts")
		viewer.Holds(viewer.Get("/dashboard"), phone.Grouped("22370000003")+" (SMS) cannot send.", "no /dashboard/senders/", "no Webhook disabled")
		owner.Post("/dashboard/senders/" + w.Sender(messagingtest.SMS) + "/pause")
		owner.Post("/dashboard/webhooks/enable")
		if got := owner.Get("/dashboard"); strings.Contains(got.Body, "alert-count") || strings.Contains(got.Body, `id="alerts"`) {
			t.Errorf("what was looked after is an alert still:\n%s", got.Body)
		}
	})
}
