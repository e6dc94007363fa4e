package auth

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"example.com/griot/auth/api"
	"example.com/griot/auth/dashboard"
	"example.com/griot/auth/login"
	"example.com/griot/auth/logout"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/auth/webhooks"
	"example.com/griot/gateway"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/task"
	"example.com/griot/internal/verb"
	"example.com/griot/internal/webhook"
	"example.com/griot/web"
)

// Options are the dependencies and settings of the service.
type Options struct {
	DB        *db.DB
	Key       *seal.Key
	Now       clock.Now
	Log       *slog.Logger
	Pages     *web.Pages
	Book      *web.Book
	URL       string // the public address: an http or https origin without a path
	Receivers []login.Receiver
	Limits    *limit.Settings // nil: nothing is limited
	// VerifyOnPublic also answers /internal/verify on the public listener, to this machine only (`griot dev`).
	VerifyOnPublic bool
	PhonesURL      string // address of the page of the virtual phones, if they stand in for WhatsApp; empty: they don't
	Accounts       string // address of the accounts' dashboard, to which the tenants' one leads; empty: unknown
	OpenAPI        []byte // served at /openapi.yaml
	StateMax       int    // the longest state, in characters; at least 256
	Operator       web.Operator
	// Terms and Privacy are the operator's own texts, with empty lines between
	// paragraphs. If one is empty, Griot's own is used.
	Terms, Privacy string
	Webhooks       Webhooks
	Resolver       *net.Resolver   // looks up the records of tenants' domains; nil: the system's
	Metrics        metrics.Groups  // the zero value counts nothing
	KeepAudit      time.Duration   // how long audit events are kept; 0: permanently
	Identity       *identity.Store // the numbers of people whose number WhatsApp hides
	Gateways       *gateway.Set    // of the receivers
	AskForNumber   func() bool     // reports whether people whose number WhatsApp hides are asked for it; nil: never
	ConfirmSignIn  func() bool     // reports whether a message that proves a login gets a reply; nil: never
}

// Webhooks are the settings of the tenants' webhooks.
type Webhooks struct {
	Dial   safedial.Options // allowed targets
	Timing webhook.Timing   // zero: that of production
	Agent  string           // User-Agent
	Keep   time.Duration    // how long events are kept; 0: permanently
}

func (w *Webhooks) dial() safedial.Options {
	dial := w.Dial
	dial.Idle = webhook.IdlePerHost
	return dial
}

// Service is the login service. It is safe for concurrent use.
type Service struct {
	API       *api.API // the HTTP interface without the dashboard
	Dashboard *dashboard.Dashboard
	Tenants   *tenant.Store  // also records what gateways report wrongly
	Logins    *login.Service // also takes the messages and reports of the gateways

	log       *slog.Logger
	signer    *token.Signer
	endpoints *webhooks.Endpoints
	clients   *logout.Clients
	webhooks  *webhook.Dispatcher // of the tenants' events
	logouts   *webhook.Dispatcher // of logout tokens
}

// New returns the service. It starts nothing and opens no connections. It writes only the signing key, if none exists.
func New(ctx context.Context, o Options) (*Service, error) {
	own, err := httpx.ParseOwn(o.URL)
	if err != nil {
		return nil, err
	}
	signer, err := token.Open(ctx, o.DB, o.Key, o.Now)
	if err != nil {
		return nil, err
	}
	signer.Log = o.Log
	s := &Service{log: o.Log, signer: signer, Tenants: tenant.New(o.DB, o.Now)}
	s.Tenants.Resolver = o.Resolver
	signal, logouts := &webhook.Signal{}, &webhook.Signal{}
	s.Logins = login.New(login.Options{
		DB: o.DB, Key: o.Key, Now: o.Now, Issuer: own.URL, Receivers: o.Receivers, Limits: o.Limits, KeepAudit: o.KeepAudit, Metrics: o.Metrics.Logins,
		Tenants: s.Tenants, Identity: o.Identity, Gateways: o.Gateways, Ask: o.AskForNumber, Reply: o.ConfirmSignIn,
		Notify: func() {
			signal.Notify()
			logouts.Notify()
		},
	})
	s.endpoints = webhooks.NewEndpoints(s.webhookEndpoints(&o, signal))
	to := webhookOptions(&o, signal, "auth")
	to.Keep = o.Webhooks.Keep
	s.webhooks = webhooks.NewDispatcher(to)
	s.clients = logout.NewClients(s.webhookEndpoints(&o, logouts), s.Tenants)
	s.logouts = logout.NewDispatcher(webhookOptions(&o, logouts, "logout"), signer, own.URL)
	return s, s.openSurfaces(&o, own)
}

