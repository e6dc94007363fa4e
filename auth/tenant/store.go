package tenant

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"griot/internal/db"
	"griot/internal/id"
)

func (s *Store) insertTenant(ctx context.Context, t Tenant) error {
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO tenants (id, name, created_at) VALUES ($1, $2, $3)`, t.ID, t.Name, db.Ms(t.CreatedAt))
		return err
	})
}

func (s *Store) selectTenant(ctx context.Context, tenantID string) (t Tenant, found bool, err error) {
	var created int64
	t.ID = tenantID
	found, err = s.db.Read(ctx).Row(`SELECT name, created_at FROM tenants WHERE id = $1`, tenantID).Scan(&t.Name, &created)
	t.CreatedAt = db.At(created)
	return t, found, err
}

func (s *Store) insertInvitation(ctx context.Context, id, tenantID, hash string, expires, now time.Time) error {
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO invitations (id, tenant_id, key_hash, expires_at, created_at) VALUES ($1, $2, $3, $4, $5)`,
			id, tenantID, hash, db.Ms(expires), db.Ms(now))
		return err
	})
}

func (s *Store) selectInvited(ctx context.Context, tenantID, hash string, now time.Time) (bool, error) {
	var id string
	return s.db.Read(ctx).Row(`SELECT id FROM invitations WHERE key_hash = $1 AND tenant_id = $2 AND expires_at > $3`,
		hash, tenantID, db.Ms(now)).Scan(&id)
}

func (s *Store) insertClient(ctx context.Context, c *Client) error {
	uris, err := json.Marshal(c.RedirectURIs)
	if err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO oauth_clients (id, tenant_id, client_id, type, mode, redirect_uris, secret_hash, active, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8)`,
			c.ID, c.TenantID, c.ClientID, c.Type, c.Mode, string(uris), db.Null(c.secretHash), db.Ms(c.CreatedAt))
		return err
	})
}

func (s *Store) selectClient(ctx context.Context, clientID string) (*Client, error) {
	c := &Client{ClientID: clientID}
	var uris string
	var secret sql.NullString
	var active, created int64
	found, err := s.db.Read(ctx).Row(`SELECT c.id, c.tenant_id, t.name, c.type, c.mode, c.redirect_uris, c.secret_hash, c.active, c.created_at
		FROM oauth_clients c JOIN tenants t ON t.id = c.tenant_id WHERE c.client_id = $1`, clientID).
		Scan(&c.ID, &c.TenantID, &c.TenantName, &c.Type, &c.Mode, &uris, &secret, &active, &created)
	if err != nil || !found {
		return nil, err
	}
	if err := json.Unmarshal([]byte(uris), &c.RedirectURIs); err != nil {
		return nil, fmt.Errorf("tenant: client %s: redirect_uris: %w", c.ID, err)
	}
	c.secretHash, c.Active, c.CreatedAt = secret.String, active != 0, db.At(created)
	return c, nil
}

// Record stores an event, redacted, in the transaction of what it tells about.
func Record(tx *db.Tx, e *Event) error {
	number := ""
	if e.Phone != "" {
		number = e.Phone.Masked()
	}
	_, err := tx.Exec(`INSERT INTO audit_events (id, tenant_id, type, at, actor, client_id, login_id, mode, result, error_code, phone, ip, request_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		e.ID, e.TenantID, e.Type, db.Ms(e.At), e.Actor, db.Null(e.ClientID), db.Null(e.LoginID), db.Null(string(e.Mode)), e.result(),
		db.Null(e.ErrorCode), db.Null(number), db.Null(maskIP(e.Caller.IP)), db.Null(e.Caller.RequestID))
	return err
}

// Moved returns the logins that something other than their start happened to since a time.
func Moved(q *db.Query, since time.Time) (loginIDs []string, err error) {
	err = q.Each(func(rows *sql.Rows) error {
		var loginID string
		err := rows.Scan(&loginID)
		loginIDs = append(loginIDs, loginID)
		return err
	}, `SELECT login_id FROM audit_events WHERE id >= $1 AND type <> $2 AND login_id IS NOT NULL`, id.First(since), LoginStarted)
	return loginIDs, err
}

// maskIP returns the /24 or /48 of an address; "" for none.
func maskIP(a netip.Addr) string {
	bits := 24
	if a.Is6() {
		bits = 48
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return ""
	}
	return p.String()
}
