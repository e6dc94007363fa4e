package connections_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/connections"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/webhooks"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type world struct {
	*messagingtest.World
	t *testing.T
}

func newWorld(t *testing.T, d *db.DB) *world {
	p := &world{World: messagingtest.New(t, d, "business"), t: t}
	p.SetWebhook(t, "https://shop.example/hooks")
	return p
}

// checks makes monitors check every five seconds for a time.
func (p *world) checks(while time.Duration, all ...*connections.Monitor) {
	p.t.Helper()
	for end := p.Clock.Now().Add(while); p.Clock.Now().Before(end); p.Clock.Advance(5 * time.Second) {
		for _, w := range all {
			if err := w.Check(p.t.Context()); err != nil {
				p.t.Fatal(err)
			}
		}
	}
}

// events returns the changes for which the account has events, in order.
func (p *world) events() (out []string) {
	p.t.Helper()
	stored, _, err := p.Endpoints.Events(p.t.Context(), &webhooks.Filter{AccountID: p.Account.ID, Limit: 100})
	if err != nil {
		p.t.Fatal(err)
	}
	for i := len(stored) - 1; i >= 0; i-- {
		var b struct{ Event, EventID, SenderID, Channel, Address, State, PreviousState, Reason, Until, Timestamp string }
		if err := json.Unmarshal([]byte(stored[i].Body), &b); err != nil {
			p.t.Fatal(err)
		}
		if b.Event != "sender.status" || b.EventID != stored[i].ID || b.SenderID == "" || b.Timestamp == "" {
			p.t.Errorf("event %s", stored[i].Body)
		}
		out = append(out, strings.TrimSpace(b.Channel+" "+b.Address+" "+b.PreviousState+" "+b.State+" "+b.Reason+" "+b.Until))
	}
	return out
}

func (p *world) wants(want ...string) {
	p.t.Helper()
	got := p.events()
	if len(got) != len(want) {
		p.t.Fatalf("events %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			p.t.Errorf("events %q, want %q", got[i], want[i])
		}
	}
}

const (
	ban  = "sms +" + messagingtest.SMS + " connected restricted temporary_ban 2026-03-04T13:00:00.000Z"
	away = "sms +" + messagingtest.SMS + " connected logged_out"
	back = "sms +" + messagingtest.SMS + " logged_out connected"
)

// Rules: M187.
func TestMonitor_AnEventForWhatLasts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newWorld(t, d)
		w := p.NewMonitor()
		p.checks(time.Minute, w)
		p.wants() // the first state is not a change
		p.Gateway.SetState(messagingtest.SMS, gateway.Disconnected)
		p.checks(10*time.Second, w)
		p.Gateway.SetState(messagingtest.SMS, gateway.Connected)
		p.checks(time.Minute, w)
		p.wants() // it recovered on its own
		p.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
		since, notified := p.Clock.Now(), p.Endpoints.Signal.Wait()
		p.checks(time.Minute, w)
		p.wants(away)
		select {
		case <-notified:
		default:
			t.Error("the dispatcher is not notified")
		}
		known, err := connections.Connections(d.Read(t.Context()), p.Account.ID)
		if err != nil || len(known) != 3 {
			t.Errorf("%v %v", known, err)
		}
		for _, s := range p.Account.Senders {
			if s.Address == messagingtest.SMS && (known[s.ID].State != gateway.LoggedOut || !known[s.ID].Since.Equal(since)) {
				t.Errorf("known %+v, since %s", known[s.ID], since)
			}
		}
		p.Gateway.SetState(messagingtest.SMS, gateway.Connecting)
		p.checks(30*time.Second, w)
		p.Gateway.SetState(messagingtest.SMS, gateway.Connected)
		p.checks(time.Minute, w)
		p.wants(away, back)
	})
}

