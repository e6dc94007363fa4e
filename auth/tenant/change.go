package tenant

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/seal"
)

// Types of the audit events of clients.
const (
	ClientCreated       = "client.created"
	ClientUpdated       = "client.updated"
	ClientDeleted       = "client.deleted"
	ClientSecretRotated = "client.secret_rotated"
)

// ErrPublic is returned by [Store.RotateSecret] for a client that has no secret.
var ErrPublic = errors.New("tenant: a PUBLIC client has no secret")

// Author is who makes a change, for the audit.
type Author struct {
	Actor  string
	Caller Caller
}

func (by Author) event(c *Client, typ string, at time.Time) *Event {
	return &Event{ID: id.New(at), TenantID: c.TenantID, Type: typ, At: at, Actor: by.Actor, ClientID: c.ClientID, Mode: c.Mode, Caller: by.Caller}
}

// TenantEvent is the event of a change that is about no client.
func (by Author) TenantEvent(tenantID, typ string, at time.Time) *Event {
	return &Event{ID: id.New(at), TenantID: tenantID, Type: typ, At: at, Actor: by.Actor, Caller: by.Caller}
}

// ChangeClient replaces the redirect addresses of a tenant's client, 1 to 20, and
// switches it on or off. It returns nil when the tenant has no client of that ID.
// Other nodes see the change within 30 seconds.
func (s *Store) ChangeClient(ctx context.Context, by Author, tenantID, id string, redirectURIs []string, active bool) (*Client, error) {
	return s.changeOwned(ctx, by, tenantID, id, func(c *Client) error {
		c.RedirectURIs, c.Active = slices.Clone(redirectURIs), active
		return nil
	})
}

// DescribeClient is [Store.ChangeClient] for a client's name, of at most [MaxName] characters, and its redirect addresses.
func (s *Store) DescribeClient(ctx context.Context, by Author, tenantID, id, name string, redirectURIs []string) (*Client, error) {
	return s.changeOwned(ctx, by, tenantID, id, func(c *Client) error {
		if !validName(name) {
			return ErrName
		}
		c.Name, c.RedirectURIs = name, slices.Clone(redirectURIs)
		return nil
	})
}

// changeOwned applies a change to a tenant's client and stores it. It returns nil when the tenant has no client of that ID.
func (s *Store) changeOwned(ctx context.Context, by Author, tenantID, id string, change func(*Client) error) (*Client, error) {
	c, err := s.selectOwned(ctx, tenantID, id)
	if err != nil || c == nil {
		return nil, err
	}
	if err := change(c); err != nil {
		return nil, err
	}
	if err := checkClient(c.Type, c.Mode, c.RedirectURIs); err != nil {
		return nil, err
	}
	uris, err := json.Marshal(c.RedirectURIs)
	if err != nil {
		return nil, err
	}
	updated := by.event(c, ClientUpdated, s.now())
	defer s.cache.invalidate(c.ClientID)
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		if err := updateClient(tx, c, string(uris)); err != nil {
			return err
		}
		return Record(tx, updated)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// RotateSecret gives a tenant's client a new secret, and returns it this once; the
// old one is dead at once, on every node. found is false when the tenant has no
// client of that ID.
func (s *Store) RotateSecret(ctx context.Context, by Author, tenantID, id string) (secret string, found bool, err error) {
	c, err := s.selectOwned(ctx, tenantID, id)
	if err != nil || c == nil {
		return "", false, err
	}
	if c.Type != Confidential {
		return "", true, ErrPublic
	}
	secret = newSecret()
	hash := seal.Hash(secret)
	rotated := by.event(c, ClientSecretRotated, s.now())
	defer s.cache.invalidate(c.ClientID)
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		if err := updateSecret(tx, c, hash); err != nil {
			return err
		}
		return Record(tx, rotated)
	})
	if err != nil {
		return "", true, err
	}
	return secret, true, nil
}

// SetRedirectURIs replaces a client's redirect addresses, 1 to 20, with the checks of
// [Store.CreateClient]. It returns nil when there is no such client. Other nodes see the change within 30 seconds.
func (s *Store) SetRedirectURIs(ctx context.Context, by Author, clientID string, redirectURIs []string) (*Client, error) {
	c, err := s.selectClient(ctx, clientID)
	if err != nil || c == nil || slices.Equal(c.RedirectURIs, redirectURIs) {
		return c, err
	}
	if err := checkClient(c.Type, c.Mode, redirectURIs); err != nil {
		return nil, err
	}
	c.RedirectURIs = slices.Clone(redirectURIs)
	uris, err := json.Marshal(redirectURIs)
	if err != nil {
		return nil, err
	}
	updated := by.event(c, ClientUpdated, s.now())
	defer s.cache.invalidate(clientID)
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(`UPDATE oauth_clients SET redirect_uris = $1 WHERE client_id = $2`, string(uris), clientID); err != nil {
			return err
		}
		return Record(tx, updated)
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}
