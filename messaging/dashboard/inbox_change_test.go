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

// Edited and deleted messages say so, in both languages.
// Rules: M198.
func TestInbox_EditedAndDeletedMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		const awa = "22376000001"
		w.Receive(t, awa, "1", "Rendez-vous")
		c := gateway.Change{Gateway: "fake", Channel: gateway.WhatsApp, Kind: gateway.MessageEdited, To: messagingtest.WhatsApp, From: awa, MessageID: "1", Content: &gateway.Inbound{Text: "Demain"}, At: w.Clock.Now()}
		revise := func() {
			t.Helper()
			if err := w.Inbox.Change(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		revise()
		here := w.Conversation(awa)
		shown := p.Get(here)
		p.Wants(shown, http.StatusOK, "Demain")
		p.Wants(shown, http.StatusOK, " · edited")
		p.Wants(p.Get("/dashboard/inbox"), http.StatusOK, "Demain")
		c.Kind = gateway.MessageDeleted
		revise()
		shown = p.Get(here)
		p.Wants(shown, http.StatusOK, `<span class="kind">This message was deleted.</span>`)
		if strings.Contains(shown.Body, "Demain") || strings.Contains(shown.Body, " · edited") {
			t.Error("the deleted message is shown")
		}
		p.Wants(p.Get("/dashboard/inbox"), http.StatusOK, "<bdi>This message was deleted.</bdi>")
		p.Get(here + "?lang=fr")
		p.Wants(p.Get(here), http.StatusOK, "Ce message a été supprimé.")
	})
}
