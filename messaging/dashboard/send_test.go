package dashboard_test

import (
	"html"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/isotime"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

func TestSend_AtATimeOfTheAccountsZone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		zone, err := time.LoadLocation("America/New_York")
		if err != nil {
			t.Fatal(err)
		}
		p.Wants(p.Post("/dashboard/settings", "name", "Shop", "language", "en", "timeZone", zone.String()), http.StatusSeeOther, "")
		p.Holds(p.Get("/dashboard/send"), `type="datetime-local"`, "Time zone: America/New_York.")
		form := func(at, key string) []string {
			return []string{"to", "+22376000001", "channel", "sms", "message", "Bonjour", "at", at, "key", key}
		}
		local := w.Clock.Now().In(zone).Add(2 * time.Hour).Truncate(time.Minute)
		typed := local.Format("2006-01-02T15:04")
		p.Holds(p.Post("/dashboard/send/preview", form(typed, "")...), "sent on ")
		sent := p.Post("/dashboard/send", form(typed, "later")...)
		p.Wants(sent, http.StatusSeeOther, "/dashboard/messages/")
		m := w.Message(t, idIn(sent.Location))
		if m.Status != message.Scheduled || !m.ScheduledAt.Equal(local) {
			t.Errorf("%s for %s, want SCHEDULED for %s", m.Status, isotime.Format(m.ScheduledAt), isotime.Format(local))
		}
		for _, refused := range []string{
			w.Clock.Now().In(zone).Add(-time.Minute).Format("2006-01-02T15:04"), "2026-03-08T02:30", "2026-11-01T01:30", "2028-01-01T00:00", "tomorrow",
		} {
			got := p.Post("/dashboard/send", form(refused, "refused")...)
			p.Wants(got, http.StatusBadRequest, "Choose a future time")
			p.Holds(got, `value="`+refused+`"`)
		}

		if again := p.Post("/dashboard/send", form(typed, "later")...); again.Location != sent.Location {
			t.Errorf("the repeated form leads to %q, want %q", again.Location, sent.Location)
		}
		w.Clock.Advance(3 * time.Hour)
		if again := p.Post("/dashboard/send", form(typed, "later")...); again.Location != sent.Location {
			t.Errorf("after its time, the repeated form leads to %q, want %q", again.Location, sent.Location)
		}
		p.Wants(p.Post("/dashboard/send", form(w.Clock.Now().In(zone).Add(-time.Minute).Format("2006-01-02T15:04"), "later")...), http.StatusConflict, "already sent another message")
	})
}

func TestSend_APreset(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Holds(p.Get("/dashboard/send"), `<option value="order_shipped">Order shipped</option>`, `no value="otp"`, `id="message"`, `no id="var-orderId"`)

		chosen := p.Post("/dashboard/send/preview", "preset", "order_shipped", "channel", "auto")
		p.Holds(chosen, `<option value="order_shipped" selected>`, `name="var.orderId" type="text" value="" autocomplete="off" required`, `name="var.carrier" type="text" value="" autocomplete="off">`, `no id="message"`)
		p.Holds(p.Post("/dashboard/send/preview", "preset", "order_shipped", "message", "My own", "subject", "Hi"), `<input type="hidden" name="message" value="My own"><input type="hidden" name="subject" value="Hi">`)
		p.Holds(p.Post("/dashboard/send/preview", "preset", "order_shipped", "to", "+22376000001", "channel", "sms"), "Order number: Fill in this field.")

		missing := p.Post("/dashboard/send", "to", "+22376000001", "channel", "sms", "preset", "order_shipped", "locale", "en", "var.carrier", "DHL", "key", "one")
		p.Wants(missing, http.StatusBadRequest, "Fill in this field.")
		p.Holds(missing, `value="DHL"`, `id="var-orderId" name="var.orderId" type="text" value="" autocomplete="off" required autofocus aria-invalid="true"`)

		form := []string{"to", "+22376000001", "channel", "sms", "preset", "order_shipped", "locale", "en", "var.orderId", "A-17", "var.carrier", "DHL", "key", "one"}
		p.Holds(p.Post("/dashboard/send/preview", form...), `<div class="bubble" dir="auto">Your order A-17 has shipped with DHL.</div>`)
		sent := p.Send(form...)
		if got := w.Message(t, idIn(sent)).Content; got.Text != "Your order A-17 has shipped with DHL." {
			t.Errorf("%q, want the text of order_shipped", got.Text)
		}
		p.Wants(p.Post("/dashboard/send", "to", "+22376000001", "channel", "sms", "preset", "none", "message", "My own", "key", "two"), http.StatusSeeOther, "/dashboard/messages/")
	})
}

// idIn returns the message's ID in the address of its page.
func idIn(location string) string {
	address, _, _ := strings.Cut(location, "?")
	return path.Base(address)
}

// In TEST, the form lists the recipients that select an outcome.
func TestSend_ListsTheTestRecipients(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		p.Holds(p.Get("/dashboard/send?mode=live"), "no Test recipients")
		page := p.Get("/dashboard/send?mode=test")
		p.Holds(page, "Test recipients")
		for _, s := range message.Simulations() {
			p.Holds(page, "<code>"+html.EscapeString(s.Address)+"</code>")
		}
	})
}
