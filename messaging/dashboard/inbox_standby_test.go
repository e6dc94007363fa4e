package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
)

// Messages that arrive while Meta's Business Agent has the conversation are marked. Until a reply or another message
// shows that the account has it, the page says what a reply does, in both languages.
// Rules: M196.
func TestInbox_Standby(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		const awa, mark, notice = "22376000001", " · with Meta’s Business Agent", "Meta’s Business Agent is answering this person now. Your reply takes over the conversation."
		receive := func(id string, standby bool) {
			t.Helper()
			w.Clock.Advance(time.Second)
			in := gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, Text: "Bonjour", Standby: standby, At: w.Clock.Now()}
			if err := w.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		shows := func(when string, marks int, noticed bool) (page string) {
			t.Helper()
			here := w.Conversation(awa)
			shown := p.Get(here)
			if shown.Status != http.StatusOK || strings.Count(shown.Body, mark) != marks || strings.Contains(shown.Body, notice) != noticed {
				t.Errorf("%s: status %d, %d marks, want %d; notice %v, want %v", when, shown.Status, strings.Count(shown.Body, mark), marks, !noticed, noticed)
			}
			return here
		}
		receive("1", false)
		shows("without the agent", 0, false)
		receive("2", true)
		here := shows("with the agent", 1, true)
		w.Clock.Advance(time.Second)
		p.Wants(p.Post(here+"/reply", "key", key(t, p.Get(here)), "text", "Oui"), http.StatusSeeOther, here)
		shows("after a reply", 1, false)
		receive("3", true)
		shows("with the agent again", 2, true)
		p.Get(here + "?lang=fr")
		shown := p.Get(here)
		p.Wants(shown, http.StatusOK, " · avec le Business Agent de Meta")
		p.Wants(shown, http.StatusOK, "Votre réponse reprend la conversation.")
		p.Get(here + "?lang=en")
		receive("4", false)
		shows("after a message without the agent", 2, false)
	})
}

// A message that the owner wrote on the phone is marked, in both languages. It has no status.
func TestInbox_FromPhone(t *testing.T) {
	w := messagingtest.NewSite(t, dbtest.SQLite(t))
	p := w.SignIn(messagingtest.OwnerEmail)
	const awa = "22376000001"
	in := gateway.Inbound{ID: "1", Gateway: "fake", Channel: gateway.WhatsApp, From: awa, To: messagingtest.WhatsApp, Text: "Bonjour", At: w.Clock.Now()}
	if err := w.Inbox.Receive(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Second)
	own := gateway.Change{Gateway: "fake", Channel: gateway.WhatsApp, Kind: gateway.MessageSent, From: awa, To: in.To, MessageID: "2", Content: &gateway.Inbound{Text: "Oui, demain"}, At: w.Clock.Now()}
	if err := w.Inbox.Change(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	here := w.Conversation(awa)
	shown := p.Get(here)
	p.Wants(shown, http.StatusOK, "Oui, demain")
	p.Wants(shown, http.StatusOK, " · written on the phone")
	if strings.Contains(shown.Body, `class="status `) {
		t.Error("it has a status")
	}
	if n := strings.Count(shown.Body, `class="answer"`); n != 1 {
		t.Errorf("%d messages can be quoted, want the contact's", n)
	}
	p.Get(here + "?lang=fr")
	p.Wants(p.Get(here), http.StatusOK, " · écrit sur le téléphone")
}
