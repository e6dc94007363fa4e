package dashboard_test

import (
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/dashboard/dashboardtest"
	"example.com/griot/messaging/messagingtest"
)

func TestSenders_SayWhyTheyAreDownAndWhatToDo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := dashboardtest.NewWorld(t, d)
		p := w.SignIn(dashboardtest.OwnerEmail)
		path := "/dashboard/senders/" + w.Sender(messagingtest.WhatsApp)
		w.State(gateway.ConnDetail{State: gateway.Connected})
		p.Holds(p.Get(path), `class="timeline"`, "no can't send at present")
		until := messagingtest.Start.Add(26 * time.Hour)
		for _, tt := range []struct {
			gateway.ConnDetail
			says []string
		}{
			{gateway.ConnDetail{State: gateway.Disconnected, Reason: "connection_lost"}, []string{"Disconnected.", "was lost", "connects again by itself"}},
			{gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban", Until: until}, []string{"Restricted until 5 Mar 2026, 14:00 UTC.", "closed the number for a time", "Send less"}},
			{gateway.ConnDetail{State: gateway.LoggedOut, Reason: "logged_out"}, []string{"Logged out.", "was unlinked", "no Reason:"}},
			{gateway.ConnDetail{State: gateway.Pairing, Reason: "not_paired"}, []string{"Waiting to be linked.", "whoever runs this service", "no Reason:"}},
			{gateway.ConnDetail{State: gateway.Banned, Reason: "banned"}, []string{"Banned.", "ask it for a review"}},
			{gateway.ConnDetail{State: gateway.Outdated, Reason: "client_outdated"}, []string{"Out of date.", "install a newer version"}},
			{gateway.ConnDetail{State: gateway.Disconnected, Reason: "of_its_own"}, []string{"Disconnected.", "Reason: of_its_own."}},
		} {
			w.State(tt.ConnDetail)
			p.Holds(p.Get(path), append(tt.says, "can't send at present")...)
			p.Holds(p.Get("/dashboard/senders"), tt.says[0][:len(tt.says[0])-1])
		}
		w.State(gateway.ConnDetail{State: gateway.Restricted, Reason: gateway.ReachOutTimelock, Until: until})
		p.Holds(p.Get(path), "first messages went to people", "may go on answering", "no can't send at present")
		p.Holds(p.Get("/dashboard"), "sends nothing to people who have never written to it", "no cannot send")
		p.Holds(p.Get(path), "Restricted until 5 Mar 2026, 14:00 UTC</strong>", "Banned</strong>", "Connected</strong>") // the timeline
		w.State(gateway.ConnDetail{State: gateway.Connected})
		p.Holds(p.Get(path), "no can't send at present", "Out of date</strong>")
	})
}
