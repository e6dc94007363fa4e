// Package messaging assembles the messaging service from its configuration and the resources of the process, and provides
// the handlers and tasks that a program serves and runs.
package messaging

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"example.com/griot/client/login"
	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/webhook"
	"example.com/griot/internal/whole"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/alerts"
	"example.com/griot/messaging/api"
	"example.com/griot/messaging/closing"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/erasure"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/media"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/pairing"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/sender"
	"example.com/griot/messaging/stats"
	"example.com/griot/messaging/webhooks"
	"example.com/griot/openapi"
	"example.com/griot/web"
)

// Env holds the resources that the process provides. All of them are required.
type Env struct {
	DB        *db.DB // migrated
	Key       *seal.Key
	Gateways  *gateway.Set // gateways can be opened after the service
	Stored    *gatewaystore.Store
	Identity  *identity.Store // the numbers of people whose number WhatsApp hides
	Pages     *web.Pages
	Book      *web.Book
	Now       clock.Now
	Log       *slog.Logger
	Metrics   *metrics.Metrics
	Version   string
	Failpoint func(name string) // called at each of [delivery.Failpoints]
}

// Service is the messaging service. It is safe for concurrent use.
type Service struct {
	Directory *account.Directory
	Endpoints *webhooks.Endpoints
	Delivery  *delivery.Service
	OTP       *otp.Service

	e         *Env
	c         *config.Config
	inbox     *inbox.Inbox
	erasure   *erasure.Service
	alerts    *alerts.Service
	pairing   *pairing.Service
	sales     *sales
	closing   *closing.Service
	mail      *mail.Service
	messages  *message.Reader
	webhooks  *webhook.Dispatcher
	api       *api.API
	dashboard *dashboard.Dashboard
}

// Open returns the service. It starts nothing, connects to nothing, and writes nothing.
func Open(e *Env, c *config.Config) (*Service, error) {
	if err := whole.Check("messaging.Env", e); err != nil {
		return nil, err
	}
	presets, err := message.LoadPresets()
	if err != nil {
		return nil, err
	}
	s := &Service{e: e, c: c, Directory: account.NewDirectory(e.DB, e.Now)}
	s.Directory.PlansOff, s.Directory.Signup = c.Plans == "off", account.Signup(c.Signup)
	signal := &webhook.Signal{}
	s.openWebhooks(signal)
	public := safedial.Client(c.MediaDial())
	s.inbox = inbox.New(inbox.Options{
		DB: e.DB, Keep: time.Duration(c.Retention.Inbox), Key: e.Key, Directory: s.Directory, Now: e.Now, Log: e.Log, Signal: signal, Gateway: e.Gateways.Get,
		Media: inbox.MediaOptions{URL: c.API.URL, Public: public, MaxSize: c.Media.MaxSize, AccountSize: c.Media.AccountSize},
	})
	s.Delivery = delivery.New(delivery.Options{
		DB: e.DB, Key: e.Key, Directory: s.Directory, Presets: presets, Gateways: e.Gateways, Now: e.Now, Log: e.Log, Sandbox: c.Sandbox, Failpoint: e.Failpoint, AcceptOnly: !c.HasRole(config.RoleWorker),
		Media: media.New(media.NewClient(c.MediaDial()), e.Now), Links: c.MediaDial(), Wait: c.SendWait, UnknownWait: c.UnknownWait, MaxBacklog: c.UnderWay, Signal: signal, Metrics: e.Metrics.Groups,
	})
	s.OTP = otp.New(otp.Options{DB: e.DB, Key: e.Key, Delivery: s.Delivery, Presets: presets, Now: e.Now, Log: e.Log, Limits: otpLimits(c), Sandbox: c.Sandbox, Metrics: e.Metrics.Codes})
	s.erasure = erasure.New(erasure.Options{DB: e.DB, Keep: time.Duration(c.Retention.Audit), Key: e.Key, Directory: s.Directory, Delivery: s.Delivery, Now: e.Now, Log: e.Log, URL: c.API.URL, Forget: e.Identity.Forget})
	s.alerts = alerts.New(alerts.Options{DB: e.DB, Directory: s.Directory, Delivery: s.Delivery, Now: e.Now, Log: e.Log, URL: c.API.URL})
	s.pairing = pairing.New(pairing.Options{DB: e.DB, Directory: s.Directory, Delivery: s.Delivery, Now: e.Now, Log: e.Log, URL: c.API.URL})
	if s.sales, err = openSales(s, c); err != nil {
		return nil, err
	}
	var signUps limit.Rate
	if limits := c.ActiveLimits(); limits != nil {
		signUps = limits.SignupAddress
	}
	s.messages = &message.Reader{DB: e.DB, Directory: s.Directory, Now: e.Now}
	s.mail = mail.New(mail.Options{Delivery: s.Delivery, Directory: s.Directory, Key: e.Key, Log: e.Log, URL: c.API.URL, Codes: c.Limits.CodeEmail, SignUps: signUps, DailySignUps: c.Limits.SignupDaily})
	s.closing = closing.New(closing.Options{DB: e.DB, Directory: s.Directory, Delivery: s.Delivery, Billing: s.sales.service, Mail: s.mail, Now: e.Now, Log: e.Log})
	return s, s.openSurfaces()
}

