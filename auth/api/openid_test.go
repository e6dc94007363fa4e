package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"example.com/griot/auth"
	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

// connected signs in with OpenID Connect and a sandbox number, and returns the token response.
func (s *service) connected(a app, number string, change ...string) answer {
	s.t.Helper()
	b := s.browser()
	loginID := b.start(a, append([]string{"scope", "openid profile phone"}, change...)...)
	b.sandbox(loginID, number).must(s.t, http.StatusCreated)
	got := s.exchange("/oauth2/token", exchange(a, b.code(loginID)))
	got.must(s.t, http.StatusOK)
	return got
}

func (s *service) userinfo(token string) answer {
	s.t.Helper()
	return s.do(s.request("GET", "/userinfo", "", "Authorization", "Bearer "+token))
}

// payload returns the claims of a token without verifying it.
func payload(t testing.TB, raw string) map[string]any {
	t.Helper()
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no JWT", raw)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	claims := map[string]any{}
	if err == nil {
		err = json.Unmarshal(text, &claims)
	}
	if err != nil {
		t.Fatal(err)
	}
	return claims
}

func names(claims map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(claims)), " ")
}

// A library that discovers the issuer signs people in and verifies the result.
// Rules: L181, L182, L187, L188.
func TestOpenID_ALibrarySignsIn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Confidential, tenant.Test)
		ctx := oidc.ClientContext(context.Background(), s.http)
		provider, err := oidc.NewProvider(ctx, s.URL)
		if err != nil {
			t.Fatal(err)
		}
		verifier := provider.VerifierContext(ctx, &oidc.Config{ClientID: a.ClientID, Now: s.Clock.Now})
		for _, c := range []struct{ scope, number, held, claims, phone, name string }{
			{"openid", "22300000001", "openid", "", "", ""},
			{"openid phone", "22300000001", "openid phone", "phone_number phone_number_verified", "+22300000001", ""},
			{"email openid profile offline_access", "22300000001", "openid profile", "name", "", "Sandbox 1"},
			{"phone profile openid openid", "22300000001", "openid profile phone", "name phone_number phone_number_verified", "+22300000001", "Sandbox 1"},
			{"openid profile phone", "22300000099", "openid profile phone", "phone_number phone_number_verified", "+22300000099", ""},
		} {
			t.Run(c.scope+" "+c.number, func(t *testing.T) {
				s := s.in(t)
				got := s.connected(a, c.number, "scope", c.scope, "nonce", "n-0S6_WzA2Mj").json(t)
				if got["scope"] != c.held {
					t.Errorf("scope %v, want %s", got["scope"], c.held)
				}
				idToken, err := verifier.Verify(ctx, text(t, got, "id_token"))
				if err != nil {
					t.Fatal(err)
				}
				if err := idToken.VerifyAccessToken(text(t, got, "access_token")); err != nil || idToken.Nonce != "n-0S6_WzA2Mj" || idToken.Subject != got["subject"] || !idToken.Expiry.Equal(s.Clock.Now().Add(900*time.Second)) {
					t.Errorf("%v, %+v", err, idToken)
				}
				claims := map[string]any{}
				if err := idToken.Claims(&claims); err != nil {
					t.Fatal(err)
				}
				want := strings.Fields("iss sub aud exp iat auth_time nonce at_hash amr sid tenant_id mode " + c.claims)
				slices.Sort(want)
				if names(claims) != strings.Join(want, " ") {
					t.Errorf("claims %s, want %s", names(claims), want)
				}
				info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(&oauth2.Token{AccessToken: text(t, got, "access_token")}))
				if err != nil {
					t.Fatal(err)
				}
				told := map[string]any{}
				if err := info.Claims(&told); err != nil || told["sub"] != idToken.Subject {
					t.Errorf("userinfo %v, %v", told, err)
				}
				if phone, name := value(told, "phone_number"), value(told, "name"); phone != c.phone || name != c.name || phone != value(claims, "phone_number") || name != value(claims, "name") {
					t.Errorf("userinfo %v, ID token %v; want %q and %q in both", told, claims, c.phone, c.name)
				}
				access := payload(t, text(t, got, "access_token"))
				if access["scope"] != c.held {
					t.Errorf("scope of the access token: %v", access["scope"])
				}
			})
		}
	})
}

