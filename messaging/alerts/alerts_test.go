package alerts_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/alerts"
	"example.com/griot/messaging/connections"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/quota"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const fromPlatform = "bonjour@griot.example"

// world is a messaging world that records the mails to the owner.
type world struct {
	*messagingtest.World
	t       *testing.T
	monitor *connections.Monitor

	mu      sync.Mutex
	mails   []gateway.Outbound
	refuses bool // the gateway refuses mails
}

func newWorld(t *testing.T, d *db.DB) *world {
	t.Helper()
	w := &world{World: messagingtest.New(t, d, "pro"), t: t}
	if err := w.Directory.CreatePlatformSender(t.Context(), account.Sender{Channel: gateway.Email, Address: fromPlatform, Gateway: "fake"}); err != nil {
		t.Fatal(err)
	}
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.refuses {
			return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "no_luck"}
		}
		if out.From == fromPlatform {
			w.mails = append(w.mails, *out)
		}
		return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
	})
	w.monitor = w.NewMonitor()
	w.Run(t, w.Delivery)
	return w
}

func (w *world) refuse(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refuses = on
}

// mailed returns the subjects of the mails so far.
func (w *world) mailed() (subjects []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.mails {
		subjects = append(subjects, m.Subject)
	}
	return subjects
}

// checks makes each service check once.
func (w *world) checks(all ...*alerts.Service) {
	w.t.Helper()
	for _, s := range all {
		if err := s.Check(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) wants(want ...string) {
	w.t.Helper()
	if got := w.mailed(); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		w.t.Fatalf("mails %q, want %q", got, want)
	}
}

// kinds returns the account's alerts, as seen by its owner or another member.
func (w *world) kinds(s *alerts.Service, owner bool) string {
	w.t.Helper()
	a, err := w.Directory.Account(w.t.Context(), w.Account.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	c := &account.Caller{Account: a, Kind: account.Dashboard, Role: account.RoleOwner}
	if !owner {
		c.Role, c.MemberID = account.RoleViewer, "member"
	}
	all, err := s.List(w.t.Context(), c)
	if err != nil {
		w.t.Fatal(err)
	}
	n, err := s.Count(w.t.Context(), c)
	if err != nil || n != len(all) {
		w.t.Errorf("%d alerts are counted and %d listed, %v", n, len(all), err)
	}
	var kinds []string
	for _, alert := range all {
		kinds = append(kinds, string(alert.Kind))
	}
	return strings.Join(kinds, " ")
}

// used sets the used part of the daily quota; the quota of pro is 5,000.
func (w *world) used(n int64) {
	w.t.Helper()
	w.exec(`INSERT INTO quotas (account_id, day, used) VALUES ($1, $2, $3) ON CONFLICT (account_id, day) DO UPDATE SET used = excluded.used`, w.Account.ID, quota.Day(w.Clock.Now()), n)
}

func (w *world) exec(text string, args ...any) {
	w.t.Helper()
	w.Exec(w.t, text, args...)
}

// monitored makes the health monitor check the senders' states for one minute.
func (w *world) monitored() {
	w.t.Helper()
	for range 13 {
		if err := w.monitor.Check(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		w.Clock.Advance(5 * time.Second)
	}
}

func (w *world) disabled(reason string) {
	w.t.Helper()
	w.exec(`INSERT INTO webhook_endpoints (account_id, owner_until, changed_at, pause, disabled_at, disabled_for) VALUES ($1, 0, 0, 0, $2, $3)
 ON CONFLICT (account_id) DO UPDATE SET disabled_at = excluded.disabled_at, disabled_for = excluded.disabled_for`, w.Account.ID, db.Ms(w.Clock.Now()), reason)
}

const (
	near   = "80% of today's messages are used"
	full   = "Today's messages are all used"
	down   = "Your sender +22370000003 can't send"
	off    = "Your webhook endpoint is disabled"
	unpaid = "A payment has failed"
)

// inEnglish sets the language of the account's mails to English.
func (w *world) inEnglish() *world {
	w.exec(`UPDATE accounts SET lang = 'en' WHERE id = $1`, w.Account.ID)
	w.Directory.ForgetAll()
	return w
}

func TestAlerts_QuotaOnceADay(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d).inEnglish()
		a, b := w.NewAlerts(), w.NewAlerts()
		w.used(3999)
		w.checks(a, b)
		w.wants()
		w.used(4000)
		if got := w.kinds(a, false); got != "quota_near" {
			t.Errorf("a member sees %q", got)
		}
		w.checks(a, b, a, b)
		w.wants(near)
		w.used(5000)
		w.checks(b, a)
		w.wants(near, full)
		for _, n := range []int64{4999, 100, 4500, 5001} { // the alert closes and opens again, without another mail that day
			w.used(n)
			w.checks(a, b)
			w.wants(near, full)
		}
		w.Clock.Advance(24 * time.Hour)
		w.checks(a, b)
		if got := w.kinds(a, true); got != "" {
			t.Errorf("the next day has %q", got)
		}
		w.used(5000)
		w.checks(a, b)
		w.wants(near, full, full)
		if m := w.mails[2]; m.To != w.Account.Email || !strings.Contains(m.Text, "All 5000 of today's messages are used.") || !strings.Contains(m.Text, w.URL+"/dashboard\n") {
			t.Errorf("the mail: %+v", m)
		}
	})
}

