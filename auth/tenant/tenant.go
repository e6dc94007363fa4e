package tenant

import (
	"context"
	"time"

	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/id"
	"griot/internal/seal"
)

// Tenant is an organisation whose applications sign people in.
type Tenant struct {
	ID        string // ID26
	Name      string // as shown on the waiting page
	CreatedAt time.Time
}

// Store keeps tenants. It is safe for concurrent use.
type Store struct {
	db    *db.DB
	now   clock.Now
	cache cache
}

// New returns a store on a database.
func New(d *db.DB, now clock.Now) *Store {
	return &Store{db: d, now: now, cache: cache{byID: map[string]cached{}}}
}

// CreateTenant stores a new tenant.
func (s *Store) CreateTenant(ctx context.Context, name string) (Tenant, error) {
	now := s.now()
	t := Tenant{ID: id.New(now), Name: name, CreatedAt: now}
	return t, s.insertTenant(ctx, t)
}

// Tenant returns the tenant of an id; found is false when there is none.
func (s *Store) Tenant(ctx context.Context, tenantID string) (t Tenant, found bool, err error) {
	return s.selectTenant(ctx, tenantID)
}

const invitationPrefix = "inv_"

// CreateInvitation returns a key with which the tenant's people open its
// dashboard: inv_ and 43 characters of base64url. It works until ttl is over.
func (s *Store) CreateInvitation(ctx context.Context, tenantID string, ttl time.Duration) (key string, err error) {
	now := s.now()
	key = invitationPrefix + id.Token(32)
	if err := s.insertInvitation(ctx, id.New(now), tenantID, seal.Hash(key), now.Add(ttl), now); err != nil {
		return "", err
	}
	return key, nil
}

// Invited reports whether key is an invitation of the tenant that still works.
func (s *Store) Invited(ctx context.Context, tenantID, key string) (bool, error) {
	return s.selectInvited(ctx, tenantID, seal.Hash(key), s.now())
}
