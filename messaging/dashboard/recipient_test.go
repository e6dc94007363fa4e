package dashboard_test

import (
	"net/http"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/dashboard/dashboardtest"
)

// Automatic takes an email address, and a WhatsApp ID stays one. The preview names the recipient, with a number's country.
func TestSend_AutomaticTakesEveryRecipient(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := dashboardtest.NewWorld(t, d)
		p := w.SignIn(dashboardtest.OwnerEmail)
		for to, want := range map[string][]string{
			"awa@example.com":  {"<dt>Recipient</dt><dd>awa@example.com</dd>", "<strong>Email</strong>", "no <dt>Country</dt>"},
			"+223 76 00 00 01": {"<dt>Recipient</dt><dd>" + phone.Grouped("+22376000001") + "</dd>", "<dt>Country</dt><dd>Mali (+223)</dd>"},
		} {
			form := []string{"to", to, "channel", "auto", "message", "Bonjour", "subject", "Bonjour"}
			p.Holds(p.Post("/dashboard/send/preview", form...), want...)
			p.Wants(p.Post("/dashboard/send", form...), http.StatusSeeOther, "/dashboard/messages/")
		}
	})
}
