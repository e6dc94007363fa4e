package dashboard_test

import (
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
)

func TestSenders_SayWhyTheyAreDownAndWhatToDo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.NewSite(t, d)
		p := w.SignIn(messagingtest.OwnerEmail)
		path := "/dashboard/senders/" + w.Sender(messagingtest.WhatsApp)
		w.State(gateway.ConnDetail{State: gateway.Connected})
		p.Holds(p.Get(path), `class="timeline"`, "no can't send right now")
		until := messagingtest.Start.Add(26 * time.Hour)
		for _, tt := range []struct {
			gateway.ConnDetail
			says []string
		}{
			{gateway.ConnDetail{State: gateway.Disconnected, Reason: "connection_lost"}, []string{"Disconnected.", "was lost", "reconnects automatically"}},
			{gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban", Until: until}, []string{"Restricted until 5 Mar 2026, 14:00 UTC.", "closed the number temporarily", "Send less"}},
			{gateway.ConnDetail{State: gateway.LoggedOut, Reason: "logged_out"}, []string{"Logged out.", "was unlinked", "no Reason:"}},
			{gateway.ConnDetail{State: gateway.Pairing, Reason: "not_paired"}, []string{"Waiting to be linked.", "Your service operator can link it.", "no Reason:"}},
			{gateway.ConnDetail{State: gateway.Banned, Reason: "banned"}, []string{"Banned.", "request a review"}},
			{gateway.ConnDetail{State: gateway.Outdated, Reason: "client_outdated"}, []string{"Out of date.", "requires a newer version"}},
			{gateway.ConnDetail{State: gateway.Disconnected, Reason: "of_its_own"}, []string{"Disconnected.", "Reason: of_its_own."}},
		} {
			w.State(tt.ConnDetail)
			p.Holds(p.Get(path), append(tt.says, "can't send right now")...)
			p.Holds(p.Get("/dashboard/senders"), tt.says[0][:len(tt.says[0])-1])
		}
		w.State(gateway.ConnDetail{State: gateway.Restricted, Reason: gateway.ReachOutTimelock, Until: until})
		p.Holds(p.Get(path), "too many first messages to people", "Replies still work.", "no can't send right now")
		p.Holds(p.Get("/dashboard"), "can only send to people who have written to it", "no cannot send")
		p.Holds(p.Get(path), "Restricted until 5 Mar 2026, 14:00 UTC</strong>", "Banned</strong>", "Connected</strong>") // the timeline
		w.State(gateway.ConnDetail{State: gateway.Connected})
		p.Holds(p.Get(path), "no can't send right now", "Out of date</strong>")
	})
}