func value(m map[string]any, name string) string {
	v, _ := m[name].(string)
	return v
}

// The OpenID Connect metadata contains all fields of the OAuth metadata.
// Rules: L181.
func TestOpenID_Metadata(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	got := s.do(s.request("GET", "/.well-known/openid-configuration", ""))
	if got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != "*" || got.header.Get("Cache-Control") != "public, max-age=300" {
		t.Errorf("%d %v", got.status, got.header)
	}
	openID := got.json(t)
	for member, want := range s.do(s.request("GET", "/.well-known/oauth-authorization-server", "")).json(t) {
		if member == "response_modes_supported" {
			want = "[query form_post]"
		}
		if fmt.Sprint(openID[member]) != fmt.Sprint(want) {
			t.Errorf("%s: %v, of OAuth %v", member, openID[member], want)
		}
	}
	for member, want := range map[string]string{
		"userinfo_endpoint": s.URL + "/userinfo", "scopes_supported": "[openid profile phone email]", "subject_types_supported": "[pairwise]",
		"id_token_signing_alg_values_supported": "[RS256]", "prompt_values_supported": "[none login consent select_account]",
		"claims_parameter_supported": "false", "request_parameter_supported": "false", "request_uri_parameter_supported": "false",
		"claims_supported": "[iss sub aud exp iat auth_time nonce at_hash amr sid tenant_id mode phone_number phone_number_verified name email email_verified preferred_username]",
	} {
		if fmt.Sprint(openID[member]) != want {
			t.Errorf("%s: %v, want %s", member, openID[member], want)
		}
	}
}

// Without the scope openid, nothing works as in OpenID Connect.
// Rules: L182, L186, L189.
func TestOpenID_OnlyWithItsScope(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Confidential, tenant.Test)
	b := s.browser()
	// openid must be a separate scope, and without it, parameters of OpenID Connect are ignored.
	loginID := b.start(a, "scope", "profile openidx OPENID", "nonce", strings.Repeat("n", 513), "prompt", "none", "request", "x", "id_token_hint", "x", "response_mode", "fragment", "max_age", "x")
	b.sandbox(loginID, "22300000001").must(t, 201)
	got := s.redeemed(a, b.code(loginID)).json(t)
	if want := "access_token expires_in issued_at profile subject token token_type"; names(got) != want {
		t.Errorf("the token response has %s, want %s", names(got), want)
	}
	access := payload(t, text(t, got, "token"))
	if want := "amr aud auth_time client_id exp iat iss jti mode name nbf phone_number phone_number_verified provider sub tenant_id"; names(access) != want {
		t.Errorf("the token has %s, want %s", names(access), want)
	}
	refused := s.userinfo(text(t, got, "token"))
	refused.refused(t, 403, "access_denied", "insufficient_scope")
	if h := refused.header.Get("WWW-Authenticate"); h != `Bearer realm="griot", error="insufficient_scope", scope="openid"` {
		t.Errorf("WWW-Authenticate: %s", h)
	}
	s.do(s.request("GET", authorizeURL(a.ClientID, "state", strings.Repeat("s", 257)), "")).refused(t, 400, "invalid_request", "state_length")
	post := s.exchangeForm("/authorize", map[string]string{"client_id": a.ClientID, "redirect_uri": redirect, "state": state})
	post.refused(t, 405, "invalid_request", "method_not_allowed")
	if post.header.Get("Allow") != "GET" {
		t.Errorf("Allow: %s", post.header.Get("Allow"))
	}
	metadata := s.do(s.request("GET", "/.well-known/oauth-authorization-server", "")).json(t)
	for _, member := range []string{"userinfo_endpoint", "scopes_supported", "claims_supported"} {
		if _, ok := metadata[member]; ok {
			t.Errorf("the metadata of OAuth has %s", member)
		}
	}
}

