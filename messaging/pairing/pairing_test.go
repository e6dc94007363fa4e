package pairing_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/actor"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/pairing"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const number = messagingtest.WhatsApp

type world struct {
	*messagingtest.World
	t    *testing.T
	from account.Sender
}

func newWorld(t *testing.T, d *db.DB) *world {
	w := &world{World: messagingtest.New(t, d, "business"), t: t}
	w.Gateway.Pairings.Offered.Store(true)
	w.Gateway.SetState(number, gateway.LoggedOut)
	w.from = w.Account.Senders[slices.IndexFunc(w.Account.Senders, func(s account.Sender) bool { return s.Address == number })]
	return w
}

func (w *world) start(s *pairing.Service, method gateway.PairingMethod) gateway.PairingProgress {
	w.t.Helper()
	now, err := s.Start(actor.With(w.t.Context(), actor.Actor{Type: actor.Owner, Email: "awa@example.com"}), w.from, method)
	if err != nil {
		w.t.Fatal(err)
	}
	return now
}

// checks makes nodes check every ten seconds for a time.
func (w *world) checks(while time.Duration, nodes ...*pairing.Service) {
	w.t.Helper()
	for end := w.Clock.Now().Add(while); w.Clock.Now().Before(end); w.Clock.Advance(10 * time.Second) {
		waittest.Together(len(nodes), func(i int) {
			if err := nodes[i].Check(w.t.Context()); err != nil {
				w.t.Error(err)
			}
		})
	}
}

// did compares the audit log's events about pairings, including the reasons.
func (w *world) did(want ...string) {
	w.t.Helper()
	events, _, err := audit.List(w.DB.Read(w.t.Context()), &audit.Filter{AccountID: w.Account.ID, Action: "sender.", Limit: 50})
	if err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		if e.Action == audit.SenderAdded {
			continue
		}
		line := e.Action + " " + string(e.Actor.Type) + " " + e.Details["method"]
		if e.Details["reason"] != "" {
			line += " " + e.Details["reason"]
		}
		got = append(got, line)
	}
	slices.Sort(got) // events in the same millisecond have no order
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Errorf("the audit log has %q, want %q", got, want)
	}
}

// mails returns the texts of the mails to the owner.
func (w *world) mails() (texts []string) {
	for _, out := range w.Gateway.Calls() {
		if out.Channel == gateway.Email && out.To == w.Account.Email {
			texts = append(texts, out.Subject+"\n"+out.Text)
		}
	}
	return texts
}

const (
	started = "sender.pairing_started owner qr"
	paired  = "sender.paired system qr"
	failed  = "sender.pairing_failed system qr "
)

// No browser is open. The result is still recorded, once by several nodes, and the owner gets one mail.
func TestPairing_IsNoticedOnceByManyNodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		nodes := []*pairing.Service{w.NewPairing(), w.NewPairing(), w.NewPairing()}
		if now := w.start(nodes[0], gateway.PairByQR); now.State != gateway.PairingWaiting || now.QR != "2@1" {
			t.Fatalf("started: %+v", now)
		}
		w.checks(20*time.Second, nodes...)
		w.did(started)
		w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingDone})
		w.checks(20*time.Second, nodes...)
		waittest.Together(len(nodes), func(i int) {
			if now, err := nodes[i].Progress(t.Context(), w.from); err != nil || now.State != gateway.PairingDone {
				t.Errorf("%+v, %v", now, err)
			}
		})
		w.did(started, paired)
		if first, days := w.Int(t, `SELECT warm_first FROM senders WHERE id = $1`, w.from.ID), w.Int(t, `SELECT warm_days FROM senders WHERE id = $1`, w.from.ID); first != 20 || days != 7 {
			t.Errorf("got a warm-up of %d messages and %d days, want 20 and 7", first, days)
		}
		w.WaitForCalls(t, 1)
		w.checks(10*time.Minute, nodes...)
		if got := w.mails(); len(got) != 1 || !strings.HasPrefix(got[0], "Le numéro +22370000001 a été associé\n") || !strings.Contains(got[0], "awa@example.com") || !strings.Contains(got[0], "/dashboard/senders/"+w.from.ID) {
			t.Errorf("%d mails: %q", len(got), got)
		}
	})
}

