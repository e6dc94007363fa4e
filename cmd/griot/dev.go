package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/cmd/griot/showcase"
	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/gateway/virtual"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/connlimit"
	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/idn"
	"example.com/griot/internal/limit"
	"example.com/griot/internal/safedial"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/textfile"
	"example.com/griot/messaging/media"
)

// virtualKind is the kind of the gateway of the virtual phones.
const virtualKind = "virtual"

// devOptions are dev's flags. Each has a GRIOT_* variable, which the flag overrides.
type devOptions struct {
	APIListen      string           `env:"API_LISTEN"`
	AuthListen     string           `env:"AUTH_LISTEN"`
	InternalListen string           `env:"INTERNAL_LISTEN"`
	Data           string           `env:"DATA"`
	WebhookURL     string           `env:"WEBHOOK_URL"`
	SiteURL        string           `env:"SITE_URL"`
	Database       string           `env:"DATABASE"`
	AllowHosts     []string         `env:"ALLOW_HOSTS"`
	Phones         string           `env:"PHONES"`
	RateLimits     bool             `env:"RATE_LIMITS"`
	Showcase       bool             `env:"SHOWCASE"`
	WithWhatsApp   string           `env:"WITH_WHATSAPP"`
	WhatsAppListen string           `env:"WHATSAPP_LISTEN"` // griot-whatsapp's own variable
	LogLevel       string           `env:"LOG_LEVEL"`
	SendWait       time.Duration    `env:"SEND_WAIT"`    // no flag; for tests
	UnknownWait    time.Duration    `env:"UNKNOWN_WAIT"` // no flag; for tests
	Sandbox        bool             `env:"SANDBOX"`      // SVC_SANDBOX=1 does the same
	AuthStateMax   int              `env:"AUTH_STATE_MAX"`
	Signup         string           `env:"SIGNUP"`
	Retention      config.Retention `envPrefix:"RETENTION_"`
	Limits         limit.Settings   `envPrefix:"LIMITS_"`   // enabled by RateLimits, like the next field
	OTP            config.OTP       `envPrefix:"OTP_"`      // guards of one-time codes
	Operator       config.Operator  `envPrefix:"OPERATOR_"` // the operator that /terms and /privacy name
	AccountsSetURL bool             `env:"WEBHOOKS_ACCOUNTS_SET_URL"`
}