// The sid of an ID token identifies its login without revealing its id. Two logins of a person have two.
// Rules: L187.
func TestOpenID_NamesTheLogin(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	b := s.browser()
	loginID := b.start(a, "scope", "openid")
	b.sandbox(loginID, "22300000001").must(t, 201)
	first := payload(t, text(t, s.redeemed(a, b.code(loginID)).json(t), "id_token"))
	second := payload(t, text(t, s.connected(a, "22300000001").json(t), "id_token"))
	if first["sid"] == second["sid"] || first["sub"] != second["sub"] || strings.Contains(value(first, "sid"), loginID) || len(value(first, "sid")) < 20 {
		t.Errorf("%v and %v of login %s", first, second, loginID)
	}
	if _, ok := first["nonce"]; ok {
		t.Errorf("a nonce that was not sent: %v", first)
	}
}

// An invalid request redirects only after the person's click, except with prompt=none.
// Rules: L183, L184, L185.
func TestOpenID_RefusedRequests(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	before := s.rows()
	for _, c := range []struct{ name, value, code string }{
		{"nonce", strings.Repeat("n", 513), "invalid_request"},
		{"nonce", strings.Repeat("é", 10_000), "invalid_request"},
		{"prompt", "create", "invalid_request"},
		{"max_age", "soon", "invalid_request"},
		{"max_age", "-1", "invalid_request"},
		{"response_mode", "fragment", "invalid_request"},
		{"request", "eyJhbGciOiJub25lIn0.e30.", "request_not_supported"},
		{"request_uri", "https://app.example/request", "request_uri_not_supported"},
		{"registration", "{}", "registration_not_supported"},
	} {
		t.Run(c.name+" "+c.value[:min(20, len(c.value))], func(t *testing.T) {
			s := s.in(t)
			address := authorizeURL(a.ClientID, "scope", "openid", c.name, c.value)
			s.do(s.request("GET", address, "")).refused(t, 400, "invalid_request", "openid_request")
			page := s.do(s.request("GET", address, "", "Accept", "text/html"))
			back := redirect + "&amp;error=" + c.code + "&amp;error_description="
			if page.status != 400 || page.header.Get("Location") != "" || !strings.Contains(string(page.body), `href="`+back) || !strings.Contains(string(page.body), "app.example") {
				t.Errorf("%d %v %s", page.status, page.header, page.body)
			}
			if strings.Contains(string(page.body), "nnnn") || strings.Contains(string(page.body), "éééé") {
				t.Error("the page repeats what was sent")
			}
		})
	}
	// The library sends the request in the background and reads the response itself.
	for prompt, code := range map[string]string{"none": "login_required", "none login": "invalid_request"} {
		for _, accept := range []string{"*/*", "text/html"} {
			got := s.do(s.request("GET", authorizeURL(a.ClientID, "scope", "openid", "prompt", prompt), "", "Accept", accept))
			u, err := url.Parse(got.header.Get("Location"))
			if err != nil || got.status != 303 || u.Host != "app.example" || u.Query().Get("error") != code || u.Query().Get("state") != state || u.Query().Get("iss") != s.URL || u.Query().Has("code") {
				t.Errorf("prompt=%s: %d %v, %v", prompt, got.status, got.header, err)
			}
		}
	}
	// No address of another client, and no unregistered one, receives anything.
	for _, change := range [][]string{{"redirect_uri", "https://evil.example/"}, {"client_id", "cl_test_unknown"}, {"state", strings.Repeat("s", 2049)}} {
		got := s.do(s.request("GET", authorizeURL(a.ClientID, append(change, "scope", "openid", "prompt", "none")...), "", "Accept", "text/html"))
		if got.status != 400 || got.header.Get("Location") != "" || strings.Contains(string(got.body), "evil.example") || strings.Contains(string(got.body), "app.example") {
			t.Errorf("%v: %d %v", change, got.status, got.header)
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("stored %s, before %s", after, before)
	}
}

// Parameters that are always fulfilled, because each login is a new message, and parameters without an effect.
// Rules: L183, L184.
func TestOpenID_RequestsThatHold(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.StateMax = 300 })
	a := s.app(tenant.Public, tenant.Test)
	for _, change := range [][]string{
		{"prompt", "login"},
		{"prompt", "consent select_account"},
		{"max_age", "0"},
		{"max_age", "3600"},
		{"login_hint", "+22300000001"},
		{"claims", `{"userinfo":{"email":{"essential":true}}}`},
		{"display", "touch"},
		{"acr_values", "1 2"},
		{"response_mode", "query"},
		{"response_mode", ""},
		{"nonce", ""},
		{"nonce", strings.Repeat("é", 512)},
		{"state", strings.Repeat("s", 2048)},
	} {
		t.Run(fmt.Sprintf("%.40s", change), func(t *testing.T) {
			s := s.in(t)
			got := s.connected(a, "22300000002", change...).json(t)
			claims := payload(t, text(t, got, "id_token"))
			if now := float64(s.Clock.Now().Unix()); claims["auth_time"] != now || claims["iat"] != now {
				t.Errorf("%v", claims)
			}
			if change[0] == "nonce" && value(claims, "nonce") != change[1] {
				t.Errorf("nonce %v", claims["nonce"])
			}
		})
	}
	s.do(s.request("GET", authorizeURL(a.ClientID, "scope", "openid", "state", strings.Repeat("s", 2049)), "")).refused(t, 400, "invalid_request", "state_length")
}