// The mail waits for a sender that can send it, and many nodes try.
func TestPairing_TheMailIsNotLost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		nodes := []*pairing.Service{w.NewPairing(), w.NewPairing()}
		w.start(nodes[0], gateway.PairByQR)
		w.Gateway.SetState("hello@example.com", gateway.Disconnected)
		w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingDone})
		for range 60 {
			for _, n := range nodes {
				_ = n.Check(t.Context()) // no sender can send it
			}
			w.Clock.Advance(5 * time.Second)
		}
		if got := w.mails(); len(got) != 0 {
			t.Fatalf("mailed: %q", got)
		}
		w.Gateway.SetState("hello@example.com", gateway.Connected)
		w.checks(2*time.Hour, nodes...)
		w.WaitForCalls(t, 1)
		if got := w.mails(); len(got) != 1 {
			t.Errorf("%d mails: %q", len(got), got)
		}
		if n := w.Int(t, `SELECT count(*) FROM messages WHERE source = 'notice'`); n != 1 {
			t.Errorf("%d messages, want 1", n)
		}
	})
}

func TestPairing_GoesOnAndChangesItsMethod(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		s, other := w.NewPairing(), w.NewPairing()
		w.start(s, gateway.PairByQR)
		if now := w.start(other, gateway.PairByQR); now.QR != "2@1" || w.Gateway.Pairings.Started() != 1 {
			t.Errorf("again: %+v, started %d times", now, w.Gateway.Pairings.Started())
		}
		if now := w.start(other, gateway.PairByCode); now.Code != "ABCD-0002" || now.QR != "" {
			t.Errorf("by code: %+v", now)
		}
		if now, err := s.Cancel(t.Context(), w.from); err != nil || now.State != gateway.PairingFailed || now.Reason != gateway.PairingCancelled {
			t.Errorf("canceled: %+v, %v", now, err)
		}
		if now, err := s.Cancel(t.Context(), w.from); err != nil || now.Reason != gateway.PairingCancelled {
			t.Errorf("canceled again: %+v, %v", now, err)
		}
		w.did(started, "sender.pairing_failed owner qr cancelled", "sender.pairing_started owner code", "sender.pairing_failed system code cancelled")
		if n := w.Int(t, `SELECT count(*) FROM sender_pairings WHERE ended_at IS NULL`); n != 0 || len(w.mails()) != 0 {
			t.Errorf("%d rows are open, mails %q", n, w.mails())
		}
		if n := w.Int(t, `SELECT count(*) FROM sender_pairings WHERE reason LIKE '%ABCD%' OR reason LIKE '%2@%'`); n != 0 {
			t.Error("a code is stored")
		}
	})
}

// Several tabs and nodes start a pairing at the same time. There is only one pairing.
func TestPairing_StartedAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		nodes := []*pairing.Service{w.NewPairing(), w.NewPairing(), w.NewPairing(), w.NewPairing()}
		waittest.Together(len(nodes), func(i int) {
			if _, err := nodes[i].Start(t.Context(), w.from, gateway.PairByQR); err != nil {
				t.Error(err)
			}
		})
		w.did("sender.pairing_started system qr")
		if n := w.Gateway.Pairings.Started(); n != 1 {
			t.Errorf("started %d times", n)
		}
	})
}

func TestPairing_HowItEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		s := w.NewPairing()
		var did []string
		for _, tt := range []struct {
			after func()
			want  []string
		}{
			{func() {
				w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingFailed, Reason: gateway.PairingExpired})
			}, []string{failed + "expired"}},
			{func() { // the gateway does not know it anymore
				w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingNone})
			}, []string{failed + "interrupted"}},
			{func() { // the same, and the number is linked
				w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingNone})
				w.Gateway.SetState(number, gateway.Connected)
			}, []string{paired}},
			{func() {
				w.Gateway.Pairings.FailWith(&gateway.Error{Class: gateway.Temporary, Code: "provider_unavailable"})
			}, []string{failed + "gateway_unavailable"}},
			{func() {}, []string{failed + "expired"}}, // the gateway never ends it
			{func() {
				if _, _, err := w.Directory.RemoveSender(t.Context(), w.from.ID, func(*db.Query) (bool, error) { return false, nil }); err != nil {
					t.Error(err)
				}
			}, []string{"sender.removed system ", failed + "sender_removed"}},
		} {
			w.Gateway.Pairings.FailWith(nil)
			w.Gateway.SetState(number, gateway.LoggedOut)
			w.start(s, gateway.PairByQR)
			tt.after()
			w.checks(70*time.Minute, s)
			did = append(append(did, started), tt.want...)
			w.did(slices.Clone(did)...)
		}
	})
}

