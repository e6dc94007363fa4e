package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/connlimit"
	"example.com/griot/internal/db"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/peercheck"
	"example.com/griot/internal/seal"
)

func serveCommand() *cobra.Command {
	o := &adminOptions{}
	var roles []string
	var newerSchema bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run Griot with griot.yaml and GRIOT_* variables",
		Long: "Run Griot with griot.yaml and GRIOT_* variables, which griot config check can validate.\n\n" +
			"A process has all roles, or the given ones:\n" +
			"  auth     the login service, at auth.url\n" +
			"  api      the messaging API and the dashboard, at api.url\n" +
			"  gateway  keeps the gateways' connections, and receives messages and receipts\n" +
			"  worker   sends queued messages, delivers webhooks, and cleans up",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("roles") {
				if err := config.CheckRoles(roles); err != nil {
					return exit.Usage("--roles: %w", err)
				}
			}
			ups := hangups() // from here on
			cfg, err := o.configuration(os.Environ())
			if err != nil {
				return configurationFault(err)
			}
			if len(roles) > 0 {
				cfg.Roles = roles
			}
			return configurationFault(serve(c.Context(), cfg, newerSchema, ups))
		},
	}
	o.place(c)
	c.Flags().BoolVar(&newerSchema, "newer-schema", false, "accept a database that a newer Griot has migrated, to go back by one version")
	c.Flags().StringSliceVar(&roles, "roles", nil, "roles of this process: auth,api,gateway,worker (default: all)")
	return c
}

func serve(ctx context.Context, cfg *config.Config, newerSchema bool, ups <-chan os.Signal) (err error) {
	started := startSmall()
	log, err := newLog(cfg.Log)
	if err != nil {
		return err
	}
	slog.SetDefault(log) // also for logs of the standard library, such as its HTTP client
	key, err := cfg.Key()
	if err != nil {
		return err
	}
	watched := newNotifyingProbes(notifySystemd(log))
	stopProbes, err := watched.listen(ctx, cfg.Probe.Listen, connlimit.New(cfg.Connections, nil, log), log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopProbes()) }()
	d, err := openDeployed(ctx, cfg.Database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	cfg.Dev.MediaLoopback = fetchesFromHere()
	a, err := startServer(ctx, d, key, cfg, newerSchema, log, watched)
	if refused, ok := errors.AsType[*db.SchemaError](err); ok {
		log.Error("this program can't use the database's schema", "schema", refused.Schema, "known", refused.Known)
	}
	if err != nil {
		return err
	}
	a.warnReceivers()
	if cfg.MasterKeyShared {
		log.Warn("others on this machine can read the master key (master_key_any_mode)")
	}
	if cfg.Insecure {
		log.Warn("public addresses may be http (insecure): whoever is on the way reads keys, codes, and cookies")
	}
	cert, err := openCertificate(cfg, log)
	if err != nil {
		return err
	}
	a.certificate = cert
	sites, err := a.sites(ctx, cfg, cert)
	if err != nil {
		return err
	}
	go cert.follow(ctx, ups)
	if err := a.logStart(ctx, cfg, sites); err != nil {
		return err
	}
	go started(ctx, d)
	stopping := make(chan struct{})
	end := func() { log.Info("griot is stopping"); close(stopping) }
	notSignaled := context.AfterFunc(ctx, end)
	err = a.run(ctx, sites)
	if notSignaled() { // a part has failed
		end()
	}
	<-stopping
	log.Info("griot has stopped")
	return err
}

// startGC is GOGC while the program starts.
const startGC = 50

// startSmall keeps the heap small while the program starts, so that the objects that stay are close together. started
// frees the memory that migrations, demo data, and opening the services no longer need, and restores GOGC.
func startSmall() (started func(context.Context, *db.DB)) {
	percent := debug.SetGCPercent(startGC)
	return func(ctx context.Context, d *db.DB) {
		_ = d.Shrink(ctx) // fails only with the writer's connection, and then the next write reports it
		debug.FreeOSMemory()
		debug.SetGCPercent(percent)
	}
}

// startServer opens the services of a configuration and prepares them for requests.
func startServer(ctx context.Context, d *db.DB, key *seal.Key, cfg *config.Config, newerSchema bool, log *slog.Logger, watched *probes) (*app, error) {
	p, err := newHost(ctx, d, cfg.Database, key, log, watched, newerSchema)
	if err != nil {
		return nil, err
	}
	configured, err := configuredGateways(cfg)
	if err != nil {
		return nil, err
	}
	a, err := openApp(ctx, p, cfg, configured)
	if err != nil {
		return nil, err
	}
	return a, a.start(ctx)
}

