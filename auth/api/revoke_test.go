package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

const (
	revokePath     = "/oauth2/revoke"
	introspectPath = "/oauth2/introspect"
)

// signedIn returns a token that a client got for a person.
func (s *service) signedIn(a app) (token, code string) {
	s.t.Helper()
	b, loginID := s.provedLogin(a, "22300000001")
	code = b.code(loginID)
	got := s.exchange("/oauth2/token", exchange(a, code))
	if got.status != http.StatusOK {
		s.t.Fatalf("token: %d %s", got.status, got.body)
	}
	return text(s.t, got.json(s.t), "token"), code
}

// tokenQuery returns a client's request about a token, with changes ("-" removes a field).
func tokenQuery(a app, token string, change ...string) map[string]string {
	m := map[string]string{"token": token, "client_id": a.ClientID}
	if a.Secret != "" {
		m["client_secret"] = a.Secret
	}
	for i := 0; i+1 < len(change); i += 2 {
		if m[change[i]] = change[i+1]; change[i+1] == "-" {
			delete(m, change[i])
		}
	}
	return m
}

func (s *service) active(a app, token string) bool {
	s.t.Helper()
	got := s.exchangeForm(introspectPath, tokenQuery(a, token))
	if got.status != http.StatusOK || got.header.Get("Cache-Control") != "no-store" {
		s.t.Fatalf("introspection: %d %s %v", got.status, got.body, got.header)
	}
	m := got.json(s.t)
	if m["active"] != true && (len(m) != 1 || m["active"] != false) {
		s.t.Errorf("introspection: %s, want active: true, or only active: false", got.body)
	}
	return m["active"] == true
}

func (s *service) revoke(a app, token string) {
	s.t.Helper()
	if got := s.exchangeForm(revokePath, tokenQuery(a, token)); got.status != http.StatusOK || len(got.body) != 0 || got.header.Get("Cache-Control") != "no-store" {
		s.t.Errorf("revocation: %d %s %v", got.status, got.body, got.header)
	}
}

// Rules: L131, L132.
func TestRevokeAndIntrospect_Refuse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		public, secret := s.app(tenant.Public, tenant.Test), s.app(tenant.Confidential, tenant.Test)
		off := s.app(tenant.Confidential, tenant.Test)
		s.Exec(t, `UPDATE oauth_clients SET active = 0 WHERE client_id = $1`, off.ClientID)
		token, _ := s.signedIn(secret)
		before := s.rows()
		for _, tt := range []refusal{
			{"no token", []string{"token", "-"}, 400, "invalid_request", "missing_parameter"},
			{"empty token", []string{"token", ""}, 400, "invalid_request", "missing_parameter"},
			{"no client", []string{"client_id", "-"}, 400, "invalid_request", "missing_parameter"},
			{"unknown client", []string{"client_id", "cl_test_x"}, 401, "invalid_client", "client_auth_failed"},
			{"no secret", []string{"client_secret", "-"}, 401, "invalid_client", "client_secret_missing"},
			{"wrong secret", []string{"client_secret", secret.Secret + "x"}, 401, "invalid_client", "client_auth_failed"},
			{"public client with a secret", []string{"client_id", public.ClientID}, 401, "invalid_client", "client_auth_failed"},
			{"client switched off", []string{"client_id", off.ClientID, "client_secret", off.Secret}, 401, "invalid_client", "client_inactive"},
		} {
			for encoding, send := range map[string]func(string, map[string]string) answer{
				"json": s.exchange, "form": func(path string, body map[string]string) answer { return s.exchangeForm(path, body) },
			} {
				for _, path := range []string{revokePath, introspectPath} {
					t.Run(tt.name+" "+encoding+path, func(t *testing.T) {
						got := send(path, tokenQuery(secret, token, tt.change...))
						got.refused(t, tt.status, tt.oauth, tt.code)
						if got.header.Get("WWW-Authenticate") != "" {
							t.Error("asks for Basic, which was not tried")
						}
					})
				}
			}
		}
		for _, path := range []string{revokePath, introspectPath} {
			s.querySyntax(path, secret, token)
		}
		for _, body := range []map[string]string{tokenQuery(public, token), tokenQuery(public, "-", "token", "-")} {
			s.exchange(introspectPath, body).refused(t, 401, "invalid_client", "client_not_confidential")
		}
		if after := s.rows(); after != before || !s.active(secret, token) {
			t.Errorf("refused requests did something: %s, before: %s", after, before)
		}
	})
}

