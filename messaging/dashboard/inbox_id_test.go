package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
)

// People whose number WhatsApp hides are shown by username or short ID, in both languages, and get replies.
func TestInbox_PeopleWithoutANumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		const id = "ML.900112233445566"
		for provider, of := range map[string]gateway.PersonID{"1": {ID: id, Username: "awa.t"}, "2": {ID: "123456789012345@lid"}} {
			in := gateway.Inbound{ID: provider, Channel: gateway.WhatsApp, Person: of, To: messagingtest.WhatsApp, Text: "Bonjour", At: w.Clock.Now(), Gateway: "fake"}
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		list := p.Get("/dashboard/inbox")
		p.Wants(list, http.StatusOK, "<bdi>@awa.t</bdi>")
		p.Wants(list, http.StatusOK, "<bdi>…2345@lid</bdi>")
		here := w.Conversation("@awa.t")
		shown := p.Get(here)
		p.Wants(shown, http.StatusOK, id) // to copy
		p.Wants(shown, http.StatusOK, "WhatsApp hides this person’s number.")
		p.Wants(p.Post(here+"/reply", "key", key(t, shown), "text", "Oui"), http.StatusSeeOther, here)
		calls := w.Gateway.Calls()
		last := calls[len(calls)-1] // after the emails of the sign-in
		if last.To != "" || last.ToID != id {
			t.Fatalf("the reply went to %+v", last)
		}
		page := p.Get("/dashboard/messages/" + last.Ref)
		p.Wants(page, http.StatusOK, "ML.…5566")
		p.Wants(page, http.StatusOK, "WhatsApp hides this person’s number.")
		p.Wants(p.Get("/dashboard/logs?to="+id), http.StatusOK, "ML.…5566")
		p.Get(here + "?lang=fr")
		p.Wants(p.Get(here), http.StatusOK, "WhatsApp masque le numéro de cette personne.")
		if strings.Contains(list.Body, "+</bdi>") {
			t.Error("an empty number is shown")
		}
	})
}
