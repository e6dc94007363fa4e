package verbs

import (
	"context"
	"errors"
	"strconv"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/verb"
	"example.com/griot/internal/visible"
)

// Client is a client as the operator sees it.
type Client struct {
	ID           string    `json:"id"`
	TenantID     string    `json:"tenantId" row:"tenant"`
	ClientID     string    `json:"clientId" col:"CLIENT"`
	Type         string    `json:"type" col:"TYPE"`
	Mode         string    `json:"mode" col:"MODE"`
	RedirectURIs []string  `json:"redirectUris" col:"REDIRECTS"`
	Active       bool      `json:"active" col:"ACTIVE"`
	CreatedAt    time.Time `json:"createdAt" col:"CREATED"`
	// Settings for OpenID Connect and native applications; empty: none.
	PostLogoutRedirectURIs []string `json:"postLogoutRedirectUris,omitempty" row:"after sign-out"`
	BackchannelLogoutURI   string   `json:"backchannelLogoutUri,omitempty" row:"logout tokens"`
	StateOptional          bool     `json:"stateOptional,omitempty" row:"state optional"`
	AnyLoopbackPort        bool     `json:"anyLoopbackPort,omitempty" row:"any loopback port"`
	EmailDomain            string   `json:"emailDomain,omitempty" row:"email domain"`
	EmailVerified          string   `json:"emailVerified,omitempty" row:"email verified"`
	PreferredUsername      string   `json:"preferredUsername,omitempty" row:"preferred username"`
	// ClientSecret is only returned when the client is created or its secret replaced.
	ClientSecret string `json:"clientSecret,omitempty" row:"secret,once"`
}

func newClient(c *tenant.Client) Client {
	return Client{
		EmailDomain: c.Connect.EmailDomain, EmailVerified: c.Connect.EmailVerifiedText(), PreferredUsername: string(c.Connect.PreferredUsername),
		ID: c.ID, TenantID: c.TenantID, ClientID: c.ClientID, Type: string(c.Type), Mode: string(c.Mode),
		RedirectURIs: c.RedirectURIs, Active: c.Active, CreatedAt: c.CreatedAt,
		PostLogoutRedirectURIs: c.Connect.PostLogoutRedirectURIs, BackchannelLogoutURI: c.Connect.BackchannelLogoutURI,
		StateOptional: c.Connect.StateOptional, AnyLoopbackPort: c.Connect.AnyLoopbackPort,
	}
}

// ClientInput is the input of clients.create.
type ClientInput struct {
	OfTenant

	Type         string   `json:"type" flag:"type,required" oneof:"PUBLIC CONFIDENTIAL" help:"PUBLIC (apps, pages) or CONFIDENTIAL (servers that keep a secret)"`
	Mode         string   `json:"mode" flag:"mode,required" oneof:"TEST LIVE" help:"TEST (sandbox numbers) or LIVE"`
	RedirectURIs []string `json:"redirectUris" flag:"redirect,required" help:"exact redirect address; repeat the flag for more"`
}

func (s *service) createClient(ctx context.Context, in *ClientInput) (Client, error) {
	c, secret, err := s.tenants.CreateClient(ctx, in.TenantID, tenant.Type(in.Type), tenant.Mode(in.Mode), tenant.Pasted(in.RedirectURIs))
	if errors.Is(err, tenant.ErrInvalidClient) {
		return Client{}, invalidClient(err)
	}
	if errors.Is(err, tenant.ErrTooManyClients) {
		return Client{}, verb.Refuse("A tenant can have at most %d clients.", tenant.MaxClients)
	}
	out := newClient(&c)
	out.ClientSecret = secret
	return out, err
}