// With openid, state is optional where something else binds the response to the request. It comes back as it was sent, and
// a response to a request without it has none.
// Rules: L183.
func TestOpenID_StateIsOptional(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		public, secret := s.app(tenant.Public, tenant.Test), s.app(tenant.Confidential, tenant.Test)
		unbound := []string{"nonce", "-", "code_challenge", "-", "code_challenge_method", "-"}
		returned := func(a app, change ...string) url.Values {
			t.Helper()
			b := s.browser()
			loginID := b.start(a, append([]string{"scope", "openid"}, change...)...)
			b.sandbox(loginID, "22300000001").must(t, http.StatusCreated)
			u, err := url.Parse(text(t, b.poll(loginID), "redirectUrl"))
			if err != nil {
				t.Fatal(err)
			}
			return u.Query()
		}
		for _, sent := range []string{"-", "", "x", "é&=+ %", strings.Repeat("s", 2048)} {
			want := []string{sent}
			if sent == "-" || sent == "" {
				want = nil
			}
			for _, a := range []app{public, secret} {
				if got := returned(a, "state", sent)["state"]; !slices.Equal(got, want) {
					t.Errorf("%.20q came back as %.20q", sent, got)
				}
			}
		}
		for _, bound := range [][]string{{"nonce", "n"}, {"code_challenge", oauth.S256(verifier)}} {
			if got := returned(secret, append(append([]string{"state", "-"}, unbound...), bound...)...); got.Has("state") || got.Get("code") == "" {
				t.Errorf("%v: %v", bound, got)
			}
		}
		refused := func(code string, a app, change ...string) {
			t.Helper()
			s.do(s.request("GET", authorizeURL(a.ClientID, change...), "")).refused(t, 400, "invalid_request", code)
		}
		refused("state_required", secret, append([]string{"scope", "openid", "state", "-"}, unbound...)...)
		refused("state_required", secret, append([]string{"scope", "openid", "state", ""}, unbound...)...)
		refused("state_length", secret, "scope", "openid", "state", strings.Repeat("s", 2049))
		refused("pkce_required", public, append([]string{"scope", "openid", "state", "-"}, unbound...)...)
		refused("missing_parameter", secret, "scope", "profile", "state", "-")
		refused("missing_parameter", secret, "state", "")
		refused("state_length", secret, "scope", "profile", "state", "short")

		s.dashboard(s.Tenant).send("PUT", "/manage/clients/"+secret.ID+"/connect", `{"postLogoutRedirectUris":[],"stateOptional":true}`).must(t, 200)
		if got := returned(secret, append([]string{"state", "-"}, unbound...)...); got.Has("state") || got.Get("code") == "" {
			t.Errorf("with stateOptional: %v", got)
		}
		refused("missing_parameter", secret, append([]string{"state", "-"}, unbound...)...)

		silent := s.do(s.request("GET", authorizeURL(public.ClientID, "scope", "openid", "state", "-", "prompt", "none"), "")).header.Get("Location")
		if u, err := url.Parse(silent); err != nil || u.Query().Get("error") != "login_required" || u.Query().Has("state") {
			t.Errorf("an error without state leads to %s", silent)
		}
	})
}

