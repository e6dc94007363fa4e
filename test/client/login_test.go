package client_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	griot "example.com/griot/client"
	"example.com/griot/client/login"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/openapi"
	"example.com/griot/test/servicetest"
)

const (
	returnTo   = "https://shop.example/callback"
	sandboxOne = "22300000001"
)

// loginWorld is the real login service, with one client of it.
type loginWorld struct {
	*authtest.World
	script *servicetest.Script
	app    authtest.Client
}

func newLogin(t *testing.T, d *db.DB, typ tenant.Type) *loginWorld {
	t.Helper()
	w := &loginWorld{World: authtest.New(t, d)}
	w.script = servicetest.Auth(t, w.World)
	w.app = w.NewClient(t, typ, tenant.Test, returnTo)
	return w
}

func (w *loginWorld) client(t *testing.T, change ...func(*login.Options)) *login.Client {
	t.Helper()
	o := login.Options{
		Issuer: w.script.URL, ClientID: w.app.ClientID, ClientSecret: w.app.Secret, RedirectURI: returnTo, Mode: login.Test, Now: w.Clock.Now,
		Requests: griot.Options{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }},
	}
	for _, c := range change {
		c(&o)
	}
	c, err := login.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A person signs in through the handlers of a website, signs in again, and is signed out.
func TestLogin_Website(t *testing.T) {
	for _, typ := range []tenant.Type{tenant.Confidential, tenant.Public} {
		t.Run(string(typ), func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := newLogin(t, d, typ)
				c := w.client(t)
				ctx := t.Context()
				var who *login.SignedIn
				callback := c.Callback(func(w http.ResponseWriter, _ *http.Request, s *login.SignedIn) {
					who = s
					w.WriteHeader(http.StatusNoContent)
				}, nil)

				started := httptest.NewRecorder()
				c.Start().ServeHTTP(started, httptest.NewRequest(http.MethodGet, "/login?ui_locales=en", nil))
				cookies := started.Result().Cookies()
				if started.Code != 303 || len(cookies) != 1 || !cookies[0].HttpOnly || !cookies[0].Secure || !strings.HasPrefix(cookies[0].Name, "__Host-griot_login_") {
					t.Fatalf("start: got %d with %v, want 303 with one cookie for https alone", started.Code, cookies)
				}
				back, err := servicetest.SignIn(ctx, started.Header().Get("Location"), sandboxOne)
				if err != nil {
					t.Fatal(err)
				}
				returns := func(change func(*http.Request)) int {
					r := httptest.NewRequest(http.MethodGet, back.String(), nil)
					r.AddCookie(cookies[0])
					change(r)
					ended := httptest.NewRecorder()
					callback.ServeHTTP(ended, r)
					return ended.Code
				}
				if status := returns(func(r *http.Request) { r.Header.Del("Cookie") }); status != 400 || who != nil {
					t.Errorf("a browser that started no login: got %d, want 400", status)
				}
				if status := returns(func(r *http.Request) { r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "iss=", "iss=x", 1) }); status != 400 || who != nil {
					t.Errorf("another issuer: got %d, want 400", status)
				}
				if status := returns(func(*http.Request) {}); status != 204 || who == nil {
					t.Fatalf("the return: got %d, want 204", status)
				}
				if who.Claims.Phone != "+"+sandboxOne || who.Claims.Mode != login.Test || who.Profile.PhoneE164 != sandboxOne || who.Claims.Subject != who.Profile.ID {
					t.Errorf("got %+v, want the sandbox's first person", who)
				}
				first := who
				if status := returns(func(*http.Request) {}); status != 400 {
					t.Errorf("the same return again: got %d, want 400, as the code was used", status)
				}
				again := c.Attempt(login.StartOptions{})
				if back, err = servicetest.SignIn(ctx, again.URL, sandboxOne); err != nil {
					t.Fatal(err)
				}
				second, err := c.Complete(ctx, back.Query(), again)
				if err != nil || second.Claims.Subject != first.Claims.Subject || second.Claims.ID == first.Claims.ID {
					t.Fatalf("the second login: got %+v, %v, want the same person with another token", second, err)
				}
				if typ == tenant.Confidential {
					if now, err := c.Introspect(ctx, second.Token); err != nil || !now.Active || now.Subject != second.Claims.Subject || now.ID != second.Claims.ID {
						t.Errorf("introspection: got %+v, %v, want it active", now, err)
					}
				}
				for range 2 {
					if err := c.Revoke(ctx, second.Token); err != nil {
						t.Errorf("revoke: got %v, want nil", err)
					}
				}
				now, err := c.Introspect(ctx, second.Token)
				if typ == tenant.Confidential && (err != nil || now.Active) || typ == tenant.Public && !errors.Is(err, login.ErrClientNotConfidential) {
					t.Errorf("introspection of a revoked token: got %+v, %v", now, err)
				}
				if m, err := c.Metadata(ctx); err != nil || m.TokenEndpoint != w.script.URL+"/oauth2/token" {
					t.Errorf("metadata: got %+v, %v, want its token endpoint", m, err)
				}
			})
		})
	}
}