// logStart logs the version, the resources, and the listeners of the process.
func (a *app) logStart(ctx context.Context, cfg *config.Config, sites []site) error {
	state, err := a.db.State(ctx, clock.System)
	if err != nil {
		return err
	}
	var listeners, gateways []string
	for _, s := range sites {
		listeners = append(listeners, s.name+" "+s.listener.Addr().String())
	}
	if cfg.Probe.Listen != "" {
		listeners = append(listeners, "probe "+cfg.Probe.Listen)
	}
	found, err := a.stored.List(ctx)
	if err != nil {
		return err
	}
	for _, g := range found {
		gateways = append(gateways, g.Name+" "+g.Kind)
	}
	a.log.Info("griot is up", "version", version, "go", runtime.Version(), "roles", cfg.Roles, "auth", cfg.Auth.URL, "api", cfg.API.URL, "listeners", listeners, "tls", cfg.TLS.Cert != "",
		"database", string(state.Engine)+" "+state.Version, "schema", state.Schema, "gateways", gateways)
	return nil
}

// sites opens the listeners of the roles.
func (a *app) sites(ctx context.Context, cfg *config.Config, cert *served) ([]site, error) {
	proxies, err := cfg.TrustedProxies()
	if err != nil {
		return nil, err
	}
	var sites []site
	// The internal listener has its own limits, so a flood of the public services doesn't block the operator.
	connections, inside := connlimit.New(cfg.Connections, proxies, a.log), connlimit.New(cfg.Connections, nil, a.log)
	add := func(address string, s site) error {
		l, err := listen(ctx, address)
		if err != nil {
			return fmt.Errorf("%s.listen: %w", s.name, err)
		}
		if s.public {
			s.listener = cert.listener(connections.Listener(l))
		} else {
			s.listener = inside.Listener(l)
		}
		sites = append(sites, s)
		return nil
	}
	warn := forwardedProblem(a.log)
	public := func(name string, to config.Listener, busy, h http.Handler) error {
		own, err := httpx.ParseOwn(to.URL)
		if err != nil {
			return err
		}
		doctor := &peercheck.Server{Service: name, Key: a.key, Proxies: proxies, Now: clock.System}
		return add(to.Listen, site{name: name, public: true, handler: own.Strict(doctor.Handler(httpx.BehindProxies(proxies, warn, connections.Handler(httpx.ClientIP, busy, h))))})
	}
	err = add(cfg.Internal.Listen, site{name: "internal", handler: httpx.OnlyHosts(nil, internalHostRefused, a.internal()), last: true})
	if err == nil && a.c.HasRole(config.RoleAuth) {
		err = public("auth", cfg.Auth.Listener, a.auth.Busy(), a.auth.Public())
	}
	if err == nil && a.c.HasRole(config.RoleAPI) {
		err = public("api", cfg.API.Listener, a.messaging.Busy(), a.api())
	}
	if err != nil {
		for _, s := range sites {
			_ = s.listener.Close()
		}
	}
	return sites, err
}

// internalHostRefused is the response of the internal listener to a request with another name as Host. If it were
// accepted, a page whose own name points to this machine could read metrics and profiles with its visitor's browser.
const internalHostRefused = "The internal listener responds to addresses and localhost only."

// forwardedProblem logs the first occurrence of each problem of X-Forwarded-For. Often the peer is a proxy that is
// missing in trusted_proxies, or one that writes an invalid header. In both cases, everyone behind it shares one
// address.
func forwardedProblem(log *slog.Logger) func(httpx.ForwardedProblem, netip.Addr) {
	var untrusted, unreadable sync.Once
	return func(p httpx.ForwardedProblem, peer netip.Addr) {
		if p == httpx.ForwardedUnreadable {
			unreadable.Do(func() {
				log.Warn("X-Forwarded-For of a trusted proxy has an entry that is no address; all who come through that proxy share one address's limits", "peer", peer.String())
			})
			return
		}
		untrusted.Do(func() {
			log.Warn("X-Forwarded-For is ignored, since its sender is not in trusted_proxies; if it is a proxy of yours, all who come through it share one address's limits", "peer", peer.String())
		})
	}
}

func newLog(c config.Log) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		return nil, fmt.Errorf("log.level: %w", err)
	}
	opts := &slog.HandlerOptions{Level: level}
	switch c.Format {
	case "json":
		return slog.New(slog.NewJSONHandler(os.Stderr, opts)), nil
	case "text":
		return slog.New(slog.NewTextHandler(os.Stderr, opts)), nil
	}
	return nil, errors.New("log.format: json or text")
}