// A form redirects to the same request as a URL, and starts nothing.
// Rules: L186.
func TestOpenID_ByForm(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	before := s.rows()
	want, err := url.ParseQuery(strings.TrimPrefix(authorizeURL(a.ClientID, "scope", "openid profile", "nonce", "é&="), "/authorize?"))
	if err != nil {
		t.Fatal(err)
	}
	form := map[string]string{}
	for k := range want {
		form[k] = want.Get(k)
	}
	got := s.exchangeForm("/authorize", form, "Origin", "https://app.example")
	query, found := strings.CutPrefix(got.header.Get("Location"), "/authorize?")
	sent, err := url.ParseQuery(query)
	if got.status != 303 || !found || err != nil || sent.Encode() != want.Encode() {
		t.Errorf("%d %v, %v", got.status, got.header, err)
	}
	if got.header.Get("Set-Cookie") != "" || s.rows() != before {
		t.Errorf("the form has started something: %v", got.header)
	}
	twice := s.request("POST", "/authorize", want.Encode()+"&nonce=again", "Content-Type", "application/x-www-form-urlencoded")
	s.do(twice).refused(t, 400, "invalid_request", "malformed_parameter")
}

func TestOpenID_StartsAgain(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	b := s.browser()
	loginID := b.start(a, "scope", "openid phone", "nonce", "abc")
	s.Clock.Advance(90 * time.Second)
	got := b.send(b.request("GET", "/authorize/again?loginKeyId="+loginID, ""))
	u, err := url.Parse(got.header.Get("Location"))
	if err != nil || u.Path != "/authorize" || u.Query().Get("scope") != "openid phone" || u.Query().Get("nonce") != "abc" {
		t.Errorf("%d %v, %v", got.status, got.header, err)
	}
}

