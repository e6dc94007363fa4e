package tenant

import (
	"context"
	"time"

	"example.com/griot/internal/db"
)

// ListTenants returns all tenants, oldest first.
func (s *Store) ListTenants(ctx context.Context) ([]Tenant, error) {
	return db.Select(s.db.Read(ctx), readTenant, `SELECT id, name, accent, logo, created_at FROM tenants ORDER BY id`)
}

// ListClients returns a tenant's clients, oldest first.
func (s *Store) ListClients(ctx context.Context, tenantID string) ([]Client, error) {
	return db.Select(s.db.Read(ctx), readClient, clientsWhere+`c.tenant_id = $1 ORDER BY c.id`, tenantID)
}

// OwnedClient returns a tenant's client by its ID; nil if the tenant has none with that ID.
func (s *Store) OwnedClient(ctx context.Context, tenantID, id string) (*Client, error) {
	return s.selectOwned(ctx, tenantID, id)
}

// StoredEvent is an event as it is stored: redacted. Unknown values are empty.
type StoredEvent struct {
	ID           string // ID26
	LastID       string // of the latest event in the row: its position and cursor in lists; the same as ID for most
	Type         string
	At           time.Time // of the latest event in the row
	Actor        string
	ClientID     string // the public identifier
	LoginID      string
	Mode         Mode
	Result       string // ok or denied
	ErrorCode    string
	Phone        string // +223*****001
	IP           string // a /24 or /48
	RequestID    string
	NumberSource string    // as in [Event]
	Count        int       // number of events in the row, all of one minute; 1 for most
	FirstAt      time.Time // of the first event in the row; zero if Count is 1
}

// ListEvents returns a tenant's latest events, newest first and at most limit of them.
func (s *Store) ListEvents(ctx context.Context, tenantID string, limit int) ([]StoredEvent, error) {
	return s.ListEventsBefore(ctx, tenantID, maxID, limit)
}

// ListEventsBefore returns the events that are older than the one with the LastID before; see [Store.ListEvents].
func (s *Store) ListEventsBefore(ctx context.Context, tenantID, before string, limit int) ([]StoredEvent, error) {
	if err := s.StoreCounts(ctx); err != nil {
		return nil, err
	}
	return s.selectEvents(ctx, tenantID, before, limit)
}

// maxID sorts after every ID26, in every collation of the database.
const maxID = "ZZZZZZZZZZZZZZZZZZZZZZZZZZZ"
