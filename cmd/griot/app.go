package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"time"

	authapi "example.com/griot/auth/api"
	"example.com/griot/auth/login"
	oauthclient "example.com/griot/client/login"
	"example.com/griot/docs"
	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/admin"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/masterkey"
	"example.com/griot/internal/probe"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	messagingadmin "example.com/griot/messaging/admin"
	"example.com/griot/messaging/alerts"
	messagingapi "example.com/griot/messaging/api"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/closing"
	"example.com/griot/messaging/dashboard"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/health"
	"example.com/griot/messaging/inbox"
	"example.com/griot/messaging/mail"
	"example.com/griot/messaging/media"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/otp"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/pairing"
	"example.com/griot/messaging/privacy"
	"example.com/griot/openapi"
	operatorpages "example.com/griot/operator"
	"example.com/griot/web"
	"example.com/griot/web/book"
)

// settings are what serve and dev make an app from.
type settings struct {
	db             *db.DB
	database       string // its address
	key            *seal.Key
	newerSchema    bool // take a database that a newer program has migrated
	log            *slog.Logger
	roles          []string
	authURL        string
	apiURL         string
	receivers      []login.Receiver
	limits         bool
	plansOff       bool
	rates          limit.Settings // held where limits is, as the next
	otpLimits      config.OTP
	sandbox        bool
	signup         string // closed, invite, open
	sendWait       time.Duration
	unknownWait    time.Duration
	underWay       int64
	media          config.Media // zero: the defaults
	retention      config.Retention
	verifyOnPublic bool            // dev: /internal/verify on the auth listener too
	phonesURL      string          // dev: where the virtual phones are
	operator       config.Operator // who answers for the services
	authTexts      legalTexts      // the operator's own
	apiTexts       legalTexts
	stateMax       int              // the longest state of an application
	dial           safedial.Options // from where media may be fetched
	webhookDial    safedial.Options // where webhooks may go
	webhookTiming  webhook.Timing
	gateways       func() ([]gatewaystore.Configured, error) // of the configuration
	billing        config.Billing
	whatsApp       func() *oauthclient.Client // by which people sign in to the dashboard
	probes         *probes                    // nil: its own
	drainDelay     time.Duration              // between that /readyz fails and that the listeners close
}

// legalTexts are an operator's own texts for /terms and /privacy of a service.
type legalTexts struct{ terms, privacy string }

// app is a running Griot: both services, the gateways, and what works behind them.
type app struct {
	s            settings
	pages        *web.Pages
	directory    *account.Directory
	gatewayStore *gatewaystore.Store
	gateways     *gateway.Set
	inbox        *inbox.Inbox
	engine       *delivery.Service
	otp          *otp.Service
	people       *privacy.Service
	auth         *authapi.API
	messaging    *messagingapi.API
	dashboard    *dashboard.Dashboard
	webhooks     *webhook.Dispatcher
	endpoints    *events.Endpoints
	alerts       *alerts.Service
	pairing      *pairing.Service
	verbs        admin.Verbs
	rotation     *masterkey.Rotation
	operator     *operatorpages.Pages
	certificate  *served // nil: there is none
}

