package health_test

import (
	"encoding/json"
	"testing"
	"time"

	"griot/gateway"
	"griot/internal/db"
	"griot/internal/db/dbtest"
	"griot/internal/logtest"
	"griot/messaging/events"
	"griot/messaging/health"
	"griot/messaging/messagingtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type place struct {
	*messagingtest.World
	t    *testing.T
	told int
}

func newPlace(t *testing.T, d *db.DB) *place {
	p := &place{World: messagingtest.New(t, d, "business"), t: t}
	p.SetWebhook(t, "https://shop.example/hooks")
	return p
}

// process makes what watches in a process of its own.
func (p *place) process() *health.Watcher {
	return health.New(health.Options{
		DB: p.DB, Directory: p.Directory, State: p.Engine.State, Now: p.Clock.Now, Log: (&logtest.Journal{}).Logger(), Told: func() { p.told++ },
	})
}

// looks lets processes look every five seconds for a while.
func (p *place) looks(while time.Duration, all ...*health.Watcher) {
	p.t.Helper()
	for end := p.Clock.Now().Add(while); p.Clock.Now().Before(end); p.Clock.Advance(5 * time.Second) {
		for _, w := range all {
			if err := w.Look(p.t.Context()); err != nil {
				p.t.Fatal(err)
			}
		}
	}
}

// events are the states that the account was told of, in order.
func (p *place) events() (out []string) {
	p.t.Helper()
	stored, _, err := p.Endpoints.Events(p.t.Context(), &events.Filter{AccountID: p.Account.ID, Limit: 100})
	if err != nil {
		p.t.Fatal(err)
	}
	for i := len(stored) - 1; i >= 0; i-- {
		var b struct{ Event, EventID, SenderID, Channel, Address, State, PreviousState, Timestamp string }
		if err := json.Unmarshal([]byte(stored[i].Body), &b); err != nil {
			p.t.Fatal(err)
		}
		if b.Event != "sender.status" || b.EventID != stored[i].ID || b.SenderID == "" || b.Timestamp == "" {
			p.t.Errorf("event %s", stored[i].Body)
		}
		out = append(out, b.Channel+" "+b.Address+" "+b.PreviousState+" "+b.State)
	}
	return out
}

func (p *place) wants(want ...string) {
	p.t.Helper()
	got := p.events()
	if len(got) != len(want) {
		p.t.Fatalf("told %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			p.t.Errorf("told %q, want %q", got[i], want[i])
		}
	}
}

const (
	away = "sms +" + messagingtest.SMS + " connected logged_out"
	back = "sms +" + messagingtest.SMS + " logged_out connected"
)

func TestWatch_TellsWhatLasts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPlace(t, d)
		w := p.process()
		p.looks(time.Minute, w)
		p.wants() // how they are at first is no change
		p.Gateway.SetState(messagingtest.SMS, gateway.Disconnected)
		p.looks(10*time.Second, w)
		p.Gateway.SetState(messagingtest.SMS, gateway.Connected)
		p.looks(time.Minute, w)
		p.wants() // it came back by itself
		p.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
		since := p.Clock.Now()
		p.looks(time.Minute, w)
		p.wants(away)
		known, err := health.Known(d.Read(t.Context()), p.Account.ID)
		if err != nil || len(known) != 3 {
			t.Errorf("%v %v", known, err)
		}
		for _, s := range p.Account.Senders {
			if s.Address == messagingtest.SMS && (known[s.ID].State != gateway.LoggedOut || !known[s.ID].At.Equal(since)) {
				t.Errorf("known %+v, since %s", known[s.ID], since)
			}
		}
		p.Gateway.SetState(messagingtest.SMS, gateway.Connecting)
		p.looks(30*time.Second, w)
		p.Gateway.SetState(messagingtest.SMS, gateway.Connected)
		p.looks(time.Minute, w)
		p.wants(away, back)
		if p.told != 2 {
			t.Errorf("%d rings", p.told)
		}
	})
}

// Two processes, one of which sees it otherwise: one looks, and the other takes over when it is gone.
func TestWatch_OnceOfSeveralProcesses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newPlace(t, d)
		a, b := p.process(), p.process()
		p.looks(time.Minute, a, b)
		p.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
		p.looks(2*time.Minute, a, b)
		p.wants(away)
		p.Gateway.SetState(messagingtest.SMS, gateway.Connected)
		p.looks(3*time.Minute, b) // a is gone
		p.wants(away, back)
		p.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
		p.looks(25*time.Second, a) // a was only asleep, and takes itself for the one
		p.wants(away, back)
	})
}

func TestWatch_ASenderThatIsGone(t *testing.T) {
	p := newPlace(t, dbtest.SQLite(t))
	w := p.process()
	p.looks(time.Minute, w)
	if _, err := p.Directory.RemoveSender(t.Context(), p.Account.Senders[0].ID); err != nil {
		t.Fatal(err)
	}
	p.looks(2*time.Minute, w)
	if n := p.Int(t, `SELECT count(*) FROM sender_states`); n != 2 {
		t.Errorf("%d states", n)
	}
	p.wants()
}