func (s *service) querySyntax(path string, a app, token string) {
	t := s.t
	fits, err := json.Marshal(tokenQuery(a, token))
	if err != nil {
		t.Fatal(err)
	}
	post := func(body string, header ...string) answer { return s.do(s.request("POST", path, body, header...)) }
	for _, bad := range []string{"", "[]", string(fits) + "x", `{"token":"\u0000"}`, "{\"token\":\"\xff\"}"} {
		post(bad).refused(t, 400, "invalid_request", "invalid_json")
	}
	post(`{"token":1}`).refused(t, 400, "invalid_request", "malformed_parameter")
	post(string(fits), "Content-Type", "text/plain").refused(t, 400, "invalid_request", "unsupported_media_type")
	post(string(fits)+strings.Repeat(" ", 1<<20)).refused(t, 400, "invalid_request", "body_too_large")
	const form = "application/x-www-form-urlencoded"
	for _, bad := range []string{"token=%00", "token=%ff", "token=%zz", "token=a&token=b"} {
		post(bad, "Content-Type", form).refused(t, 400, "invalid_request", "malformed_parameter")
	}
	s.do(s.request("GET", path, "")).refused(t, 405, "invalid_request", "method_not_allowed")
	s.do(s.request("POST", path+"?token="+token+"&client_id="+a.ClientID+"&client_secret="+a.Secret, "{}")).refused(t, 400, "invalid_request", "missing_parameter")
}

// Rules: L131.
func TestRevoke(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		public, secret, other := s.app(tenant.Public, tenant.Test), s.app(tenant.Confidential, tenant.Test), s.app(tenant.Confidential, tenant.Test)
		revoked := func() int { return s.count(`SELECT count(*) FROM login_sessions WHERE token_revoked = 1`) }
		events := func() int { return s.count(`SELECT count(*) FROM audit_events WHERE type = 'token.revoked'`) }

		token, _ := s.signedIn(secret)
		kept, _ := s.signedIn(secret)
		for _, a := range []app{other, public} {
			s.exchangeForm(revokePath, tokenQuery(a, token)).refused(t, 400, "invalid_grant", "token_client_mismatch")
		}
		for _, none := range []string{"x", "a.b.c", token[:len(token)-4], strings.Repeat("a", 10_000)} {
			s.revoke(secret, none)
		}
		if !s.active(secret, token) || revoked() != 0 || events() != 0 {
			t.Fatalf("%d tokens are revoked, %d events; want none, and the token active", revoked(), events())
		}
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { s.revoke(secret, token) })
		}
		wg.Wait()
		if s.active(secret, token) || !s.active(secret, kept) || revoked() != 1 || events() != 1 {
			t.Errorf("%d tokens are revoked, %d events; want one of each, and the other token active", revoked(), events())
		}

		token, _ = s.signedIn(public)
		s.exchange(revokePath, tokenQuery(public, token, "token_type_hint", "refresh_token")).want(t, http.StatusOK)
		if revoked() != 2 {
			t.Error("a public client's token is not revoked")
		}
		n := s.count(`SELECT count(*) FROM audit_events e JOIN login_sessions l ON l.id = e.login_id WHERE e.type = 'token.revoked'
			AND e.actor = 'client' AND e.tenant_id = $1 AND e.client_id = l.client_id AND e.mode = 'TEST' AND e.result = 'ok' AND e.request_id IS NOT NULL`, s.Tenant.ID)
		if n != 2 {
			t.Errorf("%d complete events, want 2", n)
		}

		token, _ = s.signedIn(secret)
		s.Clock.Advance(900 * time.Second)
		s.revoke(secret, token)
		if revoked() != 2 {
			t.Error("a token that was over was revoked")
		}
	})
}