// Rules: M187.
func TestMonitor_TellsTheReason(t *testing.T) {
	p := newWorld(t, dbtest.SQLite(t))
	w := p.NewMonitor()
	p.checks(time.Minute, w)
	p.Gateway.SetDetail(messagingtest.SMS, gateway.ConnDetail{State: gateway.Restricted, Reason: "reach_out_timelock"})
	p.checks(5*time.Second, w)
	p.Gateway.SetDetail(messagingtest.SMS, gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban", Until: messagingtest.Start.Add(time.Hour)})
	p.checks(time.Minute, w)
	p.wants(ban)
}

// A connection that keeps its state with another reason is a change, after that lasts. The start time of the state is
// unchanged. A row from a release without reasons is not a change.
func TestMonitor_ANewReasonIsAChange(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newWorld(t, d)
		w := p.NewMonitor()
		p.checks(time.Minute, w)
		p.Gateway.SetDetail(messagingtest.SMS, gateway.ConnDetail{State: gateway.Restricted, Reason: "reach_out_timelock"})
		since := p.Clock.Now()
		p.checks(time.Minute, w)
		lock := "sms +" + messagingtest.SMS + " connected restricted reach_out_timelock"
		p.wants(lock)
		for range 3 { // for a moment only
			p.Gateway.SetDetail(messagingtest.SMS, gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban"})
			p.checks(10*time.Second, w)
			p.Gateway.SetDetail(messagingtest.SMS, gateway.ConnDetail{State: gateway.Restricted, Reason: "reach_out_timelock"})
			p.checks(10*time.Second, w)
		}
		p.wants(lock)
		p.Gateway.SetDetail(messagingtest.SMS, gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban"})
		p.checks(time.Minute, w, p.NewMonitor())
		banned := "sms +" + messagingtest.SMS + " restricted restricted temporary_ban"
		p.wants(lock, banned)
		known, err := connections.Connections(d.Read(t.Context()), p.Account.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Account.Senders {
			if s.Address != messagingtest.SMS {
				continue
			}
			if !known[s.ID].Since.Equal(since) {
				t.Errorf("it is so since %v, want %v", known[s.ID].Since, since)
			}
			if changes, err := connections.History(d.Read(t.Context()), s.ID); err != nil || len(changes) < 2 || changes[0].Reason != "temporary_ban" || changes[1].Reason != "reach_out_timelock" {
				t.Errorf("the history is %+v, %v", changes, err)
			}
		}
		if err := d.Write(t.Context(), func(tx *db.Tx) error { _, err := tx.Exec(`UPDATE sender_states SET reason = NULL`); return err }); err != nil {
			t.Fatal(err)
		}
		p.checks(time.Minute, w)
		p.wants(lock, banned)
		p.Gateway.SetDetail(messagingtest.SMS, gateway.ConnDetail{State: gateway.Restricted, Reason: "reach_out_timelock"})
		p.checks(time.Minute, w)
		p.wants(lock, banned, "sms +"+messagingtest.SMS+" restricted restricted reach_out_timelock")
	})
}

// The latest states are kept, with their reasons, and are deleted with the sender.
func TestMonitor_KeepsTheLatestStates(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newWorld(t, d)
		w := p.NewMonitor()
		of := p.Account.Senders[1]
		ban := gateway.ConnDetail{State: gateway.Restricted, Reason: "temporary_ban", Until: messagingtest.Start.Add(time.Hour)}
		for range connections.MaxHistory {
			p.checks(30*time.Second, w)
			p.Gateway.SetDetail(of.Address, gateway.ConnDetail{State: gateway.LoggedOut})
			p.checks(30*time.Second, w)
			p.Gateway.SetDetail(of.Address, ban)
		}
		since := p.Clock.Now()
		p.checks(30*time.Second, w)
		got, err := connections.History(d.Read(t.Context()), of.ID)
		if err != nil || len(got) != connections.MaxHistory {
			t.Fatalf("%d states, %v, want %d", len(got), err, connections.MaxHistory)
		}
		if first := got[0]; first.ConnDetail != ban || !first.At.Equal(since) || got[1].State != gateway.LoggedOut || !got[1].At.Before(first.At) {
			t.Errorf("the newest are %+v", got[:2])
		}
		if n := p.Int(t, `SELECT count(*) FROM sender_state_changes WHERE sender_id = $1`, of.ID); n != connections.MaxHistory {
			t.Errorf("%d rows, want %d", n, connections.MaxHistory)
		}
		if _, _, err := p.Directory.RemoveSender(t.Context(), of.ID, func(*db.Query) (bool, error) { return false, nil }); err != nil {
			t.Fatal(err)
		}
		p.checks(2*time.Minute, w)
		if n := p.Int(t, `SELECT count(*) FROM sender_state_changes WHERE sender_id = $1`, of.ID); n != 0 {
			t.Errorf("%d rows of a removed sender", n)
		}
	})
}

// Two processes see different states. One monitors, and the other takes over when the first is gone.
func TestMonitor_OneOfSeveralProcesses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newWorld(t, d)
		a, b := p.NewMonitor(), p.NewMonitor()
		p.checks(time.Minute, a, b)
		p.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
		p.checks(2*time.Minute, a, b)
		p.wants(away)
		p.Gateway.SetState(messagingtest.SMS, gateway.Connected)
		p.checks(3*time.Minute, b) // a is gone
		p.wants(away, back)
		p.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
		p.checks(25*time.Second, a) // a was only suspended, and assumes that it still has the lease
		p.wants(away, back)
	})
}

func TestMonitor_ADeletedSender(t *testing.T) {
	p := newWorld(t, dbtest.SQLite(t))
	w := p.NewMonitor()
	p.checks(time.Minute, w)
	if _, _, err := p.Directory.RemoveSender(t.Context(), p.Account.Senders[0].ID, func(*db.Query) (bool, error) { return false, nil }); err != nil {
		t.Fatal(err)
	}
	p.checks(2*time.Minute, w)
	if n := p.Int(t, `SELECT count(*) FROM sender_states`); n != 2 {
		t.Errorf("%d states", n)
	}
	p.wants()
}

func TestGroups_CountSendersByState(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newWorld(t, d)
		p.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
		p.checks(time.Minute, p.NewMonitor())
		groups, err := connections.Groups(d.Read(t.Context()))
		if err != nil || len(groups) != 3 {
			t.Fatalf("%+v, %v, want three senders apart", groups, err)
		}
		for _, g := range groups {
			want := gateway.Connected
			if g.Channel == string(gateway.SMS) {
				want = gateway.LoggedOut
			}
			if g.State != want || g.Senders != 1 || g.Gateway == "" {
				t.Errorf("%+v, want one sender that is %s", g, want)
			}
		}
	})
}