func invalidClient(err error) error {
	if errors.Is(err, tenant.ErrInvisible) {
		return verb.Refuse("A redirect address contains an invisible character. Type the address instead of pasting it.")
	}
	return verb.Refuse("The type must be PUBLIC or CONFIDENTIAL, and the mode TEST or LIVE. A client needs 1 to %d redirect addresses. Each must use https. "+
		"The exceptions are http for this machine (127.0.0.1, [::1], localhost), http for a private network's address for TEST clients, and "+
		"a custom scheme that is a reversed domain name for PUBLIC clients. An address can contain only ASCII characters, and can't have a fragment, "+
		"a user name, a password, or * in its host. The port must be 1 to 65535, and the query can't contain code, state, iss, or error.", tenant.MaxRedirects)
}

func (s *service) listClients(ctx context.Context, in *OfTenant) ([]Client, error) {
	found, err := s.tenants.ListClients(ctx, in.TenantID)
	return verb.Each(found, newClient), err
}

func noClient() error { return verb.Refuse("The client doesn't exist.") }

// ByClientID names a client by its public identifier.
type ByClientID struct {
	ClientID string `json:"clientId" arg:"CLIENT" help:"cl_test_... or cl_live_..."`
}

func (s *service) activateClient(ctx context.Context, in *ByClientID) (Client, error) {
	return s.switchClient(ctx, in.ClientID, true)
}

func (s *service) deactivateClient(ctx context.Context, in *ByClientID) (Client, error) {
	return s.switchClient(ctx, in.ClientID, false)
}

func (s *service) switchClient(ctx context.Context, clientID string, active bool) (Client, error) {
	c, _, err := s.tenants.SwitchClient(ctx, clientID, active)
	return foundClient(c, err)
}

// ClientChange replaces the given fields of a client.
type ClientChange struct {
	ClientID     string   `json:"clientId" arg:"CLIENT" help:"cl_test_... or cl_live_..."`
	RedirectURIs []string `json:"redirectUris" flag:"redirect,required" help:"exact redirect address; repeat the flag for more"`
}

func (s *service) setClient(ctx context.Context, in *ClientChange) (Client, error) {
	c, err := s.tenants.SetRedirectURIs(ctx, in.ClientID, tenant.Pasted(in.RedirectURIs))
	if errors.Is(err, tenant.ErrInvalidClient) {
		err = invalidClient(err)
	}
	return foundClient(c, err)
}

// ConnectChange replaces a client's settings for OpenID Connect and native applications. Fields that are not given are cleared.
type ConnectChange struct {
	ClientID               string   `json:"clientId" arg:"CLIENT" help:"cl_test_... or cl_live_..."`
	PostLogoutRedirectURIs []string `json:"postLogoutRedirectUris" form:"optional" flag:"post-logout-redirect" help:"exact redirect address after sign-out; repeat the flag for more"`
	BackchannelLogoutURI   string   `json:"backchannelLogoutUri" form:"optional" flag:"backchannel-logout" help:"https URL that receives logout tokens"`
	StateOptional          bool     `json:"stateOptional" form:"optional" flag:"state-optional" help:"CONFIDENTIAL client: allow OpenID Connect requests without state, nonce, and PKCE"`
	AnyLoopbackPort        bool     `json:"anyLoopbackPort" form:"optional" flag:"any-loopback-port" help:"PUBLIC client: allow any port of a redirect address of 127.0.0.1 or [::1]"`
	EmailDomain            string   `json:"emailDomain" form:"optional" flag:"email-domain" help:"domain of the claim email (empty: no claim)"`
	EmailVerified          string   `json:"emailVerified" form:"optional" flag:"email-verified" oneof:"true false" help:"claim email_verified: true needs a domain that the tenant has proven (empty: no claim)"`
	PreferredUsername      string   `json:"preferredUsername" form:"optional" flag:"preferred-username" oneof:"sub name" help:"claim preferred_username: the subject, or the name with a suffix (empty: no claim)"`

	ReplacesEmailDomain       string `json:"replacesEmailDomain" form:"optional" flag:"replaces-email-domain" help:"confirm that this email domain of the client is replaced"`
	ReplacesPreferredUsername string `json:"replacesPreferredUsername" form:"optional" flag:"replaces-preferred-username" oneof:"sub name" help:"confirm that this form of user names is replaced"`
}