func newApp(ctx context.Context, s settings) (*app, error) {
	if s.probes == nil {
		s.probes = newProbes()
	}
	s.db.CountBy(s.probes.metrics.Database)
	migrate := func(ctx context.Context) error { _, err := s.db.Migrate(ctx); return err }
	if s.newerSchema {
		migrate = s.db.MigrateOrNewer
	}
	if err := migrate(ctx); err != nil {
		return nil, databaseFault(s.database, err)
	}
	rotation := newRotation(s.db, s.key, s.log)
	if err := rotation.Open(ctx); err != nil {
		return nil, err
	}
	pages, err := web.New()
	if err != nil {
		return nil, err
	}
	presets, err := message.LoadPresets()
	if err != nil {
		return nil, err
	}
	a := &app{s: s, rotation: rotation, pages: pages, directory: account.NewDirectory(s.db, clock.System)}
	a.directory.PlansOff, a.directory.Signup = s.plansOff, account.Signup(s.signup)
	a.rotation.Walks = a.has(config.RoleWorker)
	signal := &webhook.Signal{}
	a.inbox = inbox.New(inbox.Options{DB: s.db, Keep: time.Duration(s.retention.Inbox), Key: s.key, Directory: a.directory, Now: clock.System, Log: s.log, Notify: signal.Notify, Gateway: func(name string) gateway.Sender { return a.gateways.Get(name) }, Media: inbox.MediaOptions{
		URL: s.apiURL, Public: safedial.Client(s.dial), MaxSize: s.media.MaxSize, AccountSize: s.media.AccountSize,
	}})
	in := &sink{inbox: a.inbox, log: s.log}
	if err = a.openGateways(ctx, in); err != nil {
		return nil, err
	}
	a.engine = delivery.New(delivery.Options{
		DB: s.db, Key: s.key, Directory: a.directory, Presets: presets, Gateways: a.gateways, Now: clock.System, Log: s.log, Sandbox: s.sandbox, Failpoint: failpoint(), AcceptOnly: !slices.Contains(s.roles, config.RoleWorker), Media: media.New(safedial.Client(s.dial), clock.System), Links: s.dial, Wait: s.sendWait, UnknownWait: s.unknownWait, MaxBacklog: s.underWay, Notify: signal.Notify, Metrics: s.probes.metrics.Groups,
	})
	if a.has(config.RoleWorker) {
		if err := a.engine.Recover(ctx); err != nil {
			return nil, err
		}
	}
	if err := a.warnPaused(ctx); err != nil {
		return nil, err
	}
	a.openWebhooks(signal)
	a.otp = otp.New(otp.Options{
		DB: s.db, Key: s.key, Engine: a.engine, Presets: presets, Now: clock.System, Log: s.log, Limits: otpLimits(s), Sandbox: s.sandbox, Metrics: s.probes.metrics.Codes,
	})
	a.people = privacy.New(privacy.Options{DB: s.db, Keep: time.Duration(s.retention.Audit), Key: s.key, Directory: a.directory, Engine: a.engine, Now: clock.System, Log: s.log, URL: s.apiURL})
	since, err := s.operator.SinceDay()
	if err != nil {
		return nil, err
	}
	runBy := web.Operator{Name: s.operator.Name, Contact: s.operator.Contact, Since: since}
	documentation := web.NewBook(pages, book.Open(docs.Files(), book.Origins{Auth: s.authURL, Messaging: s.apiURL}))
	a.auth, err = authapi.New(ctx, authapi.Options{
		DB: s.db, Key: s.key, Now: clock.System, Log: s.log, Pages: pages, Book: documentation, URL: s.authURL, Receivers: s.receivers,
		Limits: s.limits, Rates: &s.rates, VerifyOnPublic: s.verifyOnPublic, PhonesURL: s.phonesURL, OpenAPI: openapi.Auth(),
		Operator: runBy, Terms: s.authTexts.terms, Privacy: s.authTexts.privacy, StateMax: s.stateMax, Webhooks: authapi.Webhooks{Dial: s.webhookDial, Timing: s.webhookTiming, Agent: "Griot/" + version, Keep: time.Duration(s.retention.Events)}, KeepAudit: time.Duration(s.retention.Audit),
		Metrics: s.probes.metrics.Groups,
	})
	if err != nil {
		return nil, err
	}
	a.alerts = alerts.New(alerts.Options{DB: s.db, Directory: a.directory, Engine: a.engine, Now: clock.System, Log: s.log, URL: s.apiURL})
	sales, err := openBilling(ctx, a.directory, &s)
	if err != nil {
		return nil, err
	}
	a.pairing = pairing.New(pairing.Options{DB: s.db, Directory: a.directory, Engine: a.engine, Now: clock.System, Log: s.log, URL: s.apiURL})
	a.messaging, err = messagingapi.New(messagingapi.Options{
		Billing: sales, Alerts: a.alerts, Pairing: a.pairing, People: a.people, DB: s.db, Directory: a.directory, Engine: a.engine, OTP: a.otp, Inbox: a.inbox, Now: clock.System, Log: s.log, Pages: pages, Book: documentation, URL: s.apiURL,
		OpenAPI: openapi.Messaging(), Operator: runBy, Terms: s.apiTexts.terms, Privacy: s.apiTexts.privacy, Limits: s.limits, Rates: &s.rates, Endpoints: a.endpoints, Metrics: s.probes.metrics.HTTP.Service("messaging"),
		Mail: mail.New(mail.Options{Engine: a.engine, Directory: a.directory, Key: s.key, Log: s.log, URL: s.apiURL, Codes: s.rates.CodeEmail, SignUps: signUps(s), DailySignUps: s.rates.SignupDaily}),
	})
	in.login, in.audit, in.engine, in.gateways = a.auth.Inbound, a.auth.Foreign, a.engine, a.gateways
	if err != nil {
		return nil, err
	}
	a.dashboard, err = dashboard.New(dashboard.Options{
		API: a.messaging, People: a.people, Key: s.key, WhatsApp: s.whatsApp, DB: s.db, Directory: a.directory, Engine: a.engine, OTP: a.otp, Endpoints: a.endpoints, Inbox: a.inbox, Now: clock.System, Pages: pages, URL: s.apiURL, Simulates: s.sandbox,
	})
	if err != nil {
		return nil, err
	}
	a.operator = operatorpages.New(operatorpages.Options{Verbs: func() admin.Verbs { return a.verbs }, Pages: pages, Now: clock.System, Log: s.log, Record: a.recordOperator, Metrics: s.probes.metrics.HTTP.Service("operator")})
	a.verbs, err = adminVerbs(a.auth.Admin(), a.messaging.Admin(a.gatewayStore), messagingadmin.Webhooks(s.db, a.endpoints), messagingadmin.OTP(a.otp), messagingadmin.Audit(s.db, a.directory), messagingadmin.Messages(s.db, clock.System), messagingadmin.People(a.people, a.directory), messagingadmin.Sending(s.db, clock.System, a.engine.SeePause), masterKeyVerbs(a.rotation, true),
		messagingadmin.HealthVerbs(messagingadmin.HealthOptions{DB: s.db, Now: clock.System, Version: version, Since: clock.System(), NodeID: a.engine.NodeID}), a.operator.Verbs())
	return a, err
}

