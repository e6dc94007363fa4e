package tenant

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/griot/internal/db"
)

const clientsWhere = `SELECT c.id, c.tenant_id, t.name, c.client_id, c.type, c.mode, c.redirect_uris, c.secret_hash, c.active, c.created_at, c.name,
	CASE WHEN t.webhook_url IS NULL THEN 0 ELSE 1 END, t.accent, t.logo, c.post_logout_redirect_uris, COALESCE(c.backchannel_logout_uri, ''), c.state_optional, c.any_loopback_port,
	COALESCE(c.email_domain, ''), c.email_verified, COALESCE(c.preferred_username, '')
	FROM oauth_clients c JOIN tenants t ON t.id = c.tenant_id WHERE `

func (s *Store) selectClient(ctx context.Context, clientID string) (*Client, error) {
	return db.First(s.db.Read(ctx), readClient, clientsWhere+`c.client_id = $1`, clientID)
}

// selectSecret returns the hash of a client's secret; empty if the client has none or doesn't exist.
func (s *Store) selectSecret(ctx context.Context, clientID string) (hash string, err error) {
	_, err = s.db.Read(ctx).Row(`SELECT COALESCE(secret_hash, '') FROM oauth_clients WHERE client_id = $1`, clientID).Scan(&hash)
	return hash, err
}

// selectOwned returns nil for another tenant's client and for an unknown one.
func (s *Store) selectOwned(ctx context.Context, tenantID, id string) (*Client, error) {
	return db.First(s.db.Read(ctx), readClient, clientsWhere+`c.id = $1 AND c.tenant_id = $2`, id, tenantID)
}

func readClient(scan db.Scan, c *Client) error {
	uris, postLogout := "[]", "[]"
	if err := scan(&c.ID, &c.TenantID, &c.TenantName, &c.ClientID, db.OrZero(&c.Type), db.OrZero(&c.Mode), &uris, db.OrZero(&c.secretHash), &c.Active, db.Time(&c.CreatedAt), &c.Name,
		&c.HasWebhook, &c.TenantAccent, &c.TenantLogo, &postLogout, &c.Connect.BackchannelLogoutURI, &c.Connect.StateOptional, &c.Connect.AnyLoopbackPort,
		&c.Connect.EmailDomain, &c.Connect.EmailVerified, &c.Connect.PreferredUsername); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(uris), &c.RedirectURIs); err != nil {
		return fmt.Errorf("tenant: client %s: redirect_uris: %w", c.ID, err)
	}
	if err := json.Unmarshal([]byte(postLogout), &c.Connect.PostLogoutRedirectURIs); err != nil {
		return fmt.Errorf("tenant: client %s: post_logout_redirect_uris: %w", c.ID, err)
	}
	return nil
}

// lockClients counts a tenant's clients, and prevents other transactions from adding one until this one has ended.
func lockClients(tx *db.Tx, tenantID string) (n int, err error) {
	if _, err := tx.Exec(`UPDATE tenants SET name = name WHERE id = $1`, tenantID); err != nil {
		return 0, err
	}
	_, err = tx.Row(`SELECT count(*) FROM oauth_clients WHERE tenant_id = $1`, tenantID).Scan(&n)
	return n, err
}

// insertClient stores a new client, unless its id exists.
func insertClient(tx *db.Tx, c *Client, redirectURIs string) (inserted bool, err error) {
	n, err := tx.Exec(`INSERT INTO oauth_clients (id, tenant_id, client_id, type, mode, redirect_uris, secret_hash, active, created_at, name)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $9) ON CONFLICT (id) DO NOTHING`,
		c.ID, c.TenantID, c.ClientID, c.Type, c.Mode, redirectURIs, db.Null(c.secretHash), db.Ms(c.CreatedAt), c.Name)
	return n == 1, err
}

// clientKey identifies a client: by its ID26 and its tenant, or by its public identifier.
type clientKey struct{ id, tenantID, clientID string }

// lockClient returns a client, or nil, and makes other writers of its row wait until the transaction ends.
func lockClient(tx *db.Tx, key clientKey) (*Client, error) {
	where, args := `c.id = $1 AND c.tenant_id = $2`, []any{key.id, key.tenantID}
	if key.clientID != "" {
		where, args = `c.client_id = $1`, []any{key.clientID}
	}
	if n, err := tx.Exec(`UPDATE oauth_clients AS c SET name = name WHERE `+where, args...); err != nil || n == 0 {
		return nil, err
	}
	return db.First(&tx.Query, readClient, clientsWhere+where, args...)
}

// updateClient writes the columns of a change, and no others.
func updateClient(tx *db.Tx, id string, change *clientChange) error {
	var uris, active any
	if change.redirectURIs != nil {
		text, err := json.Marshal(change.redirectURIs)
		if err != nil {
			return err
		}
		uris = string(text)
	}
	if change.active != nil {
		active = db.Flag(*change.active)
	}
	_, err := tx.Exec(`UPDATE oauth_clients SET name = COALESCE($2, name), redirect_uris = COALESCE($3, redirect_uris), active = COALESCE($4, active) WHERE id = $1`,
		id, change.name, uris, active)
	if err != nil || change.connect == nil {
		return err
	}
	text, err := json.Marshal(given(change.connect.PostLogoutRedirectURIs))
	if err != nil {
		return err
	}
	c := change.connect
	var verified any
	if c.EmailVerified != nil {
		verified = db.Flag(*c.EmailVerified)
	}
	_, err = tx.Exec(`UPDATE oauth_clients SET post_logout_redirect_uris = $2, backchannel_logout_uri = $3, state_optional = $4, any_loopback_port = $5,
			email_domain = $6, email_verified = $7, preferred_username = $8 WHERE id = $1`,
		id, string(text), db.Null(c.BackchannelLogoutURI), db.Flag(c.StateOptional), db.Flag(c.AnyLoopbackPort), db.Null(c.EmailDomain), verified, db.Null(string(c.PreferredUsername)))
	return err
}

func updateSecret(tx *db.Tx, c *Client, hash string) (found bool, err error) {
	n, err := tx.Exec(`UPDATE oauth_clients SET secret_hash = $3 WHERE id = $1 AND tenant_id = $2`, c.ID, c.TenantID, hash)
	return n == 1, err
}
