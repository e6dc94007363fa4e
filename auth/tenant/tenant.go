package tenant

import (
	"context"
	"net"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/limit"
)

// Tenant is an organization whose applications sign people in.
type Tenant struct {
	ID        string // ID26
	Name      string // as shown on the waiting page
	Accent    string // see [Appearance]
	Logo      string // see [Appearance]
	CreatedAt time.Time
}

// Appearance returns the look of the tenant's waiting page.
func (t *Tenant) Appearance() Appearance { return Appearance{t.Name, t.Accent, t.Logo} }

// Store reads and writes tenants and their data. It is safe for concurrent use.
type Store struct {
	// Resolver looks up the records of domains; nil: the system's. Set it before the first use.
	Resolver *net.Resolver

	db    *db.DB
	now   clock.Now
	cache cache

	counts counts
	checks *limit.Limiter // the lookups of each tenant
}

// New returns a store on a database.
func New(d *db.DB, now clock.Now) *Store {
	return &Store{db: d, now: now, cache: cache{byID: map[string]cached{}}, counts: newCounts(), checks: limit.New(now, checks, time.Minute, checks)}
}

// CreateTenant stores a new tenant.
func (s *Store) CreateTenant(ctx context.Context, name string) (Tenant, error) {
	now := s.now()
	t := Tenant{ID: id.New(now), Name: name, CreatedAt: now}
	return t, s.insertTenant(ctx, t, nil)
}

// OpenTenant creates a tenant in the name of the context's actor, with an audit event; see [Store.CreateTenant].
func (s *Store) OpenTenant(ctx context.Context, name string) (Tenant, error) {
	now := s.now()
	t := Tenant{ID: id.New(now), Name: name, CreatedAt: now}
	return t, s.insertTenant(ctx, t, NewEvent(ctx, t.ID, TenantCreated, now))
}

// Tenant returns the tenant with an id; found is false if there is none.
func (s *Store) Tenant(ctx context.Context, tenantID string) (t Tenant, found bool, err error) {
	return s.selectTenant(ctx, tenantID)
}
