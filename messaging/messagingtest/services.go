package messagingtest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/alerts"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/billing"
	"example.com/griot/messaging/closing"
	"example.com/griot/messaging/connections"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/erasure"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/pairing"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/sender"
	"example.com/griot/messaging/stats"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/openapi"
	"example.com/griot/web/webtest"
)

// Services are the services of the program, on one database and with one engine.
type Services struct {
	Delivery  *delivery.Service
	Inbox     *inbox.Inbox
	Endpoints *webhooks.Endpoints
	Erasure   *erasure.Service
	OTP       *otp.Service
	Mail      *mail.Service
	Billing   *billing.Service
	Alerts    *alerts.Service
	Pairing   *pairing.Service
	OptOuts   *optout.Service
	Messages  *message.Reader
	Senders   *sender.Service
	Stats     *stats.Stats
	Closing   *closing.Service
}

// open creates the services that use the engine.
func (w *World) open() {
	w.Erasure, w.OTP, w.Alerts, w.Pairing = w.NewErasure(), w.NewOTP(), w.NewAlerts(), w.NewPairing()
	w.Mail = mail.New(mail.Options{Delivery: w.Delivery, Directory: w.Directory, Key: w.Master, Log: w.Log.Logger(), URL: w.URL, Codes: limit.Defaults().CodeEmail})
	w.OptOuts = &optout.Service{DB: w.DB, Directory: w.Directory, People: person.NewKey(w.Master), Now: w.Clock.Now}
	w.Messages = &message.Reader{DB: w.DB, Directory: w.Directory, Now: w.Clock.Now}
	w.Senders = &sender.Service{DB: w.DB, Delivery: w.Delivery, Now: w.Clock.Now}
	w.Stats = &stats.Stats{DB: w.DB, Directory: w.Directory, Now: w.Clock.Now}
	w.SetBilling(nil, "")
}

// SetBilling sets the provider that sells plans and the contact for questions about them. Without a provider, only an
// operator can change plans.
func (w *World) SetBilling(provider billing.Provider, contact string) {
	w.Billing = billing.New(billing.Options{DB: w.DB, Directory: w.Directory, Provider: provider, Contact: contact, Now: w.Clock.Now, Log: w.Log.Logger(), URL: w.URL})
	w.Closing = closing.New(closing.Options{DB: w.DB, Directory: w.Directory, Delivery: w.Delivery, Billing: w.Billing, Mail: w.Mail, Now: w.Clock.Now, Log: w.Log.Logger()})
}

// ReplaceDelivery replaces the engine and the services that use it, like the start of another process.
func (w *World) ReplaceDelivery(change ...func(*delivery.Options)) {
	w.Delivery = w.NewDelivery(change...)
	w.open()
}

// NewNode returns another process on the same database, which has its own URL and its own cache of accounts. It shares
// the engine.
func (w *World) NewNode(t testing.TB) *World {
	t.Helper()
	n := *w
	n.Directory = account.NewDirectory(n.DB, n.Clock.Now)
	n.Listener = webtest.Listen(t)
	n.open()
	return &n
}

// NewDelivery returns another engine on the same database and gateway, like that of another process.
func (w *World) NewDelivery(change ...func(*delivery.Options)) *delivery.Service {
	o := with(delivery.Options{
		DB: w.DB, Key: w.Master, Directory: w.Directory, Presets: w.Presets, Gateways: w.Gateways, Now: w.Clock.Now,
		Log: slog.New(slog.DiscardHandler), Wait: 10 * time.Second, Attempt: 5 * time.Second, Signal: w.Endpoints.Signal, Lease: time.Minute, Poll: 10 * time.Millisecond,
		Links: safedial.Options{Loopback: true},
	}, change)
	failpoint := o.Failpoint
	o.Failpoint = func(name string) {
		w.changes.signal()
		if failpoint != nil {
			failpoint(name)
		}
	}
	s := delivery.New(o)
	if w.DB.Engine() == db.Postgres { // a process that does not run also has a lease
		if err := s.Recover(context.Background()); err != nil {
			panic(err)
		}
	}
	return s
}

