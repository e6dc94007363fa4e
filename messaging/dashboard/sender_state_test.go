package dashboard_test

import (
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/health"
	"example.com/griot/messaging/messagingtest"
)

// state lets the account's WhatsApp number be in a state for so long that it counts.
func (w *world) state(d gateway.ConnDetail) {
	w.t.Helper()
	w.Gateway.SetDetail(messagingtest.WhatsApp, d)
	m := health.New(health.Options{DB: w.DB, Directory: w.Directory, Detail: w.Engine.Detail, Now: w.Clock.Now, Log: w.log.Logger(), Notify: func() {}})
	for range 2 {
		w.Clock.Advance(2 * time.Minute) // the lease of the monitor before is over
		if err := m.Check(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestSenders_SayWhyTheyAreDownAndWhatToDo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		p := w.signIn(ownerEmail)
		path := "/dashboard/senders/" + w.sender(messagingtest.WhatsApp)
		w.state(gateway.ConnDetail{State: gateway.Connected})
		p.holds(p.get(path), `class="timeline"`, "no can't send at present")
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
			w.state(tt.ConnDetail)
			p.holds(p.get(path), append(tt.says, "can't send at present")...)
			p.holds(p.get("/dashboard/senders"), tt.says[0][:len(tt.says[0])-1])
		}
		w.state(gateway.ConnDetail{State: gateway.Restricted, Reason: gateway.ReachOutTimelock, Until: until})
		p.holds(p.get(path), "first messages went to people", "may go on answering", "no can't send at present")
		p.holds(p.get("/dashboard"), "sends nothing to people who have never written to it", "no cannot send")
		p.holds(p.get(path), "Restricted until 5 Mar 2026, 14:00 UTC</strong>", "Banned</strong>", "Connected</strong>") // the timeline
		w.state(gateway.ConnDetail{State: gateway.Connected})
		p.holds(p.get(path), "no can't send at present", "Out of date</strong>")
	})
}