// webhookEndpoints returns what the tenants' endpoints and the clients' logout addresses share.
func (s *Service) webhookEndpoints(o *Options, signal *webhook.Signal) webhook.Endpoints {
	return webhook.Endpoints{DB: o.DB, Key: o.Key, Dial: o.Webhooks.dial(), Now: o.Now, Signal: signal, Changed: s.Tenants.ClearCache}
}

// webhookOptions returns the options that both dispatchers share. service is the dispatcher's name in metrics.
func webhookOptions(o *Options, signal *webhook.Signal, service string) webhook.Options {
	timing := o.Webhooks.Timing
	if timing.Schedule == nil {
		timing = webhook.StandardTiming()
	}
	return webhook.Options{
		DB: o.DB, Key: o.Key, Client: safedial.Client(o.Webhooks.dial()), Timing: timing, Now: o.Now, Log: o.Log, Signal: signal, Agent: o.Webhooks.Agent,
		Metrics: o.Metrics.Webhooks.Dispatcher(service, webhook.Failures()),
	}
}

// openSurfaces creates the HTTP interface and the tenants' dashboard.
func (s *Service) openSurfaces(o *Options, own httpx.Own) (err error) {
	legal := web.NewLegal(o.Pages, apierror.Auth, own.URL, o.Operator, o.Terms, o.Privacy)
	legal.Replies = o.ConfirmSignIn
	s.API, err = api.New(api.Options{
		Tenants: s.Tenants, Logins: s.Logins, Signer: s.signer, Endpoints: s.endpoints, Clients: s.clients, Ping: o.DB.Ping, Now: o.Now, Log: o.Log, Metrics: o.Metrics,
		Pages: o.Pages, Book: o.Book, Own: own, Receivers: o.Receivers, Limits: o.Limits, VerifyOnPublic: o.VerifyOnPublic, PhonesURL: o.PhonesURL, OpenAPI: o.OpenAPI, StateMax: o.StateMax, Legal: legal,
	})
	if err != nil {
		return err
	}
	h, limitSignIn, bodies := s.API.Shared()
	s.Dashboard = dashboard.New(dashboard.Options{
		HTTP: h, Own: own, Pages: o.Pages, Key: o.Key, Now: o.Now, Tenants: s.Tenants, Logins: s.Logins, Endpoints: s.endpoints, Clients: s.clients, LimitSignIn: limitSignIn, Bodies: bodies, Accounts: o.Accounts,
	})
	return nil
}

// Public returns the handler of the public listener: the endpoints and the tenants' dashboard.
func (s *Service) Public() http.Handler { return s.API.Handler(s.Dashboard.Routes()...) }

// Busy returns a handler that refuses every request with 429 rate_limited.
func (s *Service) Busy() http.Handler { return s.API.Busy() }

// Internal returns the handler of the internal listener.
func (s *Service) Internal() http.Handler { return s.API.InternalHandler() }

// Verbs returns the operator's verbs of this service. They use this node's store and signer, so that their caches see the
// changes.
func (s *Service) Verbs() verb.Verbs {
	return authverbs.Verbs(s.Tenants, s.Logins, s.signer, s.endpoints, s.clients)
}

// ServerTasks lists the background tasks of a process that serves logins. They rotate the signing keys, deliver webhook
// events and logout tokens, store counted audit events, evict logins that other nodes changed from the cache, and delete
// old rows.
func (s *Service) ServerTasks() []task.Task {
	return []task.Task{
		{Name: "signing keys", Run: s.signer.Run},
		{Name: "tenants' webhooks", Run: s.webhooks.Run},
		{Name: "logout tokens", Run: s.logouts.Run},
		{Name: "tenants' counted events", Run: func(ctx context.Context) error { return s.Tenants.RunCounts(ctx, s.log) }},
		{Name: "logins of other nodes", Run: func(ctx context.Context) error { return s.Logins.Run(ctx, s.log) }},
		{Name: "login sweeps", Run: func(ctx context.Context) error { return s.Logins.RunSweeps(ctx, s.log) }},
	}
}

// MessageTask is the background task of a process whose gateways deliver messages. It asks people whose number WhatsApp
// hides for it, and tells people on their phones that they are signed in.
func (s *Service) MessageTask() task.Task {
	return task.Task{Name: "messages of logins", Run: func(ctx context.Context) error { return s.Logins.RunMessages(ctx, s.log) }}
}
