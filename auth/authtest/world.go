package authtest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/seal"
	"example.com/griot/web/webtest"
)

// Start is the initial time of a world's clock.
var Start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// The redirect addresses of a world's clients, the issuer of its logins, and its tenant's name.
const (
	Redirect      = "https://app.example/callback?from=griot"
	LocalRedirect = "http://127.0.0.1:4000/callback"
	Issuer        = "https://login.example"
	TenantName    = "Bamako Bank"
)

// World is a tenant in a database.
type World struct {
	dbtest.Handle
	*webtest.Listener

	Clock    *clock.Fake
	Key      *seal.Key // the master key
	Tenants  *tenant.Store
	Tenant   tenant.Tenant
	Identity *identity.Store // the numbers of people whose number WhatsApp hides
	Gateways *gateway.Set    // empty at first
	Log      *logtest.Recorder
}

// New creates a world with a tenant and an active signing key.
func New(t testing.TB, d *db.DB) *World {
	t.Helper()
	w := &World{Handle: dbtest.Handle{DB: d}, Listener: webtest.Listen(t), Clock: clock.NewFake(Start), Key: insertSigningKey(t, d), Log: &logtest.Recorder{}}
	w.Tenants = tenant.New(d, w.Clock.Now)
	w.Identity = identity.New(identity.Options{DB: d, Now: w.Clock.Now, Log: slog.New(slog.DiscardHandler)})
	w.Gateways = gateway.NewSet(nil)
	w.Tenant = w.NewTenant(t, TenantName)
	return w
}

// NewKey creates a master key.
func NewKey(t testing.TB) *seal.Key {
	t.Helper()
	key, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// NewTenant creates another tenant.
func (w *World) NewTenant(t testing.TB, name string) tenant.Tenant {
	t.Helper()
	made, err := w.Tenants.CreateTenant(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Client is a client with its secret, which is empty for a PUBLIC one.
type Client struct {
	*tenant.Client
	Secret string
}

// NewClient creates a client of the tenant with redirect addresses. Without any, it uses [Redirect] and
// [LocalRedirect].
func (w *World) NewClient(t testing.TB, typ tenant.Type, mode tenant.Mode, redirectURIs ...string) Client {
	t.Helper()
	return w.NewClientOf(t, w.Tenant, typ, mode, redirectURIs...)
}

// NewClientOf creates a client of any tenant; see [World.NewClient].
func (w *World) NewClientOf(t testing.TB, owner tenant.Tenant, typ tenant.Type, mode tenant.Mode, redirectURIs ...string) Client {
	t.Helper()
	if len(redirectURIs) == 0 {
		redirectURIs = []string{Redirect, LocalRedirect}
	}
	c, secret, err := w.Tenants.CreateClient(context.Background(), owner.ID, typ, mode, redirectURIs)
	if err != nil {
		t.Fatal(err)
	}
	return Client{&c, secret}
}

// Count returns the number that a query selects. It fails the test if there is no row.
func (w *World) Count(t testing.TB, query string, args ...any) int {
	t.Helper()
	var n int
	if found, err := w.DB.Read(context.Background()).Row(query, args...).Scan(&n); err != nil || !found {
		t.Fatalf("%s: found %v, %v", query, found, err)
	}
	return n
}
