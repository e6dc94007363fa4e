package dashboard_test

import (
	"net/http"
	"testing"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/web/webtest"
)

// Automatic takes an email address, and a WhatsApp ID stays one. The preview names the recipient, with a number's country.
func TestSend_AutomaticTakesEveryRecipient(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		for to, want := range map[string][]string{
			"awa@example.com":  {"To awa@example.com<", `<strong class="line">Bonjour</strong>`, "<strong>Email</strong>", "no (+223)"},
			"+223 76 00 00 01": {"To " + phone.Grouped("+22376000001") + " · Mali (+223)", `no <strong class="line">Bonjour`},
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
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		form := func(to string) []string {
			return []string{"to", to, "address", to, "channel", "sms", "message", "Bonjour"}
		}
		for _, path := range []string{"/dashboard/send", "/dashboard/codes/send", "/dashboard/opt-outs"} {
			p.Wants(p.Post(path, form("70112233")...), http.StatusBadRequest, "and the country code")
		}
		p.Holds(p.Post("/dashboard/send/preview", form("70112233")...), "Start the number with + and the country code", "no (+223)")

		settings := func(country string) *webtest.Page {
			return p.Post("/dashboard/settings", "name", "Shop", "language", "en", "timeZone", "UTC", "country", country)
		}
		p.Wants(settings("Atlantis"), http.StatusBadRequest, "Enter a country&#39;s code")
		p.Wants(settings("ml"), http.StatusSeeOther, "/dashboard/settings?done=settings_saved")
		p.Holds(p.Get("/dashboard/settings"), `value="ML"`)
		p.Holds(p.Post("/dashboard/send/preview", form("70112233")...), "To "+phone.Grouped("+22370112233")+" · Mali (+223)")
		sent := p.Send(form("70 11 22 33")...)
		p.Holds(p.Get(sent), phone.Grouped("+22370112233"))
		p.Holds(p.Get(p.Send(form("0033612345678")...)), phone.Grouped("+33612345678"))
		p.Wants(p.Post("/dashboard/send", form("701122334")...), http.StatusBadRequest, "This isn&#39;t a number of the country.")
		p.Wants(settings(""), http.StatusSeeOther, "/dashboard/settings?done=settings_saved")
		p.Wants(p.Post("/dashboard/send", form("70112233")...), http.StatusBadRequest, "and the country code")
	})
}

// The filter of the log, searches, and requests read numbers as the forms for messages do.
func TestNumbers_AreOfTheAccountsCountryEverywhere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		shown := phone.Grouped("+33612345678")
		p.Send("to", "+33612345678", "channel", "sms", "message", "Bonjour")
		p.Wants(p.Post("/dashboard/opt-outs", "address", "+33612345678", "channel", "email"), http.StatusBadRequest, "")
		p.Wants(p.Post("/dashboard/opt-outs", "address", "+33612345678", "channel", "whatsapp"), http.StatusSeeOther, "/dashboard/opt-outs?done=opt_out_added")
		w.Receive(t, "33612345678", "in-1", "Salut")
		const national = "06+12+34+56+78"
		p.Wants(p.Get("/dashboard/logs?to="+national), http.StatusBadRequest, "and the country code")
		p.Holds(p.Get("/dashboard/logs?to=%2B33+6+12+34+56+78"), shown)
		p.Holds(p.Get("/dashboard/opt-outs?q="+national), "no "+shown)

		p.Wants(p.Post("/dashboard/settings", "name", "Shop", "language", "en", "timeZone", "UTC", "country", "FR"), http.StatusSeeOther, "/dashboard/settings")
		for _, path := range []string{"/dashboard/logs?to=", "/dashboard/opt-outs?q=", "/dashboard/inbox?q="} {
			for _, typed := range []string{national, "612345678", "33612345678", "%2B33612345678", "0033612345678"} {
				p.Holds(p.Get(path+typed), shown)
			}
		}
		p.Holds(p.Get("/dashboard/opt-outs?q=1234"), shown)
		p.Holds(p.Get("/dashboard/inbox?q=06+12+34+56+79"), "no "+shown)
		p.Wants(p.Get("/dashboard/logs?to=06+12+34+56"), http.StatusBadRequest, "This isn&#39;t a number of the country.")
		p.Wants(p.Post("/dashboard/requests", "kind", "sms", "wanted", "06 12 34 56 79"), http.StatusSeeOther, "/dashboard/senders?done=requested")
		p.Holds(p.Get("/dashboard/senders"), phone.Grouped("33612345679"))
	})
}
