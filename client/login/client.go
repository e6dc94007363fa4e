package login

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/internal/wire"
)

// The modes of a client.
const (
	Live = "LIVE"
	Test = "TEST" // anyone can create a TEST token in the sandbox, so it proves nothing
)

// Options configure a [Client]: the login service and the client's registration.
type Options struct {
	Issuer       string // the URL of the login service, such as https://login.example.com
	ClientID     string
	ClientSecret string // the secret of a CONFIDENTIAL client; empty for a PUBLIC one
	RedirectURI  string // one of the client's registered redirect URIs, character for character
	Mode         string // the client's mode; empty: [Live]

	// Scopes turn each login into an OpenID Connect login with an ID token. They must contain [ScopeOpenID] and can
	// contain [ScopeProfile] and [ScopePhone]. If the field is empty, logins use OAuth 2.0 only.
	Scopes []string

	Requests griot.Options    // options of the requests to the service
	Now      func() time.Time // nil: [time.Now]
}

// A Client is one client of a login service. It is safe for concurrent use. It caches the service's keys, so create only one.
type Client struct {
	issuer, clientID, redirectURI, mode string
	scope                               string // the scope parameter of each login; empty: none

	credentials func(url.Values) // a function, so that printing the client does not print the secret
	wire        *wire.Caller
	now         func() time.Time
	keys        keys
}

// New returns a client. It returns a [*griot.ArgumentError] if an option is invalid.
func New(o Options) (*Client, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Mode == "" {
		o.Mode = Live
	}
	to, err := url.Parse(o.RedirectURI)
	switch {
	case o.ClientID == "":
		return nil, &griot.ArgumentError{Field: "clientId", Problem: "there is no client id"}
	case err != nil || to.Scheme == "" || to.Fragment != "":
		return nil, &griot.ArgumentError{Field: "redirectUri", Problem: "the redirect address must be a whole one"}
	case o.Mode != Live && o.Mode != Test:
		return nil, &griot.ArgumentError{Field: "mode", Problem: "the mode is LIVE or TEST"}
	case len(o.Scopes) > 0 && !slices.Contains(o.Scopes, ScopeOpenID) || slices.ContainsFunc(o.Scopes, unknownScope):
		return nil, &griot.ArgumentError{Field: "scopes", Problem: "the scopes are openid, and profile and phone beside it"}
	}
	caller, err := wire.New(o.Issuer, wire.Options(o.Requests), nil)
	if err != nil {
		return nil, &griot.ArgumentError{Field: "issuer", Problem: "the issuer must be an address such as https://login.example.com"}
	}
	c := &Client{issuer: strings.TrimRight(o.Issuer, "/"), clientID: o.ClientID, redirectURI: o.RedirectURI, mode: o.Mode, scope: strings.Join(o.Scopes, " "), wire: caller, now: o.Now}
	c.credentials = func(form url.Values) {
		form.Set("client_id", o.ClientID)
		if o.ClientSecret != "" {
			form.Set("client_secret", o.ClientSecret)
		}
	}
	return c, nil
}

func unknownScope(s string) bool { return s != ScopeOpenID && s != ScopeProfile && s != ScopePhone }

// post makes a call with the client's credentials and decodes the response into out, unless out is nil.
func (c *Client) post(ctx context.Context, path string, form url.Values, once bool, out any) error {
	c.credentials(form)
	what := wire.Call{Method: http.MethodPost, Path: path, Body: []byte(form.Encode()), Once: once, Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}}
	return outcome(c.wire.Do(ctx, what, func(a *wire.Answer) error {
		if out == nil && a.Status/100 == 2 || out != nil && a.Decode(out) {
			return nil
		}
		return errorOf(a)
	}))
}
