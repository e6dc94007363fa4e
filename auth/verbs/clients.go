package verbs

import (
	"context"
	"strconv"
	"time"

	"example.com/griot/auth/tenant"
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
	out := newClient(&c)
	out.ClientSecret = secret
	return out, err
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
	return foundClient(s.tenants.SetRedirectURIs(ctx, in.ClientID, tenant.Pasted(in.RedirectURIs)))
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
	return foundClient(s.clients.Set(ctx, c.TenantID, c.ID, "", tenant.Connect{
		PostLogoutRedirectURIs: tenant.Pasted(in.PostLogoutRedirectURIs), BackchannelLogoutURI: in.BackchannelLogoutURI, StateOptional: in.StateOptional, AnyLoopbackPort: in.AnyLoopbackPort,
		EmailDomain: visible.Trim(in.EmailDomain), EmailVerified: verified, PreferredUsername: tenant.UsernameForm(in.PreferredUsername),
	}, tenant.Replaced{EmailDomain: in.ReplacesEmailDomain, PreferredUsername: tenant.UsernameForm(in.ReplacesPreferredUsername)}))
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
	if err == nil && !found {
		err = noClient()
	}
	return out, err
}
