package main

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"time"

	griot "example.com/griot/client"
	"example.com/griot/client/login"
)

// loginArgs are the arguments of all calls of the login service.
type loginArgs struct {
	Now      int64  `json:"now"` // Unix seconds
	Mode     string `json:"mode"`
	ClientID string `json:"clientId"`
	Secret   string `json:"clientSecret"`

	UILocales string   `json:"uiLocales"`
	Scopes    []string `json:"scopes"`
	Hint      string   `json:"idTokenHint"`
	State     string   `json:"state"`
	Verifier  string   `json:"verifier"`
	Nonce     string   `json:"nonce"`
	URL       string   `json:"url"` // to which the browser returned
	Code      string   `json:"code"`
	Token     string   `json:"token"`
	Times     int      `json:"times"` // number of verifications of a token by one client; the last result counts
}

// logins are the operations of the login service by their names in the list.
var logins = map[string]func(ctx context.Context, o griot.Options, args json.RawMessage) (any, error){
	"login.attempt": withLogin(func(_ context.Context, c *login.Client, a *loginArgs) (any, error) {
		made := c.Attempt(login.StartOptions{UILocales: a.UILocales, IDTokenHint: a.Hint})
		u, err := url.Parse(made.URL)
		if err != nil {
			return nil, err
		}
		query := map[string]string{}
		for name := range u.Query() {
			query[name] = u.Query().Get(name)
		}
		return map[string]any{"path": u.Path, "query": query, "stateLength": len(made.State), "verifierLength": len(made.Verifier), "nonceLength": len(made.Nonce), "sameState": query["state"] == made.State, "sameNonce": query["nonce"] == made.Nonce}, nil
	}),
	"login.complete": withLogin(func(ctx context.Context, c *login.Client, a *loginArgs) (any, error) {
		u, err := url.Parse(a.URL)
		if err != nil {
			return nil, err
		}
		return c.Complete(ctx, u.Query(), &login.Attempt{State: a.State, Verifier: a.Verifier, Nonce: a.Nonce})
	}),
	"login.exchange": withLogin(func(ctx context.Context, c *login.Client, a *loginArgs) (any, error) {
		return c.Exchange(ctx, a.Code, a.Verifier)
	}),
	"login.verify": withLogin(func(ctx context.Context, c *login.Client, a *loginArgs) (claims any, err error) {
		for range max(a.Times, 1) {
			claims, err = c.Verify(ctx, a.Token)
		}
		return claims, err
	}),
	"login.revoke": withLogin(func(ctx context.Context, c *login.Client, a *loginArgs) (any, error) {
		return struct{}{}, c.Revoke(ctx, a.Token)
	}),
	"login.introspect": withLogin(func(ctx context.Context, c *login.Client, a *loginArgs) (any, error) {
		return c.Introspect(ctx, a.Token)
	}),
	"login.metadata": withLogin(func(ctx context.Context, c *login.Client, _ *loginArgs) (any, error) { return c.Metadata(ctx) }),
}

// withLogin decodes a call's arguments, and creates a client of the login service.
func withLogin(fn func(context.Context, *login.Client, *loginArgs) (any, error)) func(context.Context, griot.Options, json.RawMessage) (any, error) {
	return func(ctx context.Context, o griot.Options, args json.RawMessage) (any, error) {
		a := &loginArgs{Mode: login.Test, ClientID: os.Getenv("GRIOT_CLIENT_ID"), Secret: os.Getenv("GRIOT_CLIENT_SECRET")}
		if len(args) > 0 {
			if err := json.Unmarshal(args, a); err != nil {
				return nil, err
			}
		}
		c, err := login.New(login.Options{
			Issuer: os.Getenv("GRIOT_AUTH_URL"), ClientID: a.ClientID, ClientSecret: a.Secret, RedirectURI: os.Getenv("GRIOT_REDIRECT_URI"), Mode: a.Mode, Scopes: a.Scopes,
			Requests: o, Now: func() time.Time { return time.Unix(cmp.Or(a.Now, time.Now().Unix()), 0) },
		})
		if err != nil {
			return nil, err
		}
		return fn(ctx, c, a)
	}
}
