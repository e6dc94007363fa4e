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

// StartOptions are of one login.
type StartOptions struct {
	UILocales string // the languages of the waiting page, the best first: "fr en"

	// IDTokenHint is the [IDToken.Raw] of the person who must sign in again. Another person ends the login with [ErrLoginRequired].
	// The hint makes the login one of OpenID Connect. A browser can leave it out, so compare [Claims.Subject] with the person of your session.
	IDTokenHint string
}

// Attempt is what the browser that starts a login keeps until it is back. It belongs to that browser alone.
type Attempt struct {
	State    string `json:"state"`
	Verifier string `json:"verifier"`        // of PKCE
	Nonce    string `json:"nonce,omitempty"` // of a login by OpenID Connect

	URL string `json:"-"` // where the browser is sent
}

// Attempt makes a login: nothing is asked of the service.
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
		scope = cmp.Or(scope, ScopeOpenID) // without it, the service does not read the hint
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
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// SignedIn is who has signed in, after everything was checked.
type SignedIn struct {
	Claims  *Claims `json:"claims"` // Claims.Subject is the person
	Profile Profile `json:"profile"`
	Token   string  `json:"token"`

	IDToken *IDToken `json:"id_token,omitempty"` // nil without [Options.Scopes] and [StartOptions.IDTokenHint]
}

// Complete checks what the browser came back with, the query of the redirect address, against its attempt, exchanges the
// code, and checks the token, and the ID token of a login by OpenID Connect.
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