func TestLogin_Refusals(t *testing.T) {
	w := newLogin(t, dbtest.SQLite(t), tenant.Confidential)
	c, ctx := w.client(t), t.Context()
	complete := func(c *login.Client, change func(*login.Attempt)) error {
		t.Helper()
		a := c.Attempt(login.StartOptions{})
		back, err := servicetest.SignIn(ctx, a.URL, sandboxOne)
		if err != nil {
			t.Fatal(err)
		}
		change(a)
		_, err = c.Complete(ctx, back.Query(), a)
		return err
	}
	keep := func(*login.Attempt) {}
	for name, tc := range map[string]struct {
		err  error
		want error
	}{
		"another state":    {complete(c, func(a *login.Attempt) { a.State += "x" }), login.ErrStateMismatch},
		"another verifier": {complete(c, func(a *login.Attempt) { a.Verifier = strings.Repeat("x", 43) }), login.ErrPKCEMismatch},
		"no attempt":       {complete(c, func(a *login.Attempt) { *a = login.Attempt{} }), login.ErrNoLogin},
		"a wrong secret":   {complete(w.client(t, func(o *login.Options) { o.ClientSecret = "wrong" }), keep), login.ErrClientAuthFailed},
		"no secret":        {complete(w.client(t, func(o *login.Options) { o.ClientSecret = "" }), keep), login.ErrClientSecretMissing},
		"the other mode":   {complete(w.client(t, func(o *login.Options) { o.Mode = login.Live }), keep), login.ErrInvalidToken},
	} {
		if !errors.Is(tc.err, tc.want) {
			t.Errorf("%s: got %v, want %v", name, tc.err, tc.want)
		}
	}
	// A code whose answer was lost is not exchanged again: that would revoke the token that it gave.
	w.script.ThenOf("/oauth2/token", servicetest.BreakAfter)
	var lost *griot.UnansweredError
	if err := complete(c, keep); !errors.As(err, &lost) || lost.Tries != 1 {
		t.Errorf("an exchange whose answer was lost: got %v, want an *UnansweredError after one try", err)
	}
	if _, err := w.client(t, func(o *login.Options) { o.Issuer = strings.Replace(o.Issuer, "127.0.0.1", "localhost", 1) }).Metadata(ctx); !errors.Is(err, login.ErrIssuerMismatch) {
		t.Errorf("metadata under another name: got %v, want issuer_mismatch", err)
	}
	text := fmt.Sprintf("%v %+v %#v", c, c, c)
	if strings.Contains(text, w.app.Secret) {
		t.Errorf("the secret is in %s", text)
	}
	for name, change := range map[string]func(*login.Options){
		"clientId":    func(o *login.Options) { o.ClientID = "" },
		"redirectUri": func(o *login.Options) { o.RedirectURI = "/callback" },
		"issuer":      func(o *login.Options) { o.Issuer = "login.example" },
		"mode":        func(o *login.Options) { o.Mode = "live" },
	} {
		o := login.Options{Issuer: w.script.URL, ClientID: "cl", RedirectURI: returnTo}
		change(&o)
		if _, err := login.New(o); !isArgument(err, name) {
			t.Errorf("%s: got %v, want an *ArgumentError of it", name, err)
		}
	}
}

