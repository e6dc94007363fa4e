package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/oauth2"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

// Rules: L2, L5, L84, L85, L86, L87, L88, L89, L90, L92, L140.
func TestToken_Refuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		public, secret := s.app(tenant.Public, tenant.Test), s.app(tenant.Confidential, tenant.Test)
		b, loginID := s.provedLogin(secret, "22300000001")
		code := b.code(loginID)
		before := s.rows()
		for _, tt := range []refusal{
			{"no code", []string{"code", "-"}, 400, "invalid_request", "missing_parameter"},
			{"code of 25", []string{"code", code[1:]}, 400, "invalid_request", "malformed_parameter"},
			{"code of 27", []string{"code", code + "0"}, 400, "invalid_request", "malformed_parameter"},
			{"code in lower case", []string{"code", strings.ToLower(unknownID)}, 400, "invalid_request", "malformed_parameter"},
			{"unknown code", []string{"code", unknownID}, 400, "invalid_grant", "code_unknown"},
			{"no client", []string{"client_id", "-"}, 400, "invalid_request", "missing_parameter"},
			{"unknown client", []string{"client_id", "cl_test_x"}, 401, "invalid_client", "client_auth_failed"},
			{"no secret", []string{"client_secret", "-"}, 401, "invalid_client", "client_secret_missing"},
			{"wrong secret", []string{"client_secret", secret.Secret + "x"}, 401, "invalid_client", "client_auth_failed"},
			{"public client with a secret", []string{"client_id", public.ClientID}, 401, "invalid_client", "client_auth_failed"},
			{"another grant", []string{"grant_type", "refresh_token"}, 400, "invalid_request", "unsupported_grant_type"},
			{"no redirect", []string{"redirect_uri", "-"}, 400, "invalid_request", "missing_parameter"},
			{"redirect is no URI", []string{"redirect_uri", "x"}, 400, "invalid_request", "malformed_parameter"},
			{"verifier of 42", []string{"code_verifier", verifier[1:]}, 400, "invalid_request", "malformed_parameter"},
			{"verifier of 129", []string{"code_verifier", strings.Repeat("v", 129)}, 400, "invalid_request", "malformed_parameter"},
			{"verifier with a plus", []string{"code_verifier", verifier[1:] + "+"}, 400, "invalid_request", "malformed_parameter"},
		} {
			for encoding, send := range map[string]func(string, map[string]string) answer{
				"json": s.exchange, "form": func(path string, body map[string]string) answer { return s.exchangeForm(path, body) },
			} {
				for _, path := range []string{"/token", "/oauth2/token"} {
					t.Run(tt.name+" "+encoding+path, func(t *testing.T) {
						got := send(path, exchange(secret, code, tt.change...))
						got.refused(t, tt.status, tt.oauth, tt.code)
						if got.header.Get("WWW-Authenticate") != "" {
							t.Error("asks for Basic, which was not tried")
						}
					})
				}
			}
		}
		s.tokenSyntax(secret, code)
		if after := s.rows(); after != before {
			t.Errorf("refused requests stored something: %s, before: %s", after, before)
		}
		s.exchange("/token", exchange(secret, code)).want(t, http.StatusCreated)
	})
}