func TestAlerts_ASenderIsMailedEachTimeThatItGoesDown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d).inEnglish()
		a, b := w.NewAlerts(), w.NewAlerts()
		w.monitored()
		w.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
		w.checks(a, b)
		w.wants() // it might recover on its own
		w.monitored()
		w.checks(a, b, a, b)
		w.wants(down)
		w.Gateway.SetState(messagingtest.SMS, gateway.Banned) // it is still down
		w.monitored()
		w.checks(a, b)
		w.wants(down)
		if got := w.kinds(a, false); got != "sender_down" {
			t.Errorf("the list has %q", got)
		}
		w.Gateway.SetState(messagingtest.SMS, gateway.Connected)
		w.monitored()
		w.checks(b, a)
		if got := w.kinds(a, true); got != "" {
			t.Errorf("after it came back the list has %q", got)
		}
		w.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
		w.monitored()
		w.checks(a, b)
		w.wants(down) // at most one mail per hour about the same sender
		w.Clock.Advance(time.Hour)
		w.checks(a, b, a)
		w.wants(down, down)
		if m := w.mails[1]; !strings.Contains(m.Text, "can't send. Logged out. Messages go") || !strings.Contains(m.Text, "/dashboard/senders/snd_") {
			t.Errorf("the mail: %s", m.Text)
		}
	})
}

// A number under the timelock can still reply, and its mail says so, with the end and the reason.
func TestAlerts_OfARestrictedSender(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t)).inEnglish()
	s := w.NewAlerts()
	w.monitored()
	w.Gateway.SetDetail(messagingtest.SMS, gateway.ConnDetail{State: gateway.Restricted, Reason: gateway.ReachOutTimelock, Until: messagingtest.Start.Add(26 * time.Hour)})
	for range 2 {
		w.monitored()
		w.checks(s, s)
	}
	w.wants("Your sender +22370000003 is restricted")
	if m := w.mails[0]; !strings.Contains(m.Text, "still answers. Restricted until 2026-03-05 14:00 UTC. It sent too many first messages to people who had never written to it. Such messages") {
		t.Errorf("the mail: %s", m.Text)
	}
}

// A paused sender causes no alert.
func TestAlerts_NotOfAPausedSender(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	s := w.NewAlerts()
	w.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
	w.monitored()
	for _, from := range w.Account.Senders {
		if from.Address == messagingtest.SMS {
			if found, err := w.Directory.PauseSender(t.Context(), w.Account.ID, from.ID); err != nil || !found {
				t.Fatal(found, err)
			}
		}
	}
	w.checks(s)
	w.wants()
	if got := w.kinds(s, true); got != "" {
		t.Errorf("the list has %q", got)
	}
}

func TestAlerts_TheWebhookAndTheBillAreTheOwners(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d).inEnglish()
		w.SetWebhook(t, "https://shop.example/hooks")
		s := w.NewAlerts()
		w.disabled("gone")
		w.exec(`INSERT INTO billing_customers (account_id, provider, mode, customer_id, revision, subscription_id, status, entitled, created_at) VALUES ($1, 'stripe', 'TEST', 'cus_1', 1, 'sub_1', 'past_due', 0, 0)`, w.Account.ID)
		if owner, member := w.kinds(s, true), w.kinds(s, false); owner != "webhook_disabled billing_failed" || member != "" {
			t.Errorf("the owner sees %q and a member %q", owner, member)
		}
		w.checks(s)
		if got := w.mailed(); len(got) != 2 || !strings.Contains(strings.Join(got, ";"), off) || !strings.Contains(strings.Join(got, ";"), unpaid) {
			t.Fatalf("mails %q", got)
		}
		w.exec(`UPDATE billing_customers SET status = 'active'`)
		w.Clock.Advance(time.Second)
		w.disabled("gone") // it was enabled and failed again before a check, so this is another time
		w.checks(s, s)
		if got := w.mailed(); len(got) != 3 || got[2] != off || !strings.Contains(w.mails[2].Text, "it answered 410 Gone") {
			t.Errorf("mails %q", got)
		}
		if got := w.kinds(s, true); got != "webhook_disabled" {
			t.Errorf("the list has %q", got)
		}
	})
}

