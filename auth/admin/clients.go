package admin

import (
	"context"
	"errors"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/admin"
)

// Client is a client as operators see it.
type Client struct {
	ID           string    `json:"id"`
	TenantID     string    `json:"tenantId"`
	ClientID     string    `json:"clientId"`
	Type         string    `json:"type"`
	Mode         string    `json:"mode"`
	RedirectURIs []string  `json:"redirectUris"`
	Active       bool      `json:"active"`
	CreatedAt    time.Time `json:"createdAt"`
	// ClientSecret is only returned when the client is created or its secret replaced.
	ClientSecret string `json:"clientSecret,omitempty"`
}

func newClient(c *tenant.Client) Client {
	return Client{
		ID: c.ID, TenantID: c.TenantID, ClientID: c.ClientID, Type: string(c.Type), Mode: string(c.Mode),
		RedirectURIs: c.RedirectURIs, Active: c.Active, CreatedAt: c.CreatedAt,
	}
}

// ClientInput is the input of clients.create.
type ClientInput struct {
	TenantID     string   `json:"tenantId"`
	Type         string   `json:"type"`
	Mode         string   `json:"mode"`
	RedirectURIs []string `json:"redirectUris"`
}

func (s *service) createClient(ctx context.Context, in *ClientInput) (Client, error) {
	if err := s.requireTenant(ctx, in.TenantID); err != nil {
		return Client{}, err
	}
	c, secret, err := s.tenants.CreateClient(ctx, in.TenantID, tenant.Type(in.Type), tenant.Mode(in.Mode), in.RedirectURIs)
	if errors.Is(err, tenant.ErrInvalidClient) {
		return Client{}, invalidClient()
	}
	if errors.Is(err, tenant.ErrTooManyClients) {
		return Client{}, admin.Refuse("A tenant has at most %d clients.", tenant.MaxClients)
	}
	out := newClient(&c)
	out.ClientSecret = secret
	return out, err
}

func invalidClient() error {
	return admin.Refuse("A client has the type PUBLIC or CONFIDENTIAL, the mode TEST or LIVE, and 1 to %d redirect addresses: https, "+
		"http of this machine (127.0.0.1, [::1], localhost) or for TEST clients of a private network's address, or for PUBLIC clients "+
		"a scheme of the application's own that is a domain name in reverse. A port is from 1 to 65535, and the query has no code, state, iss, or error.", tenant.MaxRedirects)
}

func (s *service) listClients(ctx context.Context, in *OfTenant) ([]Client, error) {
	if err := s.requireTenant(ctx, in.TenantID); err != nil {
		return nil, err
	}
	found, err := s.tenants.ListClients(ctx, in.TenantID)
	return convert(found, newClient), err
}

// operator is the author of changes, for the audit.
func operator() tenant.Author { return tenant.Author{Actor: tenant.ActorSystem} }

func noClient() error { return admin.Refuse("There is no such client.") }

// ByClientID names a client by its public identifier.
type ByClientID struct {
	ClientID string `json:"clientId"`
}

func (s *service) switchClient(active bool) func(context.Context, *ByClientID) (Client, error) {
	return func(ctx context.Context, in *ByClientID) (Client, error) {
		c, found, err := s.tenants.SwitchClient(ctx, operator(), in.ClientID, active)
		if err != nil {
			return Client{}, err
		}
		if !found {
			return Client{}, noClient()
		}
		return newClient(c), nil
	}
}

// ClientChange replaces what is given of a client.
type ClientChange struct {
	ClientID     string   `json:"clientId"`
	RedirectURIs []string `json:"redirectUris"`
}

func (s *service) setClient(ctx context.Context, in *ClientChange) (Client, error) {
	c, err := s.tenants.SetRedirectURIs(ctx, operator(), in.ClientID, in.RedirectURIs)
	switch {
	case errors.Is(err, tenant.ErrInvalidClient):
		return Client{}, invalidClient()
	case err != nil:
		return Client{}, err
	case c == nil:
		return Client{}, noClient()
	}
	return newClient(c), nil
}

// rotateClient replaces a client's secret. The old one is invalid at once.
func (s *service) rotateClient(ctx context.Context, in *ByClientID) (Client, error) {
	c, err := s.tenants.Client(ctx, in.ClientID)
	if err != nil {
		return Client{}, err
	}
	if c == nil {
		return Client{}, noClient()
	}
	out := newClient(c)
	found := false
	out.ClientSecret, found, err = s.tenants.RotateSecret(ctx, operator(), c.TenantID, c.ID)
	switch {
	case errors.Is(err, tenant.ErrPublic):
		return Client{}, admin.Refuse("A PUBLIC client has no secret.")
	case err == nil && !found:
		return Client{}, noClient()
	}
	return out, err
}