func (s *service) tokenSyntax(a app, code string) {
	t := s.t
	fits, err := json.Marshal(exchange(a, code))
	if err != nil {
		t.Fatal(err)
	}
	post := func(body string, header ...string) answer { return s.do(s.request("POST", "/token", body, header...)) }
	for _, bad := range []string{"", "[]", string(fits) + "x", `{"code":"\u0000"}`, "{\"code\":\"\xff\"}", `{"code":"\ud800"}`, strings.Replace(string(fits), "{", `{"code":"`+unknownID+`",`, 1)} {
		post(bad).refused(t, 400, "invalid_request", "invalid_json")
	}
	post(strings.Replace(string(fits), `"code"`, `"Code"`, 1)).refused(t, 400, "invalid_request", "missing_parameter")
	post(`{"code":1}`).refused(t, 400, "invalid_request", "malformed_parameter")
	post(string(fits), "Content-Type", "text/plain").refused(t, 400, "invalid_request", "unsupported_media_type")
	post(string(fits), "Content-Type", ";;").refused(t, 400, "invalid_request", "unsupported_media_type")
	post(string(fits)+strings.Repeat(" ", 1<<20)).refused(t, 400, "invalid_request", "body_too_large")
	const form = "application/x-www-form-urlencoded"
	for _, bad := range []string{"code=%00", "code=%ff", "code=%zz", "client_id=a&client_id=b"} {
		post(bad, "Content-Type", form).refused(t, 400, "invalid_request", "malformed_parameter")
	}
	post("client_id=a;b&utm=a;b", "Content-Type", form).refused(t, 401, "invalid_client", "client_auth_failed") // a semicolon isn't a separator
	post(strings.Repeat("a", 1<<20+1), "Content-Type", form).refused(t, 400, "invalid_request", "body_too_large")
	s.do(s.request("GET", "/token", "")).refused(t, 405, "invalid_request", "method_not_allowed")
	// Parameters in a query don't count as a body (RFC 6749 §3.2).
	s.do(s.request("POST", "/token?code="+code, "{}")).refused(t, 400, "invalid_request", "missing_parameter")
}

// Rules: L87, L88.
func TestToken_Basic(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	public, secret := s.app(tenant.Public, tenant.Test), s.app(tenant.Confidential, tenant.Test)
	b, loginID := s.provedLogin(secret, "22300000001")
	code := b.code(loginID)
	send := func(user, password string, change ...string) answer {
		form := url.Values{}
		for k, v := range exchange(secret, code, append([]string{"client_secret", "-"}, change...)...) {
			form.Set(k, v)
		}
		req := s.request("POST", "/oauth2/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		req.SetBasicAuth(url.QueryEscape(user), url.QueryEscape(password))
		return s.do(req)
	}
	for name, got := range map[string]answer{
		"wrong secret":   send(secret.ClientID, "wrong"),
		"unknown client": send("someone", secret.Secret, "client_id", "-"),
		"no secret":      send(secret.ClientID, ""),
	} {
		if !strings.HasPrefix(got.header.Get("WWW-Authenticate"), "Basic ") || got.status != http.StatusUnauthorized {
			t.Errorf("%s: %d, WWW-Authenticate %q", name, got.status, got.header.Get("WWW-Authenticate"))
		}
	}
	send(secret.ClientID, secret.Secret, "client_secret", secret.Secret).refused(t, 400, "invalid_request", "malformed_parameter")
	send(secret.ClientID, secret.Secret, "client_id", public.ClientID).refused(t, 400, "invalid_request", "malformed_parameter")
	bearer := s.request("POST", "/token", "{}", "Authorization", "Bearer abc")
	s.do(bearer).refused(t, 401, "invalid_client", "client_auth_failed")
	got := send(secret.ClientID, secret.Secret, "client_id", "-")
	if got.status != http.StatusOK || got.header.Get("WWW-Authenticate") != "" {
		t.Errorf("%d %s %v", got.status, got.body, got.header)
	}
}

// Rules: L89, L91, L92, L93, L96.
func TestToken_CodeThatDoesNotFit(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a, other := s.app(tenant.Confidential, tenant.Test), s.app(tenant.Confidential, tenant.Test)
		wrong := map[string]map[string]string{
			"code_client_mismatch":   {"client_id": other.ClientID, "client_secret": other.Secret},
			"code_redirect_mismatch": {"redirect_uri": localRedirect},
			"pkce_mismatch":          {"code_verifier": strings.Repeat("v", 43)},
		}
		for want, change := range wrong {
			b, loginID := s.provedLogin(a, "22300000001")
			code := b.code(loginID)
			body := exchange(a, code)
			for k, v := range change {
				body[k] = v
			}
			for range 4 {
				s.exchange("/token", body).refused(t, 400, "invalid_grant", want)
			}
			if got := s.exchange("/token", exchange(a, code)); got.status != http.StatusCreated {
				t.Errorf("%s: four wrong tries used up the code: %d %s", want, got.status, got.body)
			}
			b, loginID = s.provedLogin(a, "22300000001")
			body["code"] = b.code(loginID)
			for range 5 {
				s.exchange("/token", body).refused(t, 400, "invalid_grant", want)
			}
			s.exchange("/token", exchange(a, body["code"])).refused(t, 400, "invalid_grant", "code_expired")
			if b.poll(loginID)["status"] != "EXPIRED" {
				t.Error("the login has not expired after too many wrong tries of its code")
			}
		}
		b, loginID := s.provedLogin(a, "22300000001")
		s.exchange("/token", exchange(a, b.code(loginID), "code_verifier", "-")).refused(t, 400, "invalid_grant", "pkce_mismatch")
		b = s.browser()
		loginID = b.start(a, "code_challenge", "-", "code_challenge_method", "-")
		b.sandbox(loginID, "22300000001")
		code := b.code(loginID)
		s.exchange("/token", exchange(a, code)).refused(t, 400, "invalid_grant", "pkce_unexpected")
		s.exchange("/token", exchange(a, code, "code_verifier", "-", "grant_type", "-")).want(t, http.StatusCreated)
	})
}