// A mail that fails is sent again, until it is sent or the alert is resolved.
func TestAlerts_AMailThatFailsIsRetried(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		s := w.NewAlerts()
		w.used(4500)
		w.refuse(true)
		w.checks(s, s)
		if n := w.Int(t, `SELECT tries FROM account_alerts`); n != 1 {
			t.Errorf("%d tries were counted, want 1", n)
		}
		w.Clock.Advance(2 * time.Minute)
		w.checks(s)
		w.refuse(false)
		w.checks(s)
		w.wants()
		w.Clock.Advance(5 * time.Minute)
		w.checks(s, s)
		w.wants("90 % des messages du jour sont utilisés") // in the account's language
		a, err := w.Directory.Account(t.Context(), w.Account.ID)
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.List(t.Context(), &account.Caller{Account: a, Kind: account.Dashboard, Role: account.RoleOwner})
		if err != nil || len(all) != 1 || !all[0].MailedAt.Equal(w.Clock.Now()) || !all[0].OpenedAt.Equal(messagingtest.Start) {
			t.Errorf("%+v %v, want it opened and mailed at its times", all, err)
		}
	})
}

// If the platform has no address, the account's own is used, and no quota limits Griot's messages.
func TestAlerts_WithoutAPlatformAddress(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	w.exec(`DELETE FROM senders WHERE account_id IS NULL`)
	w.Directory.ForgetAll()
	w.used(5000)
	w.checks(w.NewAlerts())
	for _, c := range w.Gateway.Calls() {
		if c.To == w.Account.Email && c.From == "hello@example.com" {
			return
		}
	}
	t.Errorf("no mail among %+v", w.Gateway.Calls())
}

// Many nodes that check at the same time send one mail.
func TestAlerts_OneOfManyMails(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d).inEnglish()
		w.used(5000)
		waittest.Together(8, func(int) {
			if err := w.NewAlerts().Check(context.Background()); err != nil {
				t.Error(err)
			}
		})
		w.Eventually(t, "a mail", func() (any, bool) { return w.mailed(), len(w.mailed()) > 0 })
		w.Clock.Advance(10 * time.Minute)
		w.checks(w.NewAlerts(), w.NewAlerts())
		w.wants(full)
	})
}

// Alerts that were resolved long ago are deleted.
func TestAlerts_AreSwept(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	s := w.NewAlerts()
	w.used(5000)
	w.checks(s)
	w.Clock.Advance(24 * time.Hour)
	w.checks(s)
	w.Clock.Advance(31 * 24 * time.Hour)
	w.checks(s)
	if n := w.Int(t, `SELECT count(*) FROM account_alerts`); n != 0 {
		t.Errorf("%d alerts are kept, want none", n)
	}
}

// The plan in effect determines the alert: a larger plan resolves it immediately, and an expired one causes it.
func TestAlerts_ByThePlanInEffect(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d).inEnglish()
		s := w.NewAlerts()
		plan := func(name string, expires, trial any) {
			t.Helper()
			w.exec(`UPDATE accounts SET plan = $1, plan_expires_at = $2, trial_ends_at = $3 WHERE id = $4`, name, expires, trial, w.Account.ID)
			w.Directory.ForgetAll()
			w.checks(s)
		}
		open := func(want int) {
			t.Helper()
			if n := w.Int(t, `SELECT count(*) FROM account_alerts WHERE resolved_at IS NULL`); n != want {
				t.Errorf("%d alerts are open, want %d", n, want)
			}
		}
		later := db.Ms(w.Clock.Now().Add(time.Hour))
		w.used(4500)
		plan("pro", nil, nil)
		open(1)
		plan("business", later, nil)
		open(0)
		plan("unlimited", nil, nil)
		open(0)
		plan("free", nil, later) // a trial of pro
		open(1)
		w.wants("90% of today's messages are used")
		plan("business", db.Ms(w.Clock.Now()), nil) // it has expired
		open(1)
		w.wants("90% of today's messages are used", full)
	})
}

func TestAlerts_NotOfAClosedAccount(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	s := w.NewAlerts()
	w.used(5000)
	w.Gateway.SetState(messagingtest.SMS, gateway.LoggedOut)
	w.monitored()
	w.exec(`UPDATE accounts SET closed_at = 1`)
	w.Directory.ForgetAll()
	w.checks(s)
	w.wants()
	if n := w.Int(t, `SELECT count(*) FROM account_alerts`); n != 0 {
		t.Errorf("%d alerts, want none", n)
	}
}
