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

// A number without its plus is one of the account's country. Without a country it is refused, as in the CLI.
func TestSend_ANationalNumberIsOfTheAccountsCountry(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := dashboardtest.NewWorld(t, d)
		p := w.SignIn(dashboardtest.OwnerEmail)
		form := func(to string) []string {
			return []string{"to", to, "address", to, "channel", "sms", "message", "Bonjour"}
		}
		for _, path := range []string{"/dashboard/send", "/dashboard/codes/send", "/dashboard/opt-outs"} {
			p.Wants(p.Post(path, form("70112233")...), http.StatusBadRequest, "and the country code")
		}
		p.Holds(p.Post("/dashboard/send/preview", form("70112233")...), "Start the number with + and the country code", "no <dt>Country</dt>")

		settings := func(country string) *dashboardtest.Page {
			return p.Post("/dashboard/settings", "name", "Shop", "language", "en", "timeZone", "UTC", "country", country)
		}
		p.Wants(settings("Atlantis"), http.StatusBadRequest, "Enter a country&#39;s code")
		p.Wants(settings("ml"), http.StatusSeeOther, "/dashboard/settings?done=settings_saved")
		p.Holds(p.Get("/dashboard/settings"), `value="ML"`)
		p.Holds(p.Post("/dashboard/send/preview", form("70112233")...), "<dd>"+phone.Grouped("+22370112233")+"</dd>", "Mali (+223)")
		sent := p.Send(form("70 11 22 33")...)
		p.Holds(p.Get(sent), phone.Grouped("+22370112233"))
		p.Holds(p.Get(p.Send(form("0033612345678")...)), phone.Grouped("+33612345678"))
		p.Wants(p.Post("/dashboard/send", form("701122334")...), http.StatusBadRequest, "This isn&#39;t a number of the country.")
		p.Wants(settings(""), http.StatusSeeOther, "/dashboard/settings?done=settings_saved")
		p.Wants(p.Post("/dashboard/send", form("70112233")...), http.StatusBadRequest, "and the country code")
	})
}