// Rules: L94, L95, L99.
func TestToken_Once(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Test)
		b, loginID := s.provedLogin(a, "22300000001")
		body := exchange(a, b.code(loginID))
		var tokens, used atomic.Int64
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				switch got := s.exchange("/token", body); {
				case got.status == http.StatusCreated:
					tokens.Add(1)
				case got.status == 400 && strings.Contains(string(got.body), "code_already_used"):
					used.Add(1)
				default:
					t.Errorf("%d %s", got.status, got.body)
				}
			})
		}
		wg.Wait()
		if tokens.Load() != 1 || used.Load() != 49 {
			t.Errorf("%d tokens and %d refusals of 50", tokens.Load(), used.Load())
		}
		if n := s.count(`SELECT count(*) FROM login_sessions WHERE token_revoked = 1 AND status = 'CONSUMED'`); n != 1 {
			t.Error("the token of a code that came again is not revoked")
		}
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'code.replayed' AND login_id = $1 AND error_code = 'code_already_used'`, loginID); n != 49 {
			t.Errorf("%d events of replays", n)
		}
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'token.issued'`); n != 1 {
			t.Errorf("%d events of issued tokens", n)
		}
	})
}

// Rules: L98.
func TestToken_CORS(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	const foreign = "https://spa.example"
	for path, open := range map[string]bool{
		"/oauth2/token": true, "/.well-known/jwks.json": true, "/.well-known/oauth-authorization-server": true, "/token": true, "/healthz": false, "/authorize/status": false,
	} {
		method := "GET"
		if strings.HasSuffix(path, "token") {
			method = "POST"
		}
		h := s.do(s.request(method, path, "", "Origin", foreign)).header
		if (h.Get("Access-Control-Allow-Origin") == "*") != open || h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %v", path, h)
		}
		if exposed := h.Get("Access-Control-Expose-Headers"); (exposed == "Retry-After, X-Request-Id") != open {
			t.Errorf("%s exposes %q", path, exposed)
		}
	}
	a := s.app(tenant.Public, tenant.Test)
	for path, want := range map[string]int{"/token": http.StatusCreated, "/oauth2/token": http.StatusOK} {
		got := s.do(s.request("OPTIONS", path, "", "Origin", foreign, "Access-Control-Request-Method", "POST"))
		if got.status != http.StatusNoContent || got.header.Get("Access-Control-Allow-Origin") != "*" || got.header.Get("Access-Control-Allow-Methods") != "POST" {
			t.Errorf("preflight of %s: %d %v, want 204 and any origin", path, got.status, got.header)
		}
		b, loginID := s.provedLogin(a, "22300000001")
		if got := s.exchangeForm(path, exchange(a, b.code(loginID)), "Origin", foreign); got.status != want {
			t.Errorf("%s from a page of another site: %d %s, want %d", path, got.status, got.body, want)
		}
	}
}

