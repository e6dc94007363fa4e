package api

import (
	"net/http"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/visible"
)

// connectOut holds a client's settings for OpenID Connect and native applications; see [tenant.Connect].
type connectOut struct {
	PostLogoutRedirectURIs []string         `json:"postLogoutRedirectUris"`
	BackchannelLogoutURI   *string          `json:"backchannelLogoutUri"`
	StateOptional          bool             `json:"stateOptional"`
	AnyLoopbackPort        bool             `json:"anyLoopbackPort"`
	EmailDomain            *string          `json:"emailDomain"`
	EmailDomainState       *string          `json:"emailDomainState"` // a [tenant.DomainState]; null without a domain
	EmailVerified          *bool            `json:"emailVerified"`
	PreferredUsername      *string          `json:"preferredUsername"`
	BackchannelLogout      *webhookStateOut `json:"backchannelLogout"` // health of the deliveries to that address; null without one
}

func (a *API) connect(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	clientID, err := pathID(r)
	if err != nil {
		return err
	}
	c, err := a.tenants.OwnedClient(r.Context(), t.ID, clientID)
	return a.writeConnect(w, r, c, err)
}

type connectIn struct {
	PostLogoutRedirectURIs []string `json:"postLogoutRedirectUris"`
	BackchannelLogoutURI   *string  `json:"backchannelLogoutUri"`
	StateOptional          bool     `json:"stateOptional"`
	AnyLoopbackPort        bool     `json:"anyLoopbackPort"`
	EmailDomain            string   `json:"emailDomain"`
	EmailVerified          *bool    `json:"emailVerified"`
	PreferredUsername      string   `json:"preferredUsername"`

	// See [tenant.Replaced].
	ReplacesEmailDomain       string `json:"replacesEmailDomain"`
	ReplacesPreferredUsername string `json:"replacesPreferredUsername"`
}

func (a *API) changeConnect(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	clientID, err := pathID(r)
	if err != nil {
		return err
	}
	in := &connectIn{}
	if err := a.http.DecodeJSON(w, r, in); err != nil {
		return err
	}
	if in.PostLogoutRedirectURIs == nil {
		return missing("postLogoutRedirectUris")
	}
	connect := tenant.Connect{
		PostLogoutRedirectURIs: in.PostLogoutRedirectURIs, StateOptional: in.StateOptional, AnyLoopbackPort: in.AnyLoopbackPort,
		EmailDomain: visible.Trim(in.EmailDomain), EmailVerified: in.EmailVerified, PreferredUsername: tenant.UsernameForm(in.PreferredUsername),
	}
	replaced := tenant.Replaced{EmailDomain: in.ReplacesEmailDomain, PreferredUsername: tenant.UsernameForm(in.ReplacesPreferredUsername)}
	if in.BackchannelLogoutURI != nil {
		connect.BackchannelLogoutURI = visible.Trim(*in.BackchannelLogoutURI)
	}
	if connect.BackchannelLogoutURI != "" {
		if err := a.clients.CheckURL(connect.BackchannelLogoutURI); err != nil {
			return apierror.AuthMalformedParameter.On("backchannelLogoutUri").Detailf("backchannelLogoutUri can't be used: %s.", err)
		}
	}
	c, err := a.clients.Set(r.Context(), t.ID, clientID, "", connect, replaced)
	return a.writeConnect(w, r, c, err)
}

// writeConnect writes a client's settings. c is nil if the client doesn't exist or belongs to another tenant.
func (a *API) writeConnect(w http.ResponseWriter, r *http.Request, c *tenant.Client, err error) error {
	if err == nil && c == nil {
		err = apierror.AuthClientNotFound.Err()
	}
	if err != nil {
		return err
	}
	s, err := a.clients.State(r.Context(), c.ID)
	if err != nil {
		return err
	}
	domain, err := a.tenants.EmailDomain(r.Context(), c)
	if err != nil {
		return err
	}
	out := connectOut{
		EmailDomain: orNull(c.Connect.EmailDomain), EmailDomainState: orNull(domain), EmailVerified: c.Connect.EmailVerified, PreferredUsername: orNull(c.Connect.PreferredUsername),
		PostLogoutRedirectURIs: append([]string{}, c.Connect.PostLogoutRedirectURIs...), StateOptional: c.Connect.StateOptional, AnyLoopbackPort: c.Connect.AnyLoopbackPort,
		BackchannelLogout: a.newWebhookOut(s).Webhook,
	}
	if c.Connect.BackchannelLogoutURI != "" {
		out.BackchannelLogoutURI = &c.Connect.BackchannelLogoutURI
	}
	return httpx.WriteJSON(w, http.StatusOK, &out)
}

// orNull returns a text for JSON; nil if it is empty.
func orNull[T ~string](s T) *string {
	if s == "" {
		return nil
	}
	return new(string(s))
}