// NewInbox returns another inbox, like that of another process.
func (w *World) NewInbox(change ...func(*inbox.Options)) *inbox.Inbox {
	return inbox.New(with(inbox.Options{DB: w.DB, Key: w.Master, Directory: w.Directory, Now: w.Clock.Now, Log: slog.New(slog.DiscardHandler)}, change))
}

// NewDispatcher returns a dispatcher of the account's events.
func (w *World) NewDispatcher(change ...func(*webhook.Options)) *webhook.Dispatcher {
	return webhooks.NewDispatcher(with(webhook.Options{
		DB: w.DB, Key: w.Master, Client: safedial.Client(safedial.Options{Loopback: true, Idle: 8}), Timing: webhook.StandardTiming(), Now: w.Clock.Now,
		Log: slog.New(slog.DiscardHandler), Signal: w.Endpoints.Signal, Agent: "Griot/test", Keep: 30 * 24 * time.Hour,
	}, change))
}

// NewErasure returns another service for exports and erasures, like that of another process.
func (w *World) NewErasure(change ...func(*erasure.Options)) *erasure.Service {
	return erasure.New(with(erasure.Options{
		DB: w.DB, Key: w.Master, Directory: w.Directory, Delivery: w.Delivery, Now: w.Clock.Now, Log: slog.New(slog.DiscardHandler), Poll: 10 * time.Millisecond,
	}, change))
}

// NewOTP returns another service for codes, like that of another process.
func (w *World) NewOTP(change ...func(*otp.Options)) *otp.Service {
	return otp.New(with(otp.Options{DB: w.DB, Key: w.Master, Delivery: w.Delivery, Presets: w.Presets, Now: w.Clock.Now, Log: w.Log.Logger()}, change))
}

// NewAlerts returns another service for alerts, like that of another process.
func (w *World) NewAlerts() *alerts.Service {
	return alerts.New(alerts.Options{DB: w.DB, Directory: w.Directory, Delivery: w.Delivery, Now: w.Clock.Now, Log: w.Log.Logger(), URL: w.URL})
}

// NewPairing returns another service for pairings, like that of another process.
func (w *World) NewPairing() *pairing.Service {
	return pairing.New(pairing.Options{DB: w.DB, Directory: w.Directory, Delivery: w.Delivery, Now: w.Clock.Now, Log: w.Log.Logger(), URL: w.URL})
}

// NewMonitor returns another monitor of the senders' connections, like that of another process.
func (w *World) NewMonitor() *connections.Monitor {
	return connections.New(connections.Options{DB: w.DB, Directory: w.Directory, Detail: w.Delivery.Detail, Now: w.Clock.Now, Log: w.Log.Logger(), Signal: w.Endpoints.Signal})
}

// NewAPI returns the API with every service of the world. Requests are not rate-limited, but codes by email are.
func (w *World) NewAPI(t testing.TB, change ...func(*api.Options)) *api.API {
	t.Helper()
	a, err := api.New(with(api.Options{
		Billing: w.Billing, Alerts: w.Alerts, Pairing: w.Pairing, Erasure: w.Erasure, OptOuts: w.OptOuts, Messages: w.Messages, Senders: w.Senders, Stats: w.Stats, Closing: w.Closing,
		Directory: w.Directory, Delivery: w.Delivery, OTP: w.OTP, Inbox: w.Inbox, Mail: w.Mail, Endpoints: w.Endpoints, Now: w.Clock.Now, Log: w.Log.Logger(), Ping: w.DB.Ping,
		Pages: webtest.NewPages(t), URL: w.URL, Version: "1.2.3", OpenAPI: openapi.Messaging(),
	}, change))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// with returns options after some changes.
func with[O any](o O, change []func(*O)) O {
	for _, c := range change {
		c(&o)
	}
	return o
}