// notForApplications are operations of these groups that the client does not have, with the reason.
var notForApplications = map[string]string{
	"exchangeCode":      "/oauth2/token is the same, with the status that OAuth has",
	"getHealth":         "it is for who runs the service",
	"getOpenIDMetadata": "the client reads the OAuth metadata, and knows the paths",
	"getUserInfo":       "the tokens and the profile have the same claims",
	"postUserInfo":      "the tokens and the profile have the same claims",
	"signOutByForm":     "the browser goes to the same address by GET",
}

// Each operation of the login service that an application may call is in the package login.
func TestLogin_HasTheOperationsOfApplications(t *testing.T) {
	w := newLogin(t, dbtest.SQLite(t), tenant.Confidential)
	c, ctx := w.client(t), t.Context()
	a := c.Attempt(login.StartOptions{})
	back, err := servicetest.SignIn(ctx, a.URL, sandboxOne)
	if err != nil {
		t.Fatal(err)
	}
	w.script.Then()
	who, err := c.Complete(ctx, back.Query(), a)
	if err != nil {
		t.Fatal(err)
	}
	_, errMetadata := c.Metadata(ctx)
	_, errIntrospect := c.Introspect(ctx, who.Token)
	if err := errors.Join(errMetadata, errIntrospect, c.Revoke(ctx, who.Token)); err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{
		"GET /authorize":     strings.HasPrefix(a.URL, w.script.URL+"/authorize?"),
		"GET /oauth2/logout": strings.HasPrefix(c.SignOutURL("token", "", ""), w.script.URL+"/oauth2/logout?"),
	}
	for _, r := range w.script.Seen() {
		called[r.Method+" "+r.URL.Path] = true
	}
	for path, item := range loadAuth(t).Paths.Map() {
		for method, o := range item.Operations() {
			forApplications := method != http.MethodOptions && (slices.Contains(o.Tags, "Token") || slices.Contains(o.Tags, "Discovery") && strings.HasPrefix(path, "/.well-known/") || o.OperationID == "authorize")
			if _, not := notForApplications[o.OperationID]; forApplications && !not && !called[method+" "+path] {
				t.Errorf("%s (%s %s) is for applications, and the client does not call it", o.OperationID, method, path)
			}
		}
	}
	// What the service answers is kept: the client loses no member of the token and the profile.
	_, payload, _ := strings.Cut(who.Token, ".")
	payload, _, _ = strings.Cut(payload, ".")
	sent, kept := map[string]any{}, map[string]any{}
	again, err := json.Marshal(who.Claims)
	if err = errors.Join(err, json.Unmarshal(decoded(t, payload), &sent), json.Unmarshal(again, &kept)); err != nil {
		t.Fatal(err)
	}
	if missing := lost("", sent, kept); len(missing) > 0 {
		t.Errorf("the token's members %q are not in the client's claims", missing)
	}
}

// Each code that an application can meet has its error; others are of browsers, gateways, and the dashboard.
func TestLogin_CodesAreTheCatalogues(t *testing.T) {
	have, catalogue := sentinels(t, "../../client/login/codes.go"), map[string]*apierror.Kind{}
	for _, k := range apierror.AuthKinds() {
		catalogue[k.Code] = k
		if k.OAuth == "invalid_grant" && have[k.Code] == "" || k.OAuth == "invalid_client" && have[k.Code] == "" {
			t.Errorf("%s is refused to applications, and has no error in the package login", k.Code)
		}
	}
	for code, name := range have {
		if catalogue[code] == nil {
			t.Errorf("%s is the code of %s, and not in the catalog", code, name)
		}
	}
}

func loadAuth(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Auth())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func decoded(t *testing.T, part string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