// Rules: L98, L188, L189.
func TestUserInfo_Tokens(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Confidential, tenant.Test)
		signedIn := s.connected(a, "22300000003").json(t)
		access, idToken := text(t, signedIn, "access_token"), text(t, signedIn, "id_token")
		byForm := func(body map[string]string, header ...string) answer {
			return s.exchangeForm("/userinfo", body, header...)
		}
		for name, got := range map[string]answer{
			"header":         s.userinfo(access),
			"lower case":     s.do(s.request("GET", "/userinfo", "", "Authorization", "bearer "+access)),
			"post":           s.do(s.request("POST", "/userinfo", "", "Authorization", "Bearer "+access)),
			"form":           byForm(map[string]string{"access_token": access}),
			"form by header": byForm(map[string]string{"x": "y"}, "Authorization", "Bearer "+access),
		} {
			if got.status != 200 || got.json(t)["phone_number"] != "+22300000003" || got.header.Get("Access-Control-Allow-Origin") != "*" || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		}
		byForm(map[string]string{"access_token": access}, "Authorization", "Bearer "+access).refused(t, 400, "invalid_request", "malformed_parameter")
		for name, got := range map[string]answer{"none": s.do(s.request("GET", "/userinfo", "")), "in the address": s.do(s.request("GET", "/userinfo?access_token="+access, "")), "Basic": s.do(s.request("GET", "/userinfo", "", "Authorization", "Basic eDp5"))} {
			if got.refused(t, 401, "access_denied", "token_missing"); got.header.Get("WWW-Authenticate") != `Bearer realm="griot"` {
				t.Errorf("%s: %v", name, got.header)
			}
		}
		unsigned := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"at+jwt"}`)) + "." + strings.Split(access, ".")[1] + "."
		for name, raw := range map[string]string{"ID token": idToken, "unsigned": unsigned, "cut": access[:len(access)-4], "none": "x", "other signature": access[:strings.LastIndex(access, ".")] + idToken[strings.LastIndex(idToken, "."):]} {
			got := s.userinfo(raw)
			if got.refused(t, 401, "access_denied", "token_invalid"); got.header.Get("WWW-Authenticate") != `Bearer realm="griot", error="invalid_token"` {
				t.Errorf("%s: %v", name, got.header)
			}
		}
		// An ID token is never accepted as an access token.
		if s.active(a, idToken) || !s.active(a, access) {
			t.Error("introspection takes an ID token for an access token, or an access token for none")
		}
		s.Clock.Advance(900 * time.Second)
		s.userinfo(access).refused(t, 401, "access_denied", "token_invalid")
	})
}

// An event that ends a token's validity ends it immediately.
// Rules: L189.
func TestUserInfo_Ends(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for name, end := range map[string]func(s *service, a app, got map[string]any){
			"revoked": func(s *service, a app, got map[string]any) {
				s.exchangeForm("/oauth2/revoke", map[string]string{"token": text(s.t, got, "access_token"), "client_id": a.ClientID, "client_secret": a.Secret}).must(s.t, 200)
			},
			"detached": func(s *service, _ app, got map[string]any) {
				if out, err := s.NewLogins().Detach(context.Background(), s.Tenant.ID, text(s.t, got, "subject")); err != nil || out == nil {
					s.t.Fatal(out, err)
				}
			},
			"erased": func(s *service, _ app, got map[string]any) {
				if found, err := s.NewLogins().Erase(context.Background(), s.Tenant.ID, text(s.t, got, "subject")); err != nil || !found {
					s.t.Fatal(found, err)
				}
			},
			"switched off": func(s *service, a app, _ map[string]any) {
				s.dashboard(s.Tenant).send("PATCH", "/manage/clients/"+a.ID, `{"redirectUris":["`+redirect+`"],"active":false}`).must(s.t, 200)
			},
		} {
			t.Run(name, func(t *testing.T) {
				s := newService(t, d)
				a := s.app(tenant.Confidential, tenant.Test)
				got := s.connected(a, "22300000004").json(t)
				s.userinfo(text(t, got, "access_token")).must(t, 200)
				end(s, a, got)
				s.userinfo(text(t, got, "access_token")).refused(t, 401, "access_denied", "token_invalid")
			})
		}
	})
}

// After a code was sent again, its token is invalid.
// Rules: L189.
func TestUserInfo_CodeReuse(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	b := s.browser()
	loginID := b.start(a, "scope", "openid")
	b.sandbox(loginID, "22300000001").must(t, 201)
	code := b.code(loginID)
	access := text(t, s.redeemed(a, code).json(t), "access_token")
	s.userinfo(access).must(t, 200)
	s.exchange("/token", exchange(a, code)).refused(t, 400, "invalid_grant", "code_already_used")
	s.userinfo(access).refused(t, 401, "access_denied", "token_invalid")
}

// An application requests the same person again. No one else can prove that login.
// Rules: L190.
func TestOpenID_Hint(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Confidential, tenant.Test)
		first := s.connected(a, "22300000001").json(t)
		hint := text(t, first, "id_token")
		s.Clock.Advance(29 * 24 * time.Hour) // it expired long ago

		again := s.connected(a, "22300000001", "id_token_hint", hint).json(t)
		if again["subject"] != first["subject"] {
			t.Errorf("signed in as %v, want %v", again["subject"], first["subject"])
		}

		b := s.browser()
		loginID := b.start(a, "scope", "openid", "id_token_hint", hint)
		before := s.count(`SELECT count(*) FROM profiles`)
		b.sandbox(loginID, "22300000002").refused(t, 403, "access_denied", "person_mismatch")
		status := b.poll(loginID)
		back, err := url.Parse(text(t, status, "redirectUrl"))
		if err != nil || status["status"] != "EXPIRED" || status["endedBy"] != "other_person" || back.Host != "app.example" || back.Query().Get("error") != "login_required" || back.Query().Get("state") != state {
			t.Errorf("%v, %v", status, err)
		}
		if after := s.count(`SELECT count(*) FROM profiles`); after != before {
			t.Errorf("%d profiles, want %d: the other person has not signed in", after, before)
		}
		b.sandbox(loginID, "22300000001").refused(t, 400, "invalid_request", "login_expired")
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'login.other_person' AND error_code = 'person_mismatch'`); n != 1 {
			t.Errorf("%d events of the refusal, want 1", n)
		}

		// The gateway's proof and a message are refused in the same way, and a second phone ends a proved login.
		loginID = b.start(a, "scope", "openid", "id_token_hint", hint)
		s.verify(s.proof(loginID, "m1", bob, b.words(loginID))).refused(t, 403, "access_denied", "person_mismatch")
		loginID = b.start(a, "scope", "openid", "id_token_hint", hint)
		s.accepted("m2", bob, b.words(loginID)) // it belongs to the login, which it ends
		if got := b.poll(loginID); got["endedBy"] != "other_person" {
			t.Errorf("after a message of another person: %v", got)
		}
		loginID = b.start(a, "scope", "openid", "id_token_hint", hint)
		b.sandbox(loginID, "22300000001").must(t, 201)
		b.sandbox(loginID, "22300000002").refused(t, 403, "access_denied", "phone_conflict")

		// A login that timed out starts again at the application, which has the hint.
		loginID = b.start(a, "scope", "openid", "id_token_hint", hint)
		s.Clock.Advance(90 * time.Second)
		got := b.send(b.request("GET", "/authorize/again?loginKeyId="+loginID, ""))
		if leads, err := url.Parse(got.header.Get("Location")); err != nil || got.status != 303 || leads.Host != "app.example" || leads.Query().Get("error") != "access_denied" {
			t.Errorf("again: %d %v, %v", got.status, got.header, err)
		}

		// A person who was erased or detached can no longer be requested.
		if _, err := s.NewLogins().Detach(context.Background(), s.Tenant.ID, text(t, first, "subject")); err != nil {
			t.Fatal(err)
		}
		loginID = b.start(a, "scope", "openid", "id_token_hint", hint)
		b.sandbox(loginID, "22300000001").refused(t, 403, "access_denied", "person_mismatch")
	})
}