// A script of another site can send the headers that its browser requests, such as those of a trace, at every endpoint
// that reads no cookie.
// Rules: L98.
func TestPreflight_AllowsRequestedHeaders(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	const base = "Authorization, Content-Type"
	for path, method := range map[string]string{
		"/token": "POST", "/oauth2/token": "POST", "/oauth2/revoke": "POST", "/.well-known/jwks.json": "GET", "/.well-known/oauth-authorization-server": "GET", "/button.js": "GET", "/button.css": "GET",
	} {
		for asked, want := range map[string]string{
			"": base, "traceparent, baggage": base + ", traceparent, baggage", "baggage,content-type,traceparent,baggage": base + ", baggage, traceparent",
			" ,x-a b, \ttracestate ,é,": base + ", tracestate", "*": base + ", *", strings.Repeat("a", 1024): base + ", " + strings.Repeat("a", 1024), strings.Repeat("a", 1025): base, "a: b": base,
		} {
			header := []string{"Origin", "https://spa.example", "Access-Control-Request-Method", method}
			if asked != "" {
				header = append(header, "Access-Control-Request-Headers", asked)
			}
			got := s.do(s.request("OPTIONS", path, "", header...))
			h := got.header
			if got.status != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Methods") != method || h.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("preflight of %s: %d %v", path, got.status, h)
			}
			if h.Get("Access-Control-Allow-Headers") != want || !slices.Contains(h.Values("Vary"), "Access-Control-Request-Headers") {
				t.Errorf("%s with %.40q allows %.80q, Vary %q, want %.80q", path, asked, h.Get("Access-Control-Allow-Headers"), h.Values("Vary"), want)
			}
		}
	}
	for _, path := range []string{"/oauth2/introspect", "/authorize/status", "/manage/overview", "/authorize"} { // endpoints that read a cookie, or are for servers
		got := s.do(s.request("OPTIONS", path, "", "Origin", "https://spa.example", "Access-Control-Request-Headers", "traceparent"))
		if got.status != http.StatusMethodNotAllowed || got.header.Get("Access-Control-Allow-Headers") != "" {
			t.Errorf("preflight of %s: %d %v", path, got.status, got.header)
		}
	}
}

// An application without knowledge of Griot signs a person in: endpoints by discovery, the rest by golang.org/x/oauth2.
// Rules: L83, L101.
func TestToken_OAuth2Library(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	var meta struct {
		Auth  string `json:"authorization_endpoint"`
		Token string `json:"token_endpoint"`
	}
	if err := json.Unmarshal(s.do(s.request("GET", "/.well-known/oauth-authorization-server", "")).body, &meta); err != nil {
		t.Fatal(err)
	}
	for _, typ := range []tenant.Type{tenant.Public, tenant.Confidential} {
		for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleAutoDetect, oauth2.AuthStyleInParams, oauth2.AuthStyleInHeader} {
			t.Run(fmt.Sprint(typ, style), func(t *testing.T) {
				a := s.app(typ, tenant.Test)
				config := &oauth2.Config{
					ClientID: a.ClientID, ClientSecret: a.Secret, RedirectURL: redirect,
					Endpoint: oauth2.Endpoint{AuthURL: meta.Auth, TokenURL: meta.Token, AuthStyle: style},
				}
				secret := oauth2.GenerateVerifier()
				b := s.browser()
				got := b.send(s.request("GET", config.AuthCodeURL(state, oauth2.S256ChallengeOption(secret)), ""))
				loginID := strings.TrimPrefix(got.header.Get("Location"), "/waiting.html?loginKeyId=")
				checkProved(t, b.sandbox(loginID, "22300000005"), false)
				token, err := config.Exchange(waittest.Context(t), b.code(loginID), oauth2.VerifierOption(secret))
				if err != nil {
					t.Fatal(err)
				}
				claims := s.verifyJWT(token.AccessToken)
				profile, ok := token.Extra("profile").(map[string]any)
				if !ok || claims["sub"] != profile["id"] || claims["name"] != "Sandbox 5" {
					t.Errorf("claims %v, profile %v", claims, profile)
				}
			})
		}
	}
}