func devCommand() *cobra.Command {
	usual := config.ForDev(devfile.Folder)
	o := devOptions{
		APIListen: usual.API.Listen, AuthListen: usual.Auth.Listen, InternalListen: usual.Internal.Listen, WhatsAppListen: "127.0.0.1:9091",
		Data: devfile.Folder, SiteURL: siteURL, Phones: "file", Signup: usual.Signup, Showcase: true, LogLevel: usual.Log.Level, Retention: usual.Retention, OTP: usual.OTP, Limits: usual.Limits, AuthStateMax: usual.Auth.StateMax,
		SendWait: usual.SendWait, UnknownWait: usual.UnknownWait, Operator: usual.Operator,
	}
	envErr := config.Variables(&o, os.Environ())
	o.Sandbox = o.Sandbox || os.Getenv("SVC_SANDBOX") == "1"
	c := &cobra.Command{
		Use:   "dev",
		Short: "Run everything on your machine, with virtual phones",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if envErr != nil {
				return envErr
			}
			return dev(c.Context(), c, &o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.APIListen, "api-listen", o.APIListen, "listen address of the messaging API")
	f.StringVar(&o.AuthListen, "auth-listen", o.AuthListen, "listen address of the login service")
	f.StringVar(&o.InternalListen, "internal-listen", o.InternalListen, "listen address of the internal interface (loopback)")
	f.StringSliceVar(&o.AllowHosts, "allow-host", o.AllowHosts, "host name to accept in requests, in addition to IP addresses and localhost; repeat the flag for more")
	f.StringVar(&o.Data, "data", o.Data, "directory for all data")
	f.StringVar(&o.WebhookURL, "webhook-url", o.WebhookURL, "URL for the events of the demo business account")
	f.StringVar(&o.SiteURL, "site-url", o.SiteURL, "URL of your site, where logins of the client in dev.env return")
	f.StringVar(&o.Database, "database", o.Database, "sqlite:PATH or postgres://... (default: a file in the data directory)")
	f.StringVar(&o.Phones, "phones", o.Phones, "storage of the virtual phones' messages: file or memory")
	f.BoolVar(&o.RateLimits, "rate-limits", o.RateLimits, "limit request rates as griot serve does")
	f.BoolVar(&o.Showcase, "showcase", o.Showcase, "create a demo account and a demo tenant with a history")
	f.StringVar(&o.WithWhatsApp, "with-whatsapp", o.WithWhatsApp, "run "+linkedProgram+" for linked WhatsApp numbers; =NUMBER makes a number a sender of the demo business account")
	f.Lookup("with-whatsapp").NoOptDefVal = withoutNumber
	f.StringVar(&o.WhatsAppListen, "whatsapp-listen", o.WhatsAppListen, "listen address of "+linkedProgram+" (loopback)")
	f.StringVar(&o.LogLevel, "log-level", o.LogLevel, "log level: debug, info, warn, or error")
	return c
}

// configuration returns the settings of the flags and variables.
func (o *devOptions) configuration() *config.Config {
	c := config.ForDev(o.Data)
	if o.Database != "" {
		c.Database = o.Database
	}
	c.RateLimits, c.Sandbox, c.Signup, c.SendWait, c.UnknownWait = o.RateLimits, o.Sandbox, o.Signup, o.SendWait, o.UnknownWait
	c.Auth.StateMax, c.Retention, c.Limits, c.OTP, c.Operator, c.Log.Level = o.AuthStateMax, o.Retention, o.Limits, o.OTP, o.Operator, o.LogLevel
	c.Webhooks.AccountsSetURL = o.AccountsSetURL
	return c
}

func dev(ctx context.Context, c *cobra.Command, o *devOptions) (err error) {
	started := startSmall()
	cfg := o.configuration()
	log, err := newLog(cfg.Log)
	if err != nil {
		return err
	}
	slog.SetDefault(log)
	if err := cfg.CheckShared(); err != nil {
		return err
	}
	if o.Phones != "file" && o.Phones != "memory" {
		return exit.Usage("--phones must be file or memory")
	}
	if !config.Loopback(o.InternalListen) {
		return exit.Usage("--internal-listen must be a loopback address, because the internal interface is only for this machine")
	}
	for i, name := range o.AllowHosts {
		if ascii, ok := idn.ASCII(name); ok {
			name, o.AllowHosts[i] = ascii, ascii
		}
		if !httpx.IsHostName(name) {
			return exit.Usage("--allow-host must be a name such as griot.test, without a port")
		}
	}
	if err := os.MkdirAll(o.Data, 0o700); err != nil {
		return err
	}
	key, err := devMasterKey(filepath.Join(o.Data, "master.key"))
	if err != nil {
		return err
	}
	state, err := devfile.Load(filepath.Join(o.Data, devfile.Name))
	if err != nil {
		return err
	}
	ls, err := openDevListeners(ctx, o)
	if err != nil {
		return err
	}
	defer ls.close()
	d, err := openDeployed(ctx, cfg.Database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()

	setAddresses(state, ls)
	if state.GatewaySecret == "" {
		state.GatewaySecret = newGatewaySecret()
	}
	linked, err := prepareLinked(ctx, o, state)
	if err != nil {
		return err
	}
	p, err := newHost(ctx, d, cfg.Database, key, log, newProbes(), false)
	if err != nil {
		return err
	}
	if err := seedLogin(ctx, d, state, strings.TrimSuffix(o.SiteURL, "/")); err != nil {
		return fmt.Errorf("demo data: %w", err)
	}
	cfg.Auth.Receivers = devReceivers(linked, state.GatewaySecret)
	state.ReceiverPhoneID = cfg.Auth.Receivers[0].PhoneID
	cfg.Auth.URL, cfg.API.URL, cfg.Dev.PhonesURL = state.AuthURL, state.BaseURL, state.BaseURL+"/dev/phones"
	if state.ReceiverPhoneID == demoReceiver { // WhatsApp knows a linked number, and the phones can't write to it
		cfg.Dev.LoginPhonesURL = cfg.Dev.PhonesURL
	}
	cfg.API.WhatsAppSignIn = config.WhatsAppSignIn{ClientID: state.Dashboard.ClientID, ClientSecret: state.Dashboard.ClientSecret}
	var phones *virtual.Gateway
	gateways, err := linked.besides(gatewaystore.Configured{Name: devGateway, Kind: virtualKind, Open: func(s gateway.Sink) (gateway.Sender, error) {
		phones, err = openPhones(ctx, o, d, key, state, s, &cfg.Dev, log)
		return phones, err
	}})
	if err != nil {
		return err
	}
	a, err := openApp(ctx, p, cfg, gateways)
	if err != nil {
		return err
	}
	if err := a.start(ctx); err != nil {
		return err
	}
	if err := seed(ctx, a, state, o.WebhookURL); err != nil {
		return fmt.Errorf("demo data: %w", err)
	}
	if err := seedLinked(ctx, a, state, linked); err != nil {
		return err
	}
	var past *showcase.Options
	if o.Showcase {
		if past, err = seedShowcase(ctx, a, state); err != nil {
			return fmt.Errorf("demo data: %w", err)
		}
	}
	api, err := devHandler(a, phones, state)
	if err != nil {
		return err
	}
	running := make(chan error, 1)
	runCtx, stop := context.WithCancel(ctx)
	defer stop()
	sites := []site{{listener: ls.internal, handler: a.internal(), last: true}, {listener: ls.auth, handler: a.auth.Public()}, {listener: ls.api, handler: api}}
	connections := connlimit.New(connlimit.Defaults(), nil, log)
	for i := range sites {
		sites[i].listener = connections.Listener(sites[i].listener)
		sites[i].handler = httpx.OnlyHosts(o.AllowHosts, hostRefused, sites[i].handler)
	}
	public := ls.public()
	if len(public) > 0 {
		log.Warn("griot dev listens beyond this machine: anyone who can reach it can read the phones and send as the demo accounts", "addresses", public)
	}
	ls.release()
	if linked != nil {
		ended := make(chan struct{})
		go func() { defer close(ended); linked.run(runCtx, log) }()
		defer func() { stop(); <-ended }()
		linked.awaitListener(runCtx)
	}
	go func() { running <- a.run(runCtx, sites) }()
	if past != nil {
		stored := storeHistory(runCtx, past, a.messaging.Directory, log)
		defer func() { <-stored }()
		select {
		case <-stored:
		case <-time.After(historyWait):
		}
	}
	err = ready(ctx, state)
	if err == nil {
		err = state.SaveEnvironment(o.Data)
	}
	if err == nil {
		err = state.Save(filepath.Join(o.Data, devfile.Name))
	}
	if err == nil {
		err = banner(c.OutOrStdout(), state, programName(os.Args[0]), o.Data, public, linked.notes(state))
	}
	if err != nil {
		stop()
	}
	started(ctx, d)
	return errors.Join(err, <-running)
}

// devListeners are opened first, so that port 0 can be requested.
type devListeners struct{ api, auth, internal net.Listener }

func openDevListeners(ctx context.Context, o *devOptions) (ls *devListeners, err error) {
	ls = &devListeners{}
	for _, l := range []struct {
		to            *net.Listener
		address, flag string
	}{{&ls.api, o.APIListen, "--api-listen"}, {&ls.auth, o.AuthListen, "--auth-listen"}, {&ls.internal, o.InternalListen, "--internal-listen"}} {
		if *l.to, err = listen(ctx, l.address); err != nil {
			ls.close()
			return nil, fmt.Errorf("%s: %w", l.flag, err)
		}
	}
	return ls, nil
}

func (ls *devListeners) close() {
	for _, l := range []net.Listener{ls.api, ls.auth, ls.internal} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// public returns the addresses that other machines can reach.
func (ls *devListeners) public() (out []string) {
	for _, l := range []net.Listener{ls.api, ls.auth, ls.internal} {
		if !config.Loopback(l.Addr().String()) {
			out = append(out, l.Addr().String())
		}
	}
	return out
}

// hostRefused is the answer to requests with another name as Host. If they were served, a page whose own name points to this
// machine could read the phones with its visitor's browser.
const hostRefused = "griot dev responds only to IP addresses, localhost, and the names in --allow-host."

// release prevents close from closing the listeners, because the servers close them now.
func (ls *devListeners) release() { ls.api, ls.auth, ls.internal = nil, nil, nil }

// devMasterKey reads the key from a file, and creates it on the first start.
func devMasterKey(path string) (*seal.Key, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		b = []byte(seal.NewMasterKey())
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		return nil, err
	}
	return seal.ParseKey(textfile.Line(string(b)))
}

func openPhones(ctx context.Context, o *devOptions, d *db.DB, key *seal.Key, state *devfile.State, s gateway.Sink, switches *config.Dev, log *slog.Logger) (*virtual.Gateway, error) {
	path := ""
	if o.Phones == "file" {
		path = filepath.Join(o.Data, "virtual.db")
	}
	return virtual.New(ctx, virtual.Options{
		Path: path, Sink: s, Now: clock.System, Log: log, Box: key.Box("virtual-phones"), BaseURL: state.BaseURL, AskForNumber: switches.AskForNumber, ConfirmSignIn: switches.ConfirmSignIn,
		Contacts: func(ctx context.Context) ([]virtual.Contact, error) {
			return demoContacts(ctx, d, state.ReceiverPhoneID == demoReceiver)
		},
		Groups: demoGroups(), Phones: demoPhones(), FetchMedia: media.New(media.NewClient(safedial.Options{Loopback: true}), clock.System).Fetch,
	})
}
