package delivery_test

import (
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/i18n"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// An email without a subject gets a general title in the account's language before a driver gets it.
// Rules: M22.
func TestSubject_OfAnEmailWithoutOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for lang, want := range map[i18n.Lang]string{"": "Nouveau message", i18n.FR: "Nouveau message", i18n.EN: "New message"} {
			t.Run(string(lang), func(t *testing.T) {
				w := messagingtest.New(t, dbtest.SQLite(t), "free", func(s *account.Spec) { s.Lang = lang })
				for subject, want := range map[string]string{"": want, "  ": want, "Commande 2041": "Commande 2041"} {
					before := len(w.Gateway.Calls())
					r := text("awa@example.com")
					r.Channel, r.Content.Subject = gateway.Email, subject
					m := w.Submit(t, r).Message
					if got := w.Gateway.Calls()[before].Subject; got != want || m.Content.Subject != want {
						t.Errorf("subject %q goes out as %q and is kept as %q, want %q", subject, got, m.Content.Subject, want)
					}
				}
			})
		}
		w := messagingtest.New(t, d, "free", func(s *account.Spec) { s.Lang = i18n.EN })
		failsFrom(w, gateway.Unreachable, messagingtest.WhatsApp, messagingtest.SMS)
		w.Run(t, w.Delivery)
		m := w.Submit(t, auto()).Message
		w.Becomes(t, m.ID, message.Sent)
		asked := w.Gateway.Calls()
		if last := asked[len(asked)-1]; last.Channel != gateway.Email || last.Subject != "New message" {
			t.Errorf("by its last way it went as %s with the subject %q, want email with New message", last.Channel, last.Subject)
		}
		lang := string(i18n.FR)
		if found, err := w.Directory.Change(t.Context(), w.Account.ID, &account.Change{Lang: &lang}); err != nil || !found {
			t.Fatal(found, err)
		}
		var err error
		if w.LiveCaller, err = w.Directory.Authenticate(t.Context(), w.LiveKey); err != nil {
			t.Fatal(err)
		}
		r := text("awa@example.com")
		r.Channel = gateway.Email
		if got := w.Submit(t, r).Message.Content.Subject; got != "Nouveau message" {
			t.Errorf("after a change of the account's language: %q, want Nouveau message", got)
		}
	})
}
