package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"example.com/griot/auth/login"
	"example.com/griot/auth/logout"
	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/token"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/id"
)

const (
	maxVerifierText = "43 to 128 characters of A-Z, a-z, 0-9, - . _ ~"
	grantCode       = "authorization_code"
)

type tokenIn struct {
	GrantType    string `json:"grant_type"`
	Code         string `json:"code"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	CodeVerifier string `json:"code_verifier"`
	RedirectURI  string `json:"redirect_uri"`
}

// profileOut is a Profile of the API.
type profileOut struct {
	ID          string          `json:"id"`
	TenantID    string          `json:"tenant_id"`
	Phone       string          `json:"phone_e164"` // without a plus
	DisplayName *string         `json:"display_name"`
	Provider    login.Provider  `json:"provider"`
	Mode        tenant.Mode     `json:"mode"`
	FirstSeenAt string          `json:"first_seen_at"`
	Metadata    json.RawMessage `json:"metadata"`
}

type tokenOut struct {
	Token       string     `json:"token"`
	AccessToken string     `json:"access_token"`
	TokenType   string     `json:"token_type"`
	ExpiresIn   int        `json:"expires_in"`
	Subject     string     `json:"subject"`
	IssuedAt    string     `json:"issued_at"`
	Profile     profileOut `json:"profile"`
	IDToken     string     `json:"id_token,omitempty"` // this field and the next ones: only of a login with the scope openid
	Scope       string     `json:"scope,omitempty"`
}

// token exchanges a code. /token responds with 201, and /oauth2/token with 200, as RFC
// 6749 requires. No cookie is read, so pages of any origin can call both.
func (a *API) token(status int) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Pragma", "no-cache") // RFC 6749 §5.1
		in, err := a.readToken(w, r)
		if err != nil {
			return err
		}
		client, err := a.authenticate(w, r, in.ClientID, in.ClientSecret, a.limits.exchanges)
		if err != nil {
			return err
		}
		if err := checkToken(in); err != nil {
			return err
		}
		grant, err := a.logins.Redeem(r.Context(), login.Exchange{
			Client: client, Code: in.Code, RedirectURI: in.RedirectURI, Verifier: in.CodeVerifier, Caller: tenant.CallerOf(r.Context()),
		})
		if err != nil {
			return err
		}
		a.limits.chargePublic(a.limits.exchanges, client)
		out, err := a.sign(r, client, grant)
		if err != nil {
			return err
		}
		return httpx.WriteJSON(w, status, out)
	}
}

// readToken reads a TokenRequest as JSON or as a form.
func (a *API) readToken(w http.ResponseWriter, r *http.Request) (*tokenIn, error) {
	in := &tokenIn{}
	if httpx.MediaType(r) != httpx.TypeForm {
		err := a.http.DecodeJSON(w, r, in)
		return in, err
	}
	form, err := a.http.ReadForm(w, r)
	if err != nil {
		return nil, err
	}
	*in = tokenIn{
		GrantType: form.Get("grant_type"), Code: form.Get("code"), ClientID: form.Get("client_id"),
		ClientSecret: form.Get("client_secret"), CodeVerifier: form.Get("code_verifier"), RedirectURI: form.Get("redirect_uri"),
	}
	return in, nil
}

// checkToken checks the format of an authenticated client's request.
func checkToken(in *tokenIn) error {
	switch {
	case in.GrantType != "" && in.GrantType != grantCode:
		return apierror.AuthGrantType.Err()
	case in.Code == "":
		return missing("code")
	case !id.Valid(in.Code):
		return apierror.AuthMalformed("code", anID26)
	case in.RedirectURI == "":
		return missing("redirect_uri")
	case !oauth.Printable(in.RedirectURI):
		return apierror.AuthMalformed("redirect_uri", "a URI")
	case in.CodeVerifier != "" && !oauth.ValidVerifier(in.CodeVerifier):
		return apierror.AuthMalformed("code_verifier", maxVerifierText)
	}
	return nil
}

func (a *API) sign(r *http.Request, client *tenant.Client, g *login.Grant) (*tokenOut, error) {
	p := &g.Profile
	issued := g.IssuedAt.Unix()
	signed, err := a.signer.Sign(r.Context(), &token.Claims{
		Issuer: a.own.URL, Subject: p.ID, Audience: client.ClientID, ClientID: client.ClientID,
		IssuedAt: issued, NotBefore: issued, Expires: issued + int64(token.Lifetime/time.Second), ID: g.TokenID,
		AuthTime: g.VerifiedAt.Unix(), Methods: []string{token.MultiChannel},
		TenantID: p.TenantID, Mode: string(p.Mode), Provider: string(p.Provider),
		Phone: p.Phone.E164(), PhoneVerified: true, Name: p.DisplayName, Scope: g.OpenID.Scope,
	})
	if err != nil {
		return nil, err
	}
	idToken, err := a.signID(r, client, g, signed)
	if err != nil {
		return nil, err
	}
	out := &tokenOut{
		IDToken: idToken, Scope: g.OpenID.Scope, Token: signed, AccessToken: signed, TokenType: "Bearer", ExpiresIn: int(token.Lifetime / time.Second),
		Subject: p.ID, IssuedAt: formatTime(g.IssuedAt),
		Profile: profileOut{
			ID: p.ID, TenantID: p.TenantID, Phone: string(p.Phone), Provider: p.Provider, Mode: p.Mode,
			FirstSeenAt: formatTime(p.FirstSeenAt), Metadata: json.RawMessage(p.Metadata),
		},
	}
	if p.DisplayName != "" {
		out.Profile.DisplayName = &p.DisplayName
	}
	return out, nil
}

// signID returns the ID token of a login with the scope openid; empty for any other login.
func (a *API) signID(r *http.Request, client *tenant.Client, g *login.Grant, accessToken string) (string, error) {
	p := &g.Profile
	if !g.OpenID.Has(oauth.OpenIDScope) {
		return "", nil
	}
	issued := g.IssuedAt.Unix()
	c := &token.IDClaims{
		Issuer: a.own.URL, Subject: p.ID, Audience: client.ClientID, IssuedAt: issued, Expires: issued + int64(token.Lifetime/time.Second),
		AuthTime: g.VerifiedAt.Unix(), Nonce: g.OpenID.Nonce, AccessTokenHash: token.AccessTokenHash(accessToken), Methods: []string{token.MultiChannel},
		LoginID: logout.SID(g.SessionID), TenantID: p.TenantID, Mode: string(p.Mode),
	}
	if g.OpenID.Has(oauth.PhoneScope) {
		c.Phone, c.PhoneVerified = p.Phone.E164(), true
	}
	if g.OpenID.Has(oauth.ProfileScope) {
		c.Name = p.DisplayName
	}
	var err error
	if c.Identity, err = a.identity(r.Context(), client, g.OpenID.Scope, p.ID, p.DisplayName, p.Username); err != nil {
		return "", err
	}
	return a.signer.SignID(r.Context(), c)
}

// identity returns the claims email and preferred_username of a person, and counts an address that is withheld because
// another tenant has proven its domain. username is the person's stored user name. It makes no query for a client without
// these settings.
func (a *API) identity(ctx context.Context, client *tenant.Client, scope, subject, name, username string) (tenant.Identity, error) {
	domain := tenant.DomainState("")
	var err error
	if oauth.HasScope(scope, oauth.EmailScope) {
		if domain, err = a.tenants.EmailDomain(ctx, client); err != nil {
			return tenant.Identity{}, err
		}
		if domain == tenant.DomainTaken {
			a.metrics.Withheld()
		}
	}
	if username == "" && client.Connect.NeedsUsername(scope) {
		if username, err = a.logins.Username(ctx, client.TenantID, subject, name); err != nil {
			return tenant.Identity{}, err
		}
	}
	return client.Connect.Identity(scope, subject, username, domain), nil
}