// warnPaused logs that the deployment sends nothing.
func (a *app) warnPaused(ctx context.Context) error {
	p, err := a.sendingPause(ctx)
	if err == nil && p != nil {
		a.s.log.WarnContext(ctx, "sending is paused: messages are accepted, and wait (griot admin resume)", "since", p.At, "reason", string(p.Reason))
	}
	return err
}

func (a *app) sendingPause(ctx context.Context) (*outbox.SendingPause, error) {
	return outbox.FindSendingPause(a.s.db.Read(ctx))
}

// recordOperator stores that a session of the operator's pages was opened or closed.
func (a *app) recordOperator(ctx context.Context, action, sessionID string) error {
	event := audit.New(audit.WithActor(ctx, audit.Actor{Type: audit.Operator}), clock.System(), "", action, sessionID)
	return a.s.db.Write(ctx, func(tx *db.Tx) error { return audit.Record(tx, event) })
}

// signUps is the rate of one client's address, where rates are limited.
func signUps(s settings) limit.Rate {
	if !s.limits {
		return limit.Rate{}
	}
	return s.rates.SignupAddress
}

// otpLimits are the guards against pumping, where rates are limited.
func otpLimits(s settings) *otp.Limits {
	if !s.limits {
		return nil
	}
	c := s.otpLimits
	return &otp.Limits{
		PrefixDigits: c.PrefixDigits, PrefixHourly: c.PrefixHourly, CountryHourly: c.CountryHourly, Countries: c.Countries, AccountPercent: c.AccountPercent, Accounts: c.Accounts,
		Sample: c.BreakerSample, Verified: c.BreakerVerified, Block: c.BreakerBlock,
	}
}

// background lists what runs beside the listeners, by role.
func (a *app) background() []func(context.Context) error {
	runs := []func(context.Context) error{
		a.gatewayStore.Run, a.rotation.Run, a.watchClock,
		func(ctx context.Context) error { return a.directory.Follow(ctx, a.s.log) },
		func(ctx context.Context) error { return a.s.db.Run(ctx, a.s.log) },
		func(ctx context.Context) error { return a.gateways.Run(ctx, a.has(config.RoleGateway)) },
	}
	if a.has(config.RoleWorker) {
		sweeper := &audit.Sweeper{DB: a.s.db, Now: clock.System, Log: a.s.log, Keep: time.Duration(a.s.retention.Audit)}
		messages := &outbox.Sweeper{DB: a.s.db, Swept: message.NewSweptKeys(a.s.key), Now: clock.System, Log: a.s.log, Messages: time.Duration(a.s.retention.Messages), Content: time.Duration(a.s.retention.Content)}
		runs = append(runs, a.engine.Run, a.otp.Run, a.inbox.Run, a.inbox.RunMedia, a.inbox.RunReads, a.people.Run, a.webhooks.Run, a.alerts.Run, a.pairing.Run, sweeper.Run, messages.Run)
		runs = append(runs, closing.New(closing.Options{DB: a.s.db, Directory: a.directory, Engine: a.engine, Now: clock.System, Log: a.s.log}).Run)
	}
	if a.has(config.RoleWorker) && a.has(config.RoleGateway) { // without the gateways' work, none looks connected
		runs = append(runs, health.New(health.Options{
			DB: a.s.db, Directory: a.directory, Detail: a.engine.Detail, Now: clock.System, Log: a.s.log, Notify: a.endpoints.Signal.Notify,
		}).Run)
	}
	if a.has(config.RoleAuth) {
		runs = append(runs, a.auth.Run)
	}
	if a.has(config.RoleAPI) {
		runs = append(runs, a.messaging.Run)
	}
	return runs
}

func (a *app) has(role string) bool { return slices.Contains(a.s.roles, role) }

// internal returns the handler of what is for this machine only.
func (a *app) internal() http.Handler {
	mux := http.NewServeMux()
	if a.has(config.RoleAuth) {
		mux.Handle("/internal/", a.auth.InternalHandler())
	}
	mux.Handle(admin.Path, admin.Handler(a.verbs, a.s.key, clock.System, a.s.log))
	pages := a.operator.Handler()
	for _, path := range operatorpages.Paths() {
		mux.Handle(path, pages)
	}
	probes := a.s.probes.handler()
	for _, path := range probe.Paths() {
		mux.Handle(path, probes)
	}
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	return mux
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var c net.ListenConfig
	return c.Listen(ctx, "tcp", address)
}