// A page of another site, which got its token at /oauth2/token, can revoke it. Introspection is for servers.
// Rules: L98.
func TestRevokeAndIntrospect_CORS(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Confidential, tenant.Test)
	token, _ := s.signedIn(a)
	const foreign = "https://spa.example"
	s.exchangeForm(introspectPath, tokenQuery(a, token), "Origin", foreign).refused(t, 403, "access_denied", "origin_mismatch")
	if got := s.do(s.request("OPTIONS", introspectPath, "", "Origin", foreign)); got.status == http.StatusNoContent || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("preflight of introspection: %d %v", got.status, got.header)
	}
	got := s.do(s.request("OPTIONS", revokePath, "", "Origin", foreign, "Access-Control-Request-Method", "POST"))
	if got.status != http.StatusNoContent || got.header.Get("Access-Control-Allow-Origin") != "*" || got.header.Get("Access-Control-Allow-Methods") != "POST" {
		t.Errorf("preflight of revocation: %d %v", got.status, got.header)
	}
	got = s.exchangeForm(revokePath, tokenQuery(a, token), "Origin", foreign)
	if got.status != http.StatusOK || got.header.Get("Access-Control-Allow-Origin") != "*" || got.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("revocation: %d %v", got.status, got.header)
	}
}

// In the same way as a library: endpoints by discovery, credentials as HTTP Basic.
func TestRevokeAndIntrospect_ByDiscovery(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Confidential, tenant.Test)
	token, _ := s.signedIn(a)
	meta := s.do(s.request("GET", "/.well-known/oauth-authorization-server", "")).json(t)
	post := func(endpoint, password string) answer {
		r := s.request("POST", text(t, meta, endpoint), url.Values{"token": {token}, "token_type_hint": {"access_token"}}.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(url.QueryEscape(a.ClientID), url.QueryEscape(password))
		return s.do(r)
	}
	for _, endpoint := range []string{"revocation_endpoint", "introspection_endpoint"} {
		if got := post(endpoint, "wrong"); got.status != http.StatusUnauthorized || !strings.HasPrefix(got.header.Get("WWW-Authenticate"), "Basic ") {
			t.Errorf("%s: %d %v", endpoint, got.status, got.header)
		}
	}
	got := post("introspection_endpoint", a.Secret).json(t)
	claims := s.verifyJWT(token)
	for _, name := range []string{"iss", "sub", "aud", "client_id", "exp", "iat", "nbf", "jti"} {
		if got[name] == nil || got[name] != claims[name] {
			t.Errorf("%s is %v, the token's is %v", name, got[name], claims[name])
		}
	}
	if len(got) != 10 || got["active"] != true || got["token_type"] != "Bearer" {
		t.Errorf("%v", got)
	}
	if got := post("revocation_endpoint", a.Secret); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := post("introspection_endpoint", a.Secret).json(t); got["active"] != false {
		t.Errorf("%v", got)
	}
}

func TestRevokeAndIntrospect_Limits(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	a := s.app(tenant.Confidential, tenant.Test)
	for path, most := range map[string]int{revokePath: 120, introspectPath: 1200} {
		for range most {
			if got := s.exchange(path, tokenQuery(a, "x")); got.status != http.StatusOK {
				t.Fatalf("%s: %d %s", path, got.status, got.body)
			}
		}
		got := s.exchange(path, tokenQuery(a, "x"))
		got.refused(t, 429, "access_denied", "rate_limited")
		if got.header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %s", got.header.Get("Retry-After"))
		}
	}
}
