package admin

import (
	"context"
	"errors"
	"time"

	"griot/auth/tenant"
	"griot/internal/admin"
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
	// ClientSecret is there once: when the client is made or its secret replaced.
	ClientSecret string `json:"clientSecret,omitempty"`
}

func shownClient(c *tenant.Client) Client {
	return Client{
		ID: c.ID, TenantID: c.TenantID, ClientID: c.ClientID, Type: string(c.Type), Mode: string(c.Mode),
		RedirectURIs: c.RedirectURIs, Active: c.Active, CreatedAt: c.CreatedAt,
	}
}

// ClientInput is what a client is made of.
type ClientInput struct {
	TenantID     string   `json:"tenantId"`
	Type         string   `json:"type"`
	Mode         string   `json:"mode"`
	RedirectURIs []string `json:"redirectUris"`
}

func (h *service) createClient(ctx context.Context, in *ClientInput) (Client, error) {
	if err := h.existing(ctx, in.TenantID); err != nil {
		return Client{}, err
	}
	c, secret, err := h.tenants.CreateClient(ctx, in.TenantID, tenant.Type(in.Type), tenant.Mode(in.Mode), in.RedirectURIs)
	if errors.Is(err, tenant.ErrClient) {
		return Client{}, admin.Refuse("A client has the type PUBLIC or CONFIDENTIAL, the mode TEST or LIVE, and 1 to %d redirect addresses: https, "+
			"http of this machine (127.0.0.1, [::1], localhost) or for TEST clients of a private network's address, or for PUBLIC clients "+
			"a scheme of the application's own that is a domain name in reverse.", tenant.MaxRedirects)
	}
	out := shownClient(&c)
	out.ClientSecret = secret
	return out, err
}

func (h *service) listClients(ctx context.Context, in *OfTenant) ([]Client, error) {
	if err := h.existing(ctx, in.TenantID); err != nil {
		return nil, err
	}
	found, err := h.tenants.ListClients(ctx, in.TenantID)
	return each(found, shownClient), err
}

// operator is who changes things here, for the audit.
func operator() tenant.Author { return tenant.Author{Actor: tenant.ActorSystem} }

func noClient() error { return admin.Refuse("There is no such client.") }

// ByClientID names a client by its public identifier.
type ByClientID struct {
	ClientID string `json:"clientId"`
}

func (h *service) switchClient(active bool) func(context.Context, *ByClientID) (Client, error) {
	return func(ctx context.Context, in *ByClientID) (Client, error) {
		c, found, err := h.tenants.SwitchClient(ctx, operator(), in.ClientID, active)
		if err != nil {
			return Client{}, err
		}
		if !found {
			return Client{}, noClient()
		}
		return shownClient(c), nil
	}
}

// rotateClient replaces a client's secret: the old one is dead at once.
func (h *service) rotateClient(ctx context.Context, in *ByClientID) (Client, error) {
	c, err := h.tenants.Client(ctx, in.ClientID)
	if err != nil {
		return Client{}, err
	}
	if c == nil {
		return Client{}, noClient()
	}
	out := shownClient(c)
	found := false
	out.ClientSecret, found, err = h.tenants.RotateSecret(ctx, operator(), c.TenantID, c.ID)
	switch {
	case errors.Is(err, tenant.ErrPublic):
		return Client{}, admin.Refuse("A PUBLIC client has no secret.")
	case err == nil && !found:
		return Client{}, noClient()
	}
	return out, err
}
