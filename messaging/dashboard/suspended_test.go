package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/messagingtest"
)

// The pages of a suspended account show the reason and the contact. Billing stays open, and people can sign in and out.
// Rules: M191.
func TestSuspended_PagesSayWhy(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "pro").Site(t, func(o *dashboard.Options) { o.Contact = "help@griot.example" })
		owner, viewer := w.SignIn(messagingtest.OwnerEmail), w.Member("moussa@example.com", account.RoleViewer)
		if err := w.Delivery.SetSuspended(t.Context(), w.Account.ID, "Spam <reports>."); err != nil {
			t.Fatal(err)
		}
		for _, p := range []*messagingtest.Person{owner, viewer} {
			for _, path := range []string{"/dashboard", "/dashboard/logs", "/dashboard/settings/sign-in"} {
				got := p.Get(path)
				p.Wants(got, http.StatusForbidden, "Your account is suspended")
				p.Holds(got, "Suspended on 4 Mar 2026", "Spam <reports>.", `href="mailto:help@griot.example"`)
			}
		}
		owner.Wants(owner.Post("/dashboard/send", "to", "+22376000001", "channel", "sms", "message", "x"), http.StatusForbidden, "Your account is suspended")
		owner.Get("/dashboard?lang=fr")
		owner.Wants(owner.Get("/dashboard"), http.StatusForbidden, "Votre compte est suspendu")
		owner.Get("/dashboard?lang=en")
		billing := owner.Get("/dashboard/billing")
		owner.WantsAll(billing, "Suspended on 4 Mar 2026", "Spam <reports>.")
		if strings.Contains(billing.Body, `href="/dashboard/logs"`) {
			t.Error("the navigation leads to pages that are refused")
		}
		again := w.SignIn(messagingtest.OwnerEmail)
		again.Wants(again.Get("/dashboard"), http.StatusForbidden, "Your account is suspended")
		if err := w.Delivery.SetSuspended(t.Context(), w.Account.ID, ""); err != nil {
			t.Fatal(err)
		}
		owner.WantsAll(owner.Get("/dashboard/activity"), "suspended the account: Spam <reports>.", "resumed the account.")
	})
}
