package api_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db/dbtest"
)

// The test modules of the OpenID Foundation's plan "Basic OP" that need no server of the foundation. Omitted: modules
// of request objects that are signed (oidcc-request-uri-*), of refresh tokens (oidcc-refresh-token*), and of dynamic
// registration, which Griot doesn't have, and oidcc-prompt-none-logged-in, because no session signs anyone in again.
func TestOpenID_BasicOP(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Confidential, tenant.Test)
	const person = "22300000001"
	signsIn := func(change ...string) func(*service) {
		return func(s *service) { s.verified(a, text(s.t, s.connected(a, person, change...).json(s.t), "id_token")) }
	}
	returns := func(code string, change ...string) func(*service) {
		return func(s *service) {
			got := s.do(s.request("GET", authorizeURL(a.ClientID, append(change, "scope", "openid")...), ""))
			if u, err := url.Parse(got.header.Get("Location")); err != nil || got.status != http.StatusSeeOther || u.Query().Get("error") != code || u.Query().Get("state") != state {
				s.t.Errorf("%d %v, %v", got.status, got.header, err)
			}
		}
	}
	refuses := func(code string, change ...string) func(*service) {
		return func(s *service) {
			s.do(s.request("GET", authorizeURL(a.ClientID, append(change, "scope", "openid")...), "")).refused(s.t, 400, "invalid_request", code)
		}
	}
	exchanged := func(s *service, send func(code string) answer) {
		b := s.browser()
		loginID := b.start(a, "scope", "openid")
		b.sandbox(loginID, person).must(s.t, 201)
		got := send(b.code(loginID))
		got.must(s.t, 200)
		s.verified(a, text(s.t, got.json(s.t), "id_token"))
	}
	userinfo := func(send func(s *service, access string) answer) func(*service) {
		return func(s *service) {
			response := s.connected(a, person).json(s.t)
			if got := send(s, text(s.t, response, "access_token")).json(s.t); got["sub"] != response["subject"] {
				s.t.Errorf("%v, want the subject of %v", got, response)
			}
		}
	}
	for module, check := range map[string]func(*service){
		"oidcc-server":                    signsIn("nonce", "n"),
		"oidcc-response-type-missing":     signsIn("response_type", "-"), // the default is code
		"oidcc-response-type-unsupported": refuses("unsupported_response_type", "response_type", "id_token"),
		"oidcc-idtoken-signature": func(s *service) {
			before := s.connected(a, person).json(s.t)
			s.admin("keys.rotate", map[string]any{"emergency": true})
			s.verified(a, text(s.t, s.connected(a, person).json(s.t), "id_token"))
			refuses("openid_request", "id_token_hint", text(s.t, before, "id_token"))(s)
		},
		"oidcc-idtoken-unsigned": refuses("openid_request", "id_token_hint", "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.e30."),
		"oidcc-userinfo-get":     userinfo(func(s *service, access string) answer { return s.userinfo(access) }),
		"oidcc-userinfo-post-header": userinfo(func(s *service, access string) answer {
			return s.do(s.request("POST", "/userinfo", "", "Authorization", "Bearer "+access))
		}),
		"oidcc-userinfo-post-body": userinfo(func(s *service, access string) answer {
			return s.exchangeForm("/userinfo", map[string]string{"access_token": access})
		}),
		"oidcc-ensure-request-without-nonce-succeeds-for-code-flow": signsIn("nonce", "-"),
		"oidcc-scope-profile":                                  signsIn("scope", "openid profile"),
		"oidcc-scope-email":                                    signsIn("scope", "openid email"),
		"oidcc-scope-address":                                  signsIn("scope", "openid address"),
		"oidcc-scope-phone":                                    signsIn("scope", "openid phone"),
		"oidcc-scope-all":                                      signsIn("scope", "openid profile email address phone"),
		"oidcc-ensure-other-scope-order-succeeds":              signsIn("scope", "email openid"),
		"oidcc-display-page":                                   signsIn("display", "page"),
		"oidcc-display-popup":                                  signsIn("display", "popup"),
		"oidcc-prompt-login":                                   signsIn("prompt", "login"),
		"oidcc-prompt-none-not-logged-in":                      returns("login_required", "prompt", "none"),
		"oidcc-max-age-1":                                      signsIn("max_age", "1"),
		"oidcc-max-age-10000":                                  signsIn("max_age", "10000"),
		"oidcc-ensure-request-with-unknown-parameter-succeeds": signsIn("extra", "foobar"),
		"oidcc-id-token-hint": func(s *service) {
			signsIn("id_token_hint", text(s.t, s.connected(a, person).json(s.t), "id_token"))(s)
		},
		"oidcc-login-hint":                              signsIn("login_hint", "buffy@example.com"),
		"oidcc-ui-locales":                              signsIn("ui_locales", "se"),
		"oidcc-claims-locales":                          signsIn("claims_locales", "se"),
		"oidcc-ensure-request-with-acr-values-succeeds": signsIn("acr_values", "1 2"),
		"oidcc-claims-essential":                        signsIn("claims", `{"userinfo":{"name":{"essential":true}}}`),
		"oidcc-ensure-request-with-valid-pkce-succeeds": signsIn(),
		"oidcc-ensure-post-request-succeeds":            func(s *service) { s.exchangeForm("/authorize", map[string]string{"scope": "openid"}).must(s.t, 303) },
		"oidcc-ensure-registered-redirect-uri":          refuses("redirect_uri_mismatch", "redirect_uri", redirect+"&x=y"),
		"oidcc-redirect-uri-query-mismatch":             refuses("redirect_uri_mismatch", "redirect_uri", strings.ReplaceAll(redirect, "griot", "other")),
		"oidcc-redirect-uri-query-added":                refuses("redirect_uri_mismatch", "redirect_uri", redirect+"&foo=bar"),
		"oidcc-ensure-request-object-with-redirect-uri": refuses("openid_request", "request", "eyJhbGciOiJub25lIn0.e30."),
		"oidcc-unsigned-request-object":                 refuses("openid_request", "request", "eyJhbGciOiJub25lIn0.e30."),
		"oidcc-server-client-secret-post": func(s *service) {
			exchanged(s, func(code string) answer { return s.exchangeForm("/oauth2/token", exchange(a, code)) })
		},
		"oidcc-server-client-secret-basic": func(s *service) {
			exchanged(s, func(code string) answer {
				return s.exchangeForm("/oauth2/token", exchange(a, code, "client_id", "-", "client_secret", "-"), "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(a.ClientID+":"+a.Secret)))
			})
		},
		"oidcc-codereuse-30seconds": func(s *service) {
			exchanged(s, func(code string) answer {
				first := s.exchange("/oauth2/token", exchange(a, code))
				s.Clock.Advance(30 * time.Second)
				s.exchange("/oauth2/token", exchange(a, code)).refused(s.t, 400, "invalid_grant", "code_already_used")
				s.userinfo(text(s.t, first.json(s.t), "access_token")).refused(s.t, 401, "access_denied", "token_invalid")
				return first
			})
		},
		"oidcc-codereuse": func(s *service) {
			b := s.browser()
			loginID := b.start(a, "scope", "openid")
			b.sandbox(loginID, person).must(s.t, 201)
			code := b.code(loginID)
			s.exchange("/oauth2/token", exchange(a, code)).must(s.t, 200)
			s.exchange("/oauth2/token", exchange(a, code)).refused(s.t, 400, "invalid_grant", "code_already_used")
		},
		"oidcc-discovery-endpoint-verification": func(s *service) {
			got := s.do(s.request("GET", "/.well-known/openid-configuration", "")).json(s.t)
			if got["issuer"] != s.URL || !slices.ContainsFunc(got["id_token_signing_alg_values_supported"].([]any), func(alg any) bool { return alg == "RS256" }) || got["claims_parameter_supported"] != false {
				s.t.Errorf("%v", got)
			}
		},
	} {
		t.Run(module, func(t *testing.T) { check(s.in(t)) })
	}
}

// verified checks an ID token like a library.
func (s *service) verified(a app, raw string) {
	s.t.Helper()
	ctx := oidc.ClientContext(context.Background(), s.http)
	provider, err := oidc.NewProvider(ctx, s.URL)
	if err == nil {
		_, err = provider.VerifierContext(ctx, &oidc.Config{ClientID: a.ClientID, Now: s.Clock.Now}).Verify(ctx, raw)
	}
	if err != nil {
		s.t.Error(err)
	}
}
