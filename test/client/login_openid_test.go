package client_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/client/login"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/servicetest"
)

const sandboxTwo = "22300000002"

// A person signs in by OpenID Connect, and signs in again before a payment, which nobody else can do.
func TestLogin_OpenID(t *testing.T) {
	for _, typ := range []tenant.Type{tenant.Confidential, tenant.Public} {
		t.Run(string(typ), func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newLogin(t, d, typ)
				c := w.client(t, func(o *login.Options) { o.Scopes = []string{login.ScopeOpenID, login.ScopeProfile, login.ScopePhone} })
				signIn := func(hint, number string) (*login.SignedIn, error) {
					t.Helper()
					a := c.Attempt(login.StartOptions{IDTokenHint: hint})
					back, err := servicetest.SignIn(t.Context(), a.URL, number)
					if err != nil {
						t.Fatal(err)
					}
					return c.Complete(t.Context(), back.Query(), a)
				}
				first, err := signIn("", sandboxOne)
				if err != nil {
					t.Fatal(err)
				}
				got, access := first.IDToken, first.Claims
				if got.Subject != first.Profile.ID || got.AuthTime != access.AuthTime || got.SessionID == "" || got.TenantID != access.TenantID || got.Mode != login.Test ||
					got.Phone != "+"+sandboxOne || got.Name != access.Name || got.Name == "" || got.IssuedAt != access.IssuedAt || got.Expires != access.Expires {
					t.Errorf("got %+v beside %+v, want the same person", got, access)
				}
				if _, err := c.Verify(t.Context(), got.Raw); !errors.Is(err, login.ErrInvalidToken) {
					t.Errorf("the ID token as an access token: got %v, want invalid_token", err)
				}

				w.Clock.Advance(24 * time.Hour)
				again, err := signIn(got.Raw, sandboxOne)
				if err != nil || again.Claims.Subject != access.Subject || again.IDToken.SessionID == got.SessionID || again.IDToken.AuthTime <= got.AuthTime {
					t.Errorf("again: got %+v, %v, want the same person in a new login", again, err)
				}
				if other, err := signIn(again.IDToken.Raw, sandboxTwo); !errors.Is(err, login.ErrLoginRequired) {
					t.Errorf("another person: got %+v, %v, want login_required", other, err)
				}
				if typ == tenant.Confidential {
					signsOut(t, c, again, first)
				}
			})
		})
	}
}

// signsOut holds that the address of a sign-out ends one login, and not another of the same person.
func signsOut(t *testing.T, c *login.Client, who, elsewhere *login.SignedIn) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.SignOutURL(who.IDToken.Raw, "", ""), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	before, errBefore := c.Introspect(t.Context(), who.Token)
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Body.Close()
	after, errAfter := c.Introspect(t.Context(), who.Token)
	if err := errors.Join(errBefore, errAfter); err != nil || got.StatusCode != http.StatusOK || got.Request.URL.Path != "/signed-out" || !before.Active || after.Active {
		t.Errorf("%v, %s at %s; the token was worth something: %v before, %v after", err, got.Status, got.Request.URL, before.Active, after.Active)
	}
	back, err := url.Parse(c.SignOutURL(elsewhere.IDToken.Raw, "https://app.example/bye", "a&b"))
	if err != nil || back.Query().Get("post_logout_redirect_uri") != "https://app.example/bye" || back.Query().Get("state") != "a&b" || back.Query().Get("id_token_hint") != elsewhere.IDToken.Raw {
		t.Errorf("%v, %v", back, err)
	}
}

// What a program without the scopes gets is what it got before: no member of it is new.
func TestLogin_WithoutOpenID(t *testing.T) {
	w := newLogin(t, dbtest.SQLite(t), tenant.Confidential)
	c := w.client(t)
	a := c.Attempt(login.StartOptions{})
	back, err := servicetest.SignIn(t.Context(), a.URL, sandboxOne)
	if err != nil {
		t.Fatal(err)
	}
	who, err := c.Complete(t.Context(), back.Query(), a)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := json.Marshal(map[string]any{"attempt": a, "who": who})
	if err != nil || who.IDToken != nil || strings.Contains(string(kept), "id_token") || strings.Contains(string(kept), "nonce") {
		t.Errorf("got %s, %v, want no ID token and no nonce", kept, err)
	}
}
