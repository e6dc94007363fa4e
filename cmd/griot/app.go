package main

import (
	"context"
	"log/slog"

	"example.com/griot/auth"
	"example.com/griot/docs"
	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/config"
	"example.com/griot/internal/db"
	"example.com/griot/internal/masterkey"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/task"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging"
	"example.com/griot/messaging/account"
	operatorpages "example.com/griot/operator"
	"example.com/griot/web"
	"example.com/griot/web/book"
)

// host holds the resources that are opened before the services: the migrated database and the master key.
type host struct {
	db       *db.DB
	key      *seal.Key
	log      *slog.Logger
	probes   *probes
	rotation *masterkey.Rotation
}

// newHost migrates a database and checks that the master key is the database's. With newer, it accepts a database that a
// newer program has migrated.
func newHost(ctx context.Context, d *db.DB, url string, key *seal.Key, log *slog.Logger, p *probes, newer bool) (*host, error) {
	d.CountBy(p.metrics.Database)
	migrate := func(ctx context.Context) error { _, err := d.Migrate(ctx); return err }
	if newer {
		migrate = d.MigrateOrNewer
	}
	if err := migrate(ctx); err != nil {
		return nil, databaseFault(url, err)
	}
	rotation := newRotation(d, key, log)
	return &host{d, key, log, p, rotation}, rotation.Open(ctx)
}

// app holds both services, the gateways, and the resources that they share.
type app struct {
	*host

	c           *config.Config
	pages       *web.Pages
	gateways    *gateway.Set
	stored      *gatewaystore.Store
	identities  *identity.Store
	auth        *auth.Service
	messaging   *messaging.Service
	operator    *operatorpages.Pages
	verbs       verb.Verbs
	certificate *served // nil: none
}

// openApp opens both services. It starts nothing and opens no gateway, which is enough for an operator's command without a
// server.
func openApp(ctx context.Context, p *host, c *config.Config, configured []gatewaystore.Configured) (*app, error) {
	pages, err := web.New()
	if err != nil {
		return nil, err
	}
	a := &app{host: p, c: c, pages: pages, gateways: gateway.NewSet(nil)}
	a.gateways.LogTo(p.log, clock.System)
	a.gateways.CountBy(p.probes.metrics.Gateways)
	a.rotation.Walks = c.HasRole(config.RoleWorker)
	a.stored = gatewaystore.New(gatewaystore.Options{
		DB: p.db, Key: p.key, Drivers: drivers(), Configured: configured, InUse: account.OnGateway, Now: clock.System, Log: p.log, Record: recordGateway,
	})
	a.identities = identity.New(identity.Options{
		DB: p.db, Now: clock.System, Log: p.log, Withdrawn: func(tx *db.Tx, pair *identity.Pair) error { return a.messaging.Separate(tx, pair) },
	})
	documentation := web.NewBook(pages, book.Open(docs.Files(), book.Origins{Auth: c.Auth.URL, Messaging: c.API.URL}))
	a.auth, err = auth.Open(ctx, &auth.Env{
		DB: p.db, Key: p.key, Pages: pages, Book: documentation, Now: clock.System, Log: p.log, Metrics: p.probes.metrics, Version: version,
		Gateways: a.gateways, Identity: a.identities,
	}, c)
	if err != nil {
		return nil, err
	}
	a.messaging, err = messaging.Open(&messaging.Env{
		DB: p.db, Key: p.key, Gateways: a.gateways, Stored: a.stored, Identity: a.identities, Pages: pages, Book: documentation, Now: clock.System, Log: p.log, Metrics: p.probes.metrics, Version: version,
		Failpoint: killPoint(),
	}, c)
	if err != nil {
		return nil, err
	}
	of, err := a.messaging.Verbs()
	if err != nil {
		return nil, err
	}
	a.operator = operatorpages.New(operatorpages.Options{Verbs: func() verb.Verbs { return a.verbs }, Pages: pages, Key: p.key, Now: clock.System, Log: p.log, Record: a.recordOperator, Metrics: p.probes.metrics.HTTP.Service("operator"), Check: a.examine, Docs: documentationURL(c), Accounts: c.AccountsDashboard(), Tenants: c.TenantsDashboard()})
	a.verbs, err = verb.Join(a.auth.Verbs(), of, masterKeyVerbs(a.rotation, len(c.Roles) > 0), a.operator.Verbs())
	return a, err
}

// documentationURL returns the address of the book; empty if the process serves none.
func documentationURL(c *config.Config) string {
	switch {
	case c.HasRole(config.RoleAPI):
		return c.API.URL + "/docs"
	case c.HasRole(config.RoleAuth):
		return c.Auth.URL + "/docs"
	}
	return ""
}

// start opens the gateways and recovers messages that a crash interrupted. No listener serves before it returns.
func (a *app) start(ctx context.Context) error {
	if err := a.stored.Open(ctx, a.gateways, &sink{
		identities: a.identities, logins: a.auth.Logins, tenants: a.auth.Tenants, messaging: a.messaging.Inbound(), gateways: a.gateways, receivers: a.c.Auth.Receivers, numberFor: a.messaging.NumberFor, log: a.log,
	}); err != nil {
		return err
	}
	return a.messaging.Start(ctx)
}

// tasks lists the background tasks for the roles of the process.
func (a *app) tasks() []task.Task {
	all := []task.Task{
		{Name: "stored gateways", Run: a.stored.Run},
		{Name: "master key", Run: a.rotation.Run},
		{Name: "clock", Run: a.watchClock},
		{Name: "database", Run: func(ctx context.Context) error { return a.db.Run(ctx, a.log) }},
		{Name: "gateways", Run: func(ctx context.Context) error { return a.gateways.Run(ctx, a.c.HasRole(config.RoleGateway)) }},
	}
	if a.c.HasRole(config.RoleWorker) {
		all = append(all, task.Task{Name: "WhatsApp IDs", Run: a.identities.Run})
	}
	return append(append(all, a.auth.Tasks(a.c)...), a.messaging.Tasks()...)
}