// A node does not have the gateway yet that another node has opened.
func TestPairing_WithoutItsGatewayForAWhile(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	s := w.NewPairing()
	w.start(s, gateway.PairByQR)
	has := func(name string) {
		w.Exec(t, `UPDATE sender_pairings SET gateway = $1`, name)
	}
	has("to-come")
	w.checks(10*time.Minute, s)
	w.did(started)
	has(w.from.Gateway)
	w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingDone})
	w.checks(time.Minute, s)
	w.did(started, paired)
	w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingNone})
	w.start(s, gateway.PairByQR)
	has("to-come")
	w.checks(20*time.Minute, s)
	w.did(started, paired, started, failed+"gateway_unavailable")
}

// A gateway does not know anymore that a number was linked, because it was restarted, or the phone has unlinked it.
func TestPairing_LinkedNoMore(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	s := w.NewPairing()
	w.start(s, gateway.PairByQR)
	w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingDone})
	w.checks(time.Minute, s)
	w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingNone})
	for state, want := range map[gateway.ConnState]gateway.PairingState{
		gateway.Connected: gateway.PairingDone, gateway.Connecting: gateway.PairingDone, gateway.Disconnected: gateway.PairingDone, gateway.Restricted: gateway.PairingDone,
		gateway.LoggedOut: gateway.PairingNone, gateway.Banned: gateway.PairingNone, gateway.Pairing: gateway.PairingNone,
	} {
		w.Gateway.SetState(number, state)
		if now, err := s.Progress(t.Context(), w.from); err != nil || now.State != want {
			t.Errorf("the number is %s: %+v, %v, want %s", state, now, err, want)
		}
	}
}

// The process dies between storing the row and the gateway's response.
func TestPairing_AfterACrash(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		s := w.NewPairing()
		w.start(s, gateway.PairByQR)
		crash := func() {
			w.Exec(t, `UPDATE sender_pairings SET state = 'starting' WHERE ended_at IS NULL`)
		}
		crash()
		w.checks(time.Minute, s)
		w.did(started) // the gateway had started it
		w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingDone})
		w.checks(time.Minute, s)
		w.did(started, paired)
		w.Gateway.SetState(number, gateway.Connected)
		w.start(s, gateway.PairByQR)
		crash()
		w.Gateway.Pairings.Set(number, gateway.PairingProgress{State: gateway.PairingDone}) // this is the end of the first pairing
		w.checks(time.Minute, s)
		w.did(started, paired, started, failed+"interrupted")
	})
}

func TestPairing_Refusals(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	s := w.NewPairing()
	wants := func(want *apierror.Kind) {
		t.Helper()
		_, err := s.Start(t.Context(), w.from, gateway.PairByQR)
		if !errors.Is(err, want.Err()) {
			t.Errorf("got %v, want %s", err, want.Code)
		}
	}
	w.Gateway.Pairings.FailWith(&gateway.Error{Class: gateway.RateLimited, Code: "slow_down", RetryAfter: time.Minute})
	wants(apierror.RateLimited)
	w.Gateway.Pairings.FailWith(&gateway.Error{Class: gateway.SenderDown, Code: "credentials_refused"})
	wants(apierror.GatewayUnavailable)
	if !s.Offered(t.Context(), w.from) {
		t.Error("not offered while the gateway fails")
	}
	w.Gateway.Pairings.Offered.Store(false)
	wants(apierror.PairingUnsupported)
	if s.Offered(t.Context(), w.from) {
		t.Error("offered by a gateway that links no numbers")
	}
	w.from.Gateway = "none"
	wants(apierror.PairingUnsupported)
	w.did()
}