// Rules: L190.
func TestOpenID_BadHints(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a, other := s.app(tenant.Public, tenant.Test), s.app(tenant.Public, tenant.Test)
	foreign := s.NewClientOf(t, s.NewTenant(t, "Other"), tenant.Public, tenant.Test)
	signedIn := s.connected(a, "22300000001").json(t)
	hint, access := text(t, signedIn, "id_token"), text(t, signedIn, "access_token")
	refused := func(name, hint string) {
		t.Helper()
		got := s.do(s.request("GET", authorizeURL(a.ClientID, "scope", "openid", "id_token_hint", hint), ""))
		if got.refused(t, 400, "invalid_request", "openid_request"); !strings.Contains(string(got.body), "id_token_hint is not") {
			t.Errorf("%s: %s", name, got.body)
		}
	}
	parts := strings.Split(hint, ".")
	for name, hint := range map[string]string{
		"no token": "x", "an access token": access, "another client's": text(t, s.connected(other, "22300000001").json(t), "id_token"),
		"another tenant's":           text(t, s.connected(foreign, "22300000001").json(t), "id_token"),
		"unsigned":                   base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + ".",
		"with the claims of another": parts[0] + "." + strings.Split(access, ".")[1] + "." + parts[2],
	} {
		refused(name, hint)
	}
	s.Clock.Advance(30*24*time.Hour + 900*time.Second)
	refused("too old", hint)

	// With prompt=none, the application learns immediately that no one can be signed in silently, with or without a
	// hint.
	got := s.do(s.request("GET", authorizeURL(a.ClientID, "scope", "openid", "prompt", "none", "id_token_hint", hint), ""))
	if u, err := url.Parse(got.header.Get("Location")); err != nil || u.Query().Get("error") != "login_required" {
		t.Errorf("%d %v, %v", got.status, got.header, err)
	}
}