func (s *service) connectClient(ctx context.Context, in *ConnectChange) (Client, error) {
	in.BackchannelLogoutURI = visible.Trim(in.BackchannelLogoutURI)
	if in.BackchannelLogoutURI != "" {
		if err := s.clients.CheckURL(in.BackchannelLogoutURI); err != nil {
			return Client{}, verb.Refuse("The URL for logout tokens can't be used: %s.", err)
		}
	}
	c, err := s.tenants.Client(ctx, in.ClientID)
	if err != nil || c == nil {
		return foundClient(c, err)
	}
	var verified *bool
	if in.EmailVerified != "" {
		value, err := strconv.ParseBool(in.EmailVerified)
		if err != nil {
			return Client{}, verb.Refuse("email_verified is true or false, or empty for no claim.")
		}
		verified = &value
	}
	c, err = s.clients.Set(ctx, c.TenantID, c.ID, "", tenant.Connect{
		PostLogoutRedirectURIs: tenant.Pasted(in.PostLogoutRedirectURIs), BackchannelLogoutURI: in.BackchannelLogoutURI, StateOptional: in.StateOptional, AnyLoopbackPort: in.AnyLoopbackPort,
		EmailDomain: visible.Trim(in.EmailDomain), EmailVerified: verified, PreferredUsername: tenant.UsernameForm(in.PreferredUsername),
	}, tenant.Replaced{EmailDomain: in.ReplacesEmailDomain, PreferredUsername: tenant.UsernameForm(in.ReplacesPreferredUsername)})
	switch {
	case errors.Is(err, tenant.ErrStateOptional):
		return Client{}, verb.Refuse("Only a CONFIDENTIAL client can have state optional.")
	case errors.Is(err, tenant.ErrAnyLoopbackPort):
		return Client{}, verb.Refuse("Only a PUBLIC client can have any loopback port.")
	case errors.Is(err, tenant.ErrDomain):
		return Client{}, invalidDomain()
	case errors.Is(err, tenant.ErrEmailVerified):
		return Client{}, verb.Refuse("email_verified needs an email domain.")
	case errors.Is(err, tenant.ErrUsernameForm):
		return Client{}, verb.Refuse("The preferred user name is sub or name, or empty for no claim.")
	case errors.Is(err, apierror.AuthDomainTaken.Err()):
		return Client{}, verb.Refuse("Another tenant has proven this email domain.")
	case errors.Is(err, apierror.AuthDomainNotProven.Err()):
		return Client{}, verb.Refuse("The tenant hasn't proven the email domain, so email_verified can't be true. Add and verify the domain with tenants domains first.")
	case errors.Is(err, apierror.AuthReplacesMismatch.Err()):
		return Client{}, verb.Refuse("The client has another email domain or form of user names. Changing or removing it gives everyone another address or user name in the program. " +
			"To confirm it, name the value that clients list --json shows in --replaces-email-domain or --replaces-preferred-username.")
	case errors.Is(err, tenant.ErrInvisible):
		return Client{}, invalidClient(err)
	case errors.Is(err, tenant.ErrInvalidClient):
		return Client{}, verb.Refuse("A client can have at most %d addresses for after sign-out. Each must be a valid redirect address.", tenant.MaxRedirects)
	}
	return foundClient(c, err)
}

// rotateClient replaces a client's secret. The old one is invalid immediately.
func (s *service) rotateClient(ctx context.Context, in *ByClientID) (Client, error) {
	c, err := s.tenants.Client(ctx, in.ClientID)
	out, err := foundClient(c, err)
	if err != nil {
		return Client{}, err
	}
	found := false
	out.ClientSecret, found, err = s.tenants.RotateSecret(ctx, c.TenantID, c.ID)
	switch {
	case errors.Is(err, tenant.ErrPublic):
		return Client{}, verb.Refuse("A PUBLIC client has no secret.")
	case err == nil && !found:
		return Client{}, noClient()
	}
	return out, err
}
