package login

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
)

// StartOptions are the options of one login.
type StartOptions struct {
	UILocales string // languages of the waiting page, in order of preference, such as "fr en"

	// IDTokenHint is the [IDToken.Raw] of the person who must sign in again. If another person signs in, the login
	// ends with [ErrLoginRequired]. The hint turns the login into an OpenID Connect login. A browser can remove the
	// hint, so compare [Claims.Subject] with the person of your session.
	IDTokenHint string
}

// An Attempt is the state of a login that the browser keeps until it returns. It must be kept for that browser only.
type Attempt struct {
	State    string `json:"state"`
	Verifier string `json:"verifier"`        // the PKCE code verifier
	Nonce    string `json:"nonce,omitempty"` // only in OpenID Connect logins

	URL string `json:"-"` // the authorization URL to redirect the browser to
}

// Attempt creates a login without calling the service.
func (c *Client) Attempt(o StartOptions) *Attempt {
	a := &Attempt{State: random(), Verifier: random()}
	hash := sha256.Sum256([]byte(a.Verifier))
	q := url.Values{
		"response_type": {"code"}, "client_id": {c.clientID}, "redirect_uri": {c.redirectURI}, "state": {a.State},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(hash[:])}, "code_challenge_method": {"S256"},
	}
	if o.UILocales != "" {
		q.Set("ui_locales", o.UILocales)
	}
	scope := c.scope
	if o.IDTokenHint != "" {
		scope = cmp.Or(scope, ScopeOpenID) // without the scope, the service does not read the hint
		q.Set("id_token_hint", o.IDTokenHint)
	}
	if scope != "" {
		a.Nonce = random()
		q.Set("scope", scope)
		q.Set("nonce", a.Nonce)
	}
	a.URL = c.issuer + "/authorize?" + q.Encode()
	return a
}

func random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never returns an error
	return base64.RawURLEncoding.EncodeToString(b)
}

// A SignedIn is the result of a login that passed all checks.
type SignedIn struct {
	Claims  *Claims `json:"claims"` // Claims.Subject identifies the person
	Profile Profile `json:"profile"`
	Token   string  `json:"token"`

	IDToken *IDToken `json:"id_token,omitempty"` // nil without [Options.Scopes] and [StartOptions.IDTokenHint]
}

// Complete finishes a login. It checks the query of the redirect URI against the attempt, exchanges the code, and
// checks the token and, in an OpenID Connect login, the ID token.
func (c *Client) Complete(ctx context.Context, returned url.Values, a *Attempt) (*SignedIn, error) {
	if a == nil || a.State == "" || a.Verifier == "" || c.scope != "" && a.Nonce == "" {
		return nil, &Error{string(ErrNoLogin), "this browser has started no login, or one that is over"}
	}
	if subtle.ConstantTimeCompare([]byte(returned.Get("state")), []byte(a.State)) != 1 {
		return nil, &Error{string(ErrStateMismatch), "this is not the return of the login that this browser has started"}
	}
	if returned.Get("iss") != c.issuer {
		return nil, &Error{string(ErrIssuerMismatch), "another service has sent the browser back"}
	}
	code := returned.Get("code")
	if code == "" {
		e := &Error{returned.Get("error"), returned.Get("error_description")}
		if e.Code == "" {
			e.Code = string(ErrAccessDenied)
		}
		if e.Problem == "" {
			e.Problem = "the login was not completed"
		}
		return nil, e
	}
	got, err := c.Exchange(ctx, code, a.Verifier)
	if err != nil {
		return nil, err
	}
	claims, err := c.Verify(ctx, got.AccessToken)
	if err != nil {
		return nil, err
	}
	if got.Profile.ID != claims.Subject {
		return nil, invalid("the profile is not that of the token")
	}
	who := &SignedIn{Claims: claims, Profile: got.Profile, Token: got.AccessToken}
	if a.Nonce != "" {
		if who.IDToken, err = c.idToken(ctx, got.IDToken, got.AccessToken, claims, a); err != nil {
			return nil, err
		}
	}
	return who, nil
}