// fields returns the hidden fields of a page's form, and its target.
func fields(t testing.TB, page []byte) (action string, values map[string]string) {
	t.Helper()
	text := string(page)
	if m := regexp.MustCompile(`<form method="post" action="([^"]*)"`).FindStringSubmatch(text); m != nil {
		action = html.UnescapeString(m[1])
	}
	values = map[string]string{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`).FindAllStringSubmatch(text, -1) {
		values[m[1]] = html.UnescapeString(m[2])
	}
	return action, values
}

// With response_mode=form_post, a page of this service posts the response, only in the login's browser and only until
// the code is exchanged.
// Rules: L191.
func TestOpenID_FormPost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Confidential, tenant.Test)
		hostile := `"><script>alert(1)</script>&amp;` + "\n'é"
		b := s.browser()
		loginID := b.start(a, "scope", "openid", "response_mode", "form_post", "state", hostile)
		page := func(of *browser) answer {
			return of.send(of.request("GET", "/authorize/return?loginKeyId="+loginID, "", "Accept", "text/html"))
		}
		if got := page(b); got.status != 303 || got.header.Get("Location") != "/authorize/page?loginKeyId="+loginID {
			t.Errorf("before the proof: %d %v", got.status, got.header)
		}
		b.sandbox(loginID, "22300000001").must(t, 201)
		if got := text(t, b.poll(loginID), "redirectUrl"); got != s.URL+"/authorize/return?loginKeyId="+loginID {
			t.Errorf("redirectUrl %s", got)
		}
		first := page(b)
		action, values := fields(t, first.body)
		if action != redirect || len(values) != 3 || values["state"] != hostile || values["iss"] != s.URL || !id.Valid(values["code"]) {
			t.Errorf("%s %v", action, values)
		}
		if csp := first.header.Get("Content-Security-Policy"); !strings.Contains(csp, "form-action 'self' https://app.example;") || first.header.Get("Cache-Control") != "no-store" || strings.Contains(string(first.body), "<script>alert") {
			t.Errorf("%v %s", first.header, first.body)
		}
		if again := page(b); string(again.body) != string(first.body) {
			t.Error("the page is another when it is loaded again")
		}
		if got := page(s.browser()); got.status != 401 {
			t.Errorf("without the login's cookie: %d", got.status)
		}
		access := text(t, s.redeemed(a, values["code"]).json(t), "access_token")
		// Back and reload: nothing is sent again, and the token stays valid.
		if got := page(b); got.status != 303 || got.header.Get("Location") != "/authorize/page?loginKeyId="+loginID {
			t.Errorf("after the exchange: %d %v", got.status, got.header)
		}
		s.userinfo(access).must(t, 200)

		// A login that has ended posts the error.
		loginID = b.start(a, "scope", "openid", "response_mode", "form_post")
		s.Clock.Advance(90 * time.Second)
		if action, values := fields(t, page(b).body); action != redirect || values["error"] != "access_denied" || values["state"] != state || values["code"] != "" {
			t.Errorf("%s %v", action, values)
		}
		again := b.send(b.request("GET", "/authorize/again?loginKeyId="+loginID, ""))
		if u, err := url.Parse(again.header.Get("Location")); err != nil || u.Query().Get("response_mode") != "form_post" {
			t.Errorf("again: %v, %v", again.header, err)
		}

		// A login with redirects has no such page.
		loginID = b.start(a, "scope", "openid")
		b.sandbox(loginID, "22300000001").must(t, 201)
		if got := page(b); got.status != 303 || got.header.Get("Location") != "/authorize/page?loginKeyId="+loginID {
			t.Errorf("of a login by an address: %d %v", got.status, got.header)
		}
	})
}

// The errors of requests are also posted: after a person's click, or immediately with prompt=none.
// Rules: L185, L191.
func TestOpenID_FormPostErrors(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	for _, c := range []struct {
		change    []string
		code      string
		automatic bool
	}{
		{[]string{"max_age", "x"}, "invalid_request", false},
		{[]string{"prompt", "none"}, "login_required", true},
	} {
		address := authorizeURL(a.ClientID, append(c.change, "scope", "openid", "response_mode", "form_post")...)
		page := s.do(s.request("GET", address, "", "Accept", "text/html"))
		action, values := fields(t, page.body)
		if page.status != 400 || action != redirect || values["error"] != c.code || values["state"] != state || values["iss"] != s.URL || strings.Contains(string(page.body), "/return") != c.automatic {
			t.Errorf("%v: %d %s %v", c.change, page.status, action, values)
		}
		s.do(s.request("GET", address, "")).refused(t, 400, "invalid_request", "openid_request")
	}
}

// Rules: L189.
func TestUserInfo_IsLimited(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	a := s.app(tenant.Public, tenant.Test)
	one, other := text(t, s.connected(a, "22300000001").json(t), "access_token"), text(t, s.connected(a, "22300000002").json(t), "access_token")
	for range 5 {
		s.userinfo(one).must(t, 200)
	}
	s.userinfo(one).refused(t, 429, "access_denied", "rate_limited")
	s.userinfo(other).must(t, 200)
	s.Clock.Advance(time.Second)
	s.userinfo(one).must(t, 200)
	for range 60 {
		s.userinfo("x").refused(t, 401, "access_denied", "token_invalid")
	}
	s.userinfo("x").refused(t, 429, "access_denied", "rate_limited")
	s.userinfo(other).must(t, 200)
}
