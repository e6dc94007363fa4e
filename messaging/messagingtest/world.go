package messagingtest

import (
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/counts"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/web/webtest"
)

// Start is the time at which a world's clock starts.
var Start = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// The account's numbers.
const (
	WhatsApp = "22370000001"
	SMS      = "22370000003"
)

// A World is one account on a database, with every service of the program and the gateway that sends for it.
type World struct {
	dbtest.Handle
	*webtest.Listener
	Services

	Clock      *clock.Fake
	Directory  *account.Directory
	Gateway    *Gateway
	Gateways   *gateway.Set // has Gateway as "fake"
	Master     *seal.Key
	Presets    message.Presets
	Log        *logtest.Recorder // of the API and its services
	Account    *account.Account
	LiveCaller *account.Caller
	LiveKey    string

	changes *changes
}

// New returns a world whose account has a plan, and a sender on each channel.
func New(t testing.TB, d *db.DB, plan string, change ...func(*account.Spec)) *World {
	t.Helper()
	w := &World{Handle: dbtest.Handle{DB: d}, Listener: webtest.Listen(t), Clock: clock.NewFake(Start), Log: &logtest.Recorder{}, changes: &changes{}}
	w.Gateway = &Gateway{changes: w.changes}
	w.Gateways = gateway.NewSet(map[string]gateway.Sender{"fake": w.Gateway})
	var err error
	if w.Master, err = seal.ParseKey(seal.NewMasterKey()); err != nil {
		t.Fatal(err)
	}
	if w.Presets, err = message.LoadPresets(); err != nil {
		t.Fatal(err)
	}
	w.Directory = account.NewDirectory(d, w.Clock.Now)
	w.Endpoints = webhooks.NewEndpoints(webhook.Endpoints{DB: d, Key: w.Master, Dial: safedial.Options{Loopback: true}, Now: w.Clock.Now, Signal: &webhook.Signal{}, Changed: w.Directory.ForgetAll})
	w.Inbox = w.NewInbox()
	w.ReplaceDelivery()
	spec := &account.Spec{Name: "Test", Email: "test-" + plan + "@example.com", Plan: plan, Senders: []account.Sender{
		{Channel: gateway.WhatsApp, Address: WhatsApp, Gateway: "fake"},
		{Channel: gateway.SMS, Address: SMS, Gateway: "fake"},
		{Channel: gateway.Email, Address: "hello@example.com", Gateway: "fake"},
	}}
	for _, c := range change {
		c(spec)
	}
	made, err := w.Directory.Create(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	w.LiveKey = w.Key(t, made.ID, "", account.Live)
	if w.LiveCaller, err = w.Directory.Authenticate(t.Context(), w.LiveKey); err != nil || w.LiveCaller == nil {
		t.Fatalf("the new key opens nothing: %v", err)
	}
	w.Account = w.LiveCaller.Account
	return w
}

// Key creates a key.
func (w *World) Key(t testing.TB, accountID, projectID string, kind account.Kind) string {
	t.Helper()
	key, err := w.Directory.CreateKey(t.Context(), accountID, projectID, kind)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// SetWebhook sets the account's webhook endpoint.
func (w *World) SetWebhook(t testing.TB, url string) {
	t.Helper()
	w.Write(t, func(tx *db.Tx) error { return account.SetWebhook(tx, w.Account.ID, url) })
	w.Directory.ForgetAll()
	var err error
	if w.LiveCaller, err = w.Directory.Authenticate(t.Context(), w.LiveKey); err != nil {
		t.Fatal(err)
	}
	w.Account = w.LiveCaller.Account
}

// Message reads a message.
func (w *World) Message(t testing.TB, id string) *message.Message {
	t.Helper()
	m, err := message.Get(w.DB.Read(t.Context()), id)
	if err != nil || m == nil {
		t.Fatalf("message %s: %v, %v", id, m, err)
	}
	return m
}

// Receive simulates a message from a person to the account's WhatsApp number.
func (w *World) Receive(t testing.TB, from, id, text string) {
	t.Helper()
	in := gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.WhatsApp, From: from, To: WhatsApp, Text: text, At: w.Clock.Now()}
	if err := w.Inbox.Receive(t.Context(), in); err != nil {
		t.Fatal(err)
	}
}

// ReceiveMails sets a script that acknowledges every message and passes on the platform's mails.
func (w *World) ReceiveMails(t testing.TB, receive func(gateway.Outbound)) {
	t.Helper()
	const from = "bonjour@griot.example"
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		if out.From == from {
			receive(*out)
		}
		return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
	})
	if err := w.Directory.CreatePlatformSender(t.Context(), account.Sender{Channel: gateway.Email, Address: from, Gateway: "fake"}); err != nil {
		t.Fatal(err)
	}
}

// Int reads one number.
func (w *World) Int(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	if _, err := w.DB.Read(t.Context()).Row(query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// FenceAll ends the leases of all existing engines, so that another engine can take over their senders.
func (w *World) FenceAll(t testing.TB) {
	t.Helper()
	w.Exec(t, `UPDATE nodes SET epoch = epoch + 1`)
}

// Restart does what a new process does with its engine: recover, then run.
func (w *World) Restart(t testing.TB, e *delivery.Service) (stop func()) {
	t.Helper()
	w.FenceAll(t)
	if err := e.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w.Run(t, e)
}

// Run runs an engine's background work until the test ends or stop is called.
func (w *World) Run(t testing.TB, e *delivery.Service) (stop func()) {
	t.Helper()
	return waittest.Run(t, e.Run)
}

// Submit submits a request with the account's live key.
func (w *World) Submit(t testing.TB, r *message.Request) *delivery.Result {
	t.Helper()
	res, err := w.Delivery.Submit(t.Context(), w.LiveCaller, r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Store stores a message unchanged, without counting it toward its quota.
func (w *World) Store(t testing.TB, m *message.Message) {
	t.Helper()
	status := m.Status
	m.Status = message.Sandbox
	if err := outbox.New(w.DB, message.NewSweptKeys(w.Master), person.NewKey(w.Master), w.Clock.Now).Accept(t.Context(), []*outbox.Acceptance{{Message: m}}, false); err != nil {
		t.Fatal(err)
	}
	before := *m
	m.Status = status
	w.Write(t, func(tx *db.Tx) error {
		var log counts.Log
		log.Changed(&before, m)
		if err := log.Write(tx); err != nil {
			return err
		}
		_, err := tx.Exec(`UPDATE messages SET status = $1, rank = $2 WHERE id = $3`, string(status), status.Rank(), m.ID)
		return err
	})
}

var code = regexp.MustCompile(`^[0-9]{4,8}`)

// Code returns the one-time code in the last message to a number, which is given in digits, as gateways use it.
func (w *World) Code(t testing.TB, to string) string {
	t.Helper()
	for _, out := range slices.Backward(w.Gateway.Calls()) {
		if out.To == to {
			return code.FindString(out.Text)
		}
	}
	t.Fatalf("no message went to %s, want one with a code", to)
	return ""
}

// WrongCode returns a different code of the same length.
func WrongCode(code string) string {
	return string('0'+(code[0]-'0'+1)%10) + code[1:]
}