// openWebhooks creates the webhook endpoints and the dispatcher of account events.
func (s *Service) openWebhooks(signal *webhook.Signal) {
	dial, timing := s.c.WebhookDial(), webhook.StandardTiming()
	dial.Idle = webhook.IdlePerHost
	if s.c.Dev.ShortDelays {
		timing = webhook.ShortTiming()
	}
	s.Endpoints = webhooks.NewEndpoints(webhook.Endpoints{DB: s.e.DB, Key: s.e.Key, Dial: dial, Now: s.e.Now, Signal: signal, Changed: s.Directory.ForgetAll})
	s.Endpoints.AccountsSetURL = s.c.Webhooks.AccountsSetURL
	s.webhooks = webhooks.NewDispatcher(webhook.Options{
		DB: s.e.DB, Key: s.e.Key, Client: safedial.Client(dial), Timing: timing, Now: s.e.Now, Log: s.e.Log, Signal: signal, Agent: "Griot/" + s.e.Version, Keep: time.Duration(s.c.Retention.Events),
		Metrics: s.e.Metrics.Webhooks.Dispatcher("messaging", webhook.Failures()),
	})
}

// openSurfaces creates the API and the dashboard.
func (s *Service) openSurfaces() error {
	e, c := s.e, s.c
	since, err := c.Operator.SinceDay()
	if err != nil {
		return err
	}
	optOuts := &optout.Service{DB: e.DB, Directory: s.Directory, People: person.NewKey(e.Key), Now: e.Now}
	senders := &sender.Service{DB: e.DB, Delivery: s.Delivery, Now: e.Now}
	statistics := &stats.Stats{DB: e.DB, Directory: s.Directory, Now: e.Now}
	s.api, err = api.New(api.Options{
		Billing: s.sales.service, Alerts: s.alerts, Pairing: s.pairing, Erasure: s.erasure, OptOuts: optOuts, Messages: s.messages, Senders: senders, Stats: statistics, Closing: s.closing,
		Directory: s.Directory, Delivery: s.Delivery, OTP: s.OTP, Inbox: s.inbox, Mail: s.mail, Endpoints: s.Endpoints, Now: e.Now, Log: e.Log, Ping: e.DB.Ping,
		Pages: e.Pages, Book: e.Book, URL: c.API.URL, Version: e.Version, OpenAPI: openapi.Messaging(), Operator: web.Operator{Name: c.Operator.Name, Contact: c.Operator.Contact, Since: since},
		Terms: c.API.Terms, Privacy: c.API.Privacy, Limits: c.ActiveLimits(), Metrics: e.Metrics.HTTP.Service("messaging"),
	})
	if err != nil {
		return err
	}
	var whatsApp *login.Client
	if by := c.API.WhatsAppSignIn; by.ClientID != "" {
		if whatsApp, err = dashboard.NewWhatsApp(c.Auth.URL, c.API.URL, by.ClientID, by.ClientSecret, e.Now); err != nil {
			return err
		}
	}
	s.dashboard, err = dashboard.New(dashboard.Options{
		HTTP: s.api.HTTP(), Sessions: s.api.Sessions(), Changes: s.api.WebhookStream,
		Billing: s.sales.service, Alerts: s.alerts, Pairing: s.pairing, Erasure: s.erasure, OptOuts: optOuts, Messages: s.messages, Senders: senders, Stats: statistics, Closing: s.closing,
		Directory: s.Directory, Delivery: s.Delivery, OTP: s.OTP, Inbox: s.inbox, Endpoints: s.Endpoints, Now: e.Now, Key: e.Key, WhatsApp: whatsApp,
		Pages: e.Pages, URL: c.API.URL, Contact: c.Operator.Contact, Simulates: c.Sandbox, PhonesURL: c.Dev.PhonesURL, Tenants: c.TenantsDashboard(),
	})
	return err
}

// otpLimits returns the limits against SMS pumping; nil if rates are not limited.
func otpLimits(c *config.Config) *otp.Limits {
	if !c.RateLimits {
		return nil
	}
	o := c.OTP
	return &otp.Limits{
		PrefixDigits: o.PrefixDigits, PrefixHourly: o.PrefixHourly, CountryHourly: o.CountryHourly, Countries: o.Countries, AccountPercent: o.AccountPercent, Accounts: o.Accounts,
		Sample: o.BreakerSample, Verified: o.BreakerVerified, Block: o.BreakerBlock,
	}
}

// Public returns the handler of the public listener.
func (s *Service) Public() http.Handler { return s.api.Handler(s.dashboard.Routes()...) }

// Busy returns a handler that refuses every request with 429 rate_limited.
func (s *Service) Busy() http.Handler { return s.api.Busy() }

// Separate separates a WhatsApp ID from a number in the accounts that have joined them, because their pair has ended. It
// must be called in that transaction.
func (s *Service) Separate(tx *db.Tx, p *identity.Pair) error {
	separated, err := person.SeparateAll(tx, p.ID, p.Number)
	if err != nil || !separated {
		return err
	}
	return account.NoteChange(tx)
}

// Inbound returns the sink for messages and receipts of gateways. The sink returns [gateway.ErrForeign] for numbers that
// don't belong to the gateway.
func (s *Service) Inbound() gateway.Sink { return &sink{s.inbox, s.Delivery} }

// NumberFor returns our number that a message without one was sent to; see [inbox.Inbox.NumberFor].
func (s *Service) NumberFor(ctx context.Context, gatewayName string, channel gateway.Channel, receivers []string) (string, error) {
	return s.inbox.NumberFor(ctx, gatewayName, channel, receivers)
}

type sink struct {
	inbox  *inbox.Inbox
	engine *delivery.Service
}

// Inbound implements [gateway.Sink].
func (s *sink) Inbound(ctx context.Context, in gateway.Inbound) error {
	return s.inbox.Receive(ctx, in)
}

// Receipt implements [gateway.Sink].
func (s *sink) Receipt(ctx context.Context, r gateway.Receipt) error { return s.engine.Receipt(ctx, r) }

// Change implements [gateway.Sink].
func (s *sink) Change(ctx context.Context, c gateway.Change) error { return s.inbox.Change(ctx, c) }
