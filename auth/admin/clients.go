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

func shownClient(c *tenant.Client, secret string) Client {
	return Client{
		ID: c.ID, TenantID: c.TenantID, ClientID: c.ClientID, Type: string(c.Type), Mode: string(c.Mode),
		RedirectURIs: c.RedirectURIs, Active: c.Active, CreatedAt: c.CreatedAt, ClientSecret: secret,
	}
}

// ClientInput is what a client is made of.
type ClientInput struct {
	TenantID     string   `json:"tenantId"`
	Type         string   `json:"type"`
	Mode         string   `json:"mode"`
	RedirectURIs []string `json:"redirectUris"`
}

func (h *house) createClient(ctx context.Context, in *ClientInput) (Client, error) {
	if err := h.existing(ctx, in.TenantID); err != nil {
		return Client{}, err
	}
	c, secret, err := h.tenants.CreateClient(ctx, in.TenantID, tenant.Type(in.Type), tenant.Mode(in.Mode), in.RedirectURIs)
	if errors.Is(err, tenant.ErrClient) {
		return Client{}, admin.Refuse("A client has the type PUBLIC or CONFIDENTIAL, the mode TEST or LIVE, and 1 to %d redirect addresses: https, "+
			"http of this machine (127.0.0.1, [::1], localhost), or for PUBLIC clients a scheme of the application's own with a dot in it.", tenant.MaxRedirects)
	}
	return shownClient(&c, secret), err
}
