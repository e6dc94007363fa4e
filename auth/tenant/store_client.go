package tenant

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"example.com/griot/internal/db"
)

const clientColumns = `c.id, c.tenant_id, t.name, c.client_id, c.type, c.mode, c.redirect_uris, c.secret_hash, c.active, c.created_at, c.name,
	CASE WHEN t.webhook_url IS NULL THEN 0 ELSE 1 END, t.accent`

func (s *Store) selectClient(ctx context.Context, clientID string) (*Client, error) {
	return s.oneClient(ctx, `SELECT `+clientColumns+` FROM oauth_clients c JOIN tenants t ON t.id = c.tenant_id WHERE c.client_id = $1`, clientID)
}

// selectSecret returns the hash of a client's secret; empty where there is none, or no such client.
func (s *Store) selectSecret(ctx context.Context, clientID string) (hash string, err error) {
	_, err = s.db.Read(ctx).Row(`SELECT COALESCE(secret_hash, '') FROM oauth_clients WHERE client_id = $1`, clientID).Scan(&hash)
	return hash, err
}

// selectOwned returns nil both for another tenant's client and for none.
func (s *Store) selectOwned(ctx context.Context, tenantID, id string) (*Client, error) {
	return s.oneClient(ctx, `SELECT `+clientColumns+` FROM oauth_clients c JOIN tenants t ON t.id = c.tenant_id WHERE c.id = $1 AND c.tenant_id = $2`, id, tenantID)
}

func (s *Store) selectClients(ctx context.Context, tenantID string) ([]Client, error) {
	return s.clients(ctx, `SELECT `+clientColumns+` FROM oauth_clients c JOIN tenants t ON t.id = c.tenant_id WHERE c.tenant_id = $1 ORDER BY c.id`, tenantID)
}

func (s *Store) oneClient(ctx context.Context, query string, args ...any) (*Client, error) {
	found, err := s.clients(ctx, query, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

func (s *Store) clients(ctx context.Context, query string, args ...any) (out []Client, err error) {
	err = s.db.Read(ctx).Each(func(rows *sql.Rows) error {
		var c Client
		var uris string
		var secret sql.NullString
		var active, created, webhook int64
		if err := rows.Scan(&c.ID, &c.TenantID, &c.TenantName, &c.ClientID, &c.Type, &c.Mode, &uris, &secret, &active, &created, &c.Name, &webhook, &c.TenantAccent); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(uris), &c.RedirectURIs); err != nil {
			return fmt.Errorf("tenant: client %s: redirect_uris: %w", c.ID, err)
		}
		c.secretHash, c.Active, c.CreatedAt, c.HasWebhook = secret.String, active != 0, db.At(created), webhook != 0
		out = append(out, c)
		return nil
	}, query, args...)
	return out, err
}

func insertClient(tx *db.Tx, c *Client, redirectURIs string) error {
	_, err := tx.Exec(`INSERT INTO oauth_clients (id, tenant_id, client_id, type, mode, redirect_uris, secret_hash, active, created_at, name)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9)`,
		c.ID, c.TenantID, c.ClientID, c.Type, c.Mode, redirectURIs, db.Null(c.secretHash), db.Ms(c.CreatedAt), c.Name)
	return err
}

func updateClient(tx *db.Tx, c *Client, redirectURIs string) error {
	active := 0
	if c.Active {
		active = 1
	}
	_, err := tx.Exec(`UPDATE oauth_clients SET redirect_uris = $3, active = $4, name = $5 WHERE id = $1 AND tenant_id = $2`, c.ID, c.TenantID, redirectURIs, active, c.Name)
	return err
}

func updateSecret(tx *db.Tx, c *Client, hash string) error {
	_, err := tx.Exec(`UPDATE oauth_clients SET secret_hash = $3 WHERE id = $1 AND tenant_id = $2`, c.ID, c.TenantID, hash)
	return err
}
