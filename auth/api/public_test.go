package api_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/openapi"
)

// Rules: L7, L135.
func TestPublic_UnknownPathsAndMethods(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	for _, path := range []string{"/", "/nothing", "/authorize/", "/manage/none", "/static/none.js", "/internal/verify", "/token/x"} {
		s.do(s.request("GET", path, "")).refused(t, 404, "invalid_request", "not_found")
	}
	got := s.do(s.request("DELETE", "/token", ""))
	got.refused(t, 405, "invalid_request", "method_not_allowed")
	if got.header.Get("Allow") != "POST" {
		t.Errorf("Allow: %s", got.header.Get("Allow"))
	}
	s.do(s.request("GET", "/healthz?a=%00", "")).refused(t, 400, "invalid_request", "malformed_parameter")
}

// Rules: L125, L128, L129, L130, L141, L176.
func TestPublic_Documents(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	for _, path := range []string{"/.well-known/jwks.json", "/.well-known/oauth-authorization-server"} {
		got := s.do(s.request("GET", path, ""))
		if got.status != http.StatusOK || got.header.Get("Cache-Control") != "public, max-age=300" || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
		if again := s.do(s.request("GET", path, "", "If-None-Match", got.header.Get("ETag"))); again.status != http.StatusNotModified {
			t.Errorf("%s with its ETag: %d", path, again.status)
		}
	}
	var keys struct{ Keys []map[string]any }
	if err := json.Unmarshal(s.do(s.request("GET", "/.well-known/jwks.json", "")).body, &keys); err != nil {
		t.Fatal(err)
	}
	if len(keys.Keys) != 1 || len(keys.Keys[0]) != 6 || keys.Keys[0]["kty"] != "RSA" || keys.Keys[0]["alg"] != "RS256" || keys.Keys[0]["use"] != "sig" || keys.Keys[0]["e"] != "AQAB" {
		t.Errorf("keys: %v", keys)
	}
	if n, err := base64.RawURLEncoding.DecodeString(fmt.Sprint(keys.Keys[0]["n"])); err != nil || len(n) != 256 {
		t.Errorf("the modulus has %d bytes, %v; want 256", len(n), err)
	}
	meta := s.do(s.request("GET", "/.well-known/oauth-authorization-server", "")).json(t)
	for member, want := range map[string]any{
		"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/oauth2/token",
		"revocation_endpoint": s.URL + "/oauth2/revoke", "introspection_endpoint": s.URL + "/oauth2/introspect",
		"jwks_uri": s.URL + "/.well-known/jwks.json", "authorization_response_iss_parameter_supported": true,
	} {
		if meta[member] != want {
			t.Errorf("%s: %v, want %v", member, meta[member], want)
		}
	}
	for member, want := range map[string]string{
		"response_types_supported": "[code]", "response_modes_supported": "[query]", "grant_types_supported": "[authorization_code]",
		"code_challenge_methods_supported": "[S256]", "ui_locales_supported": "[en fr]",
		"token_endpoint_auth_methods_supported":         "[none client_secret_post client_secret_basic]",
		"revocation_endpoint_auth_methods_supported":    "[none client_secret_post client_secret_basic]",
		"introspection_endpoint_auth_methods_supported": "[client_secret_post client_secret_basic]",
	} {
		if got := fmt.Sprint(meta[member]); got != want {
			t.Errorf("%s: %s, want %s", member, got, want)
		}
	}
	if got := s.do(s.request("GET", "/openapi.yaml", "")); got.status != http.StatusOK || string(got.body) != string(openapi.Auth()) {
		t.Errorf("/openapi.yaml: %d, %d bytes", got.status, len(got.body))
	}
}

// Rules: L10, L39, L138, L175.
func TestPublic_Pages(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.PhonesURL = "http://127.0.0.1:8080/dev/phones" })
	for path, holds := range map[string]string{"/waiting.html?loginKeyId=x": "/authorize/open?in=phones", "/docs/errors": "redirect_uri_mismatch", "/docs/reference": "/oauth2/introspect", "/docs/reference/authorize": "code_challenge_method"} {
		got := s.do(s.request("GET", path, ""))
		if got.status != http.StatusOK || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(string(got.body), holds) {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
		if got.header.Get("Cache-Control") != "no-store" || got.header.Get("Referrer-Policy") != "same-origin" || got.header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s: %v", path, got.header)
		}
	}
	page := string(s.do(s.request("GET", "/waiting.html", "")).body)
	_, after, ok := strings.Cut(page, `src="/static/`)
	script, _, _ := strings.Cut(after, `"`)
	if got := s.do(s.request("GET", "/static/"+script, "")); !ok || got.status != http.StatusOK || len(got.body) == 0 {
		t.Errorf("the page's script %s: %d", script, got.status)
	}
}

// Rules: L133, L134, L136, L140, L142.
func TestHealth(t *testing.T) {
	d := dbtest.Postgres(t)
	s := newService(t, d)
	if got := s.do(s.request("GET", "/healthz", "")); got.status != http.StatusOK || strings.TrimSpace(string(got.body)) != `{"status":"ok","service":"svc-auth"}` {
		t.Errorf("%d %s", got.status, got.body)
	}
	a := s.app(tenant.Public, tenant.Test)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	got := s.do(s.request("GET", "/healthz", ""))
	m := got.json(t)
	if got.status != http.StatusServiceUnavailable || m["status"] != "unavailable" || m["service"] != "svc-auth" || m["error"] != "access_denied" ||
		m["error_code"] != "storage_unavailable" || m["request_id"] == "" || got.header.Get("Retry-After") != "5" {
		t.Errorf("without a database: %d %s", got.status, got.body)
	}
	got = s.do(s.request("GET", authorizeURL(a.ClientID), ""))
	got.refused(t, 503, "access_denied", "storage_unavailable")
	if got.header.Get("Retry-After") != "5" || strings.Contains(string(got.body), "closed") {
		t.Errorf("%v %s", got.header, got.body)
	}
}

// Rules: L55, L136, L140, L142, L143.
func TestLimits(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	a := s.app(tenant.Confidential, tenant.Test)
	limited := func(got answer, retry string) {
		t.Helper()
		got.refused(t, 429, "access_denied", "rate_limited")
		if got.header.Get("Retry-After") != retry {
			t.Errorf("Retry-After %q, want %q", got.header.Get("Retry-After"), retry)
		}
	}
	b := s.browser()
	for range 200 {
		b.start(a)
	}
	limited(s.do(s.request("GET", authorizeURL(a.ClientID), "")), "1")
	other := s.app(tenant.Public, tenant.Test)
	for range 99 { // one was refused, and counts for its address
		b.start(other)
	}
	limited(s.do(s.request("GET", authorizeURL(other.ClientID), "")), "1")
	s.Clock.Advance(time.Second)
	b = s.browser()
	loginID := b.start(a)
	for range 5 {
		b.poll(loginID)
	}
	limited(b.send(s.request("GET", "/authorize/status?loginKeyId="+loginID, "")), "1")
	s.Clock.Advance(5 * time.Second)
	for range 10 {
		b.post("/authorize/activate", map[string]any{"loginKeyId": loginID})
		b.sandbox(loginID, "22300000001")
	}
	limited(b.post("/authorize/activate", map[string]any{"loginKeyId": loginID}), "6")
	limited(b.sandbox(loginID, "22300000001"), "6")
	code := b.code(loginID)
	for range 60 {
		s.exchange("/token", exchange(a, code, "client_secret", "wrong")).refused(t, 401, "invalid_client", "client_auth_failed")
	}
	limited(s.exchange("/token", exchange(a, code, "client_secret", "wrong")), "1")
	s.exchange("/token", exchange(a, code)).want(t, http.StatusCreated)
}

// Rules: L142, L143.
func TestLimits_Messages(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	a := s.app(tenant.Public, tenant.Live)
	b := s.browser()
	loginID := b.start(a)
	words := b.words(loginID)
	for range 5 {
		s.message("m", bob, "zebra zebra zebra")
	}
	if s.message("m", bob, words) {
		t.Error("a phone that guesses too often is accepted")
	}
	for range 10 { // not words, so no guess
		s.message("m", alice, "Hello!")
	}
	if !s.message("m", alice, words) {
		t.Error("a phone that guessed nothing is not accepted")
	}
	s.Clock.Advance(2 * time.Minute)
	loginID = b.start(a)
	if !s.message("m2", bob, b.words(loginID)) {
		t.Error("a phone that guessed is not accepted after the limit's time")
	}
	for i := range 9 {
		loginID = b.start(a)
		s.verify(s.proof(loginID, string(rune('a'+i)), bob, b.words(loginID))).must(t, http.StatusCreated)
	}
	loginID = b.start(a)
	s.verify(s.proof(loginID, "z", bob, b.words(loginID))).refused(t, 429, "access_denied", "rate_limited")
}

// Only accepted proofs count toward a phone's hourly limit, so a gateway with invalid requests locks no one out.
func TestLimits_RefusedProofsDoNotCount(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), withLimits)
	a := s.app(tenant.Public, tenant.Live)
	b := s.browser()
	loginID := b.start(a)
	for i := range 20 {
		s.verify(s.proof(loginID, fmt.Sprint("wrong ", i), alice, "zebra zebra zebra")).refused(t, 400, "invalid_request", "words_mismatch")
	}
	words := b.words(loginID)
	checkProved(t, s.verify(s.proof(loginID, "m", alice, words)), false)
	for range 20 {
		checkProved(t, s.verify(s.proof(loginID, "m", alice, words)), true)
	}
	for i := range 9 {
		loginID = b.start(a)
		checkProved(t, s.verify(s.proof(loginID, fmt.Sprint(i), alice, b.words(loginID))), false)
	}
	loginID = b.start(a)
	s.verify(s.proof(loginID, "z", alice, b.words(loginID))).refused(t, 429, "access_denied", "rate_limited")
}

// Complete and failed logins write nothing to the log that allows a sign-in or identifies the person.
// events prints the content of all audit events.
func (s *service) events() string {
	s.t.Helper()
	var all strings.Builder
	err := s.DB.Read(context.Background()).Each(func(rows *sql.Rows) error {
		columns := make([]sql.NullString, 13)
		dest := make([]any, len(columns))
		for i := range columns {
			dest[i] = &columns[i]
		}
		err := rows.Scan(dest...)
		for _, c := range columns {
			all.WriteString(c.String + " ")
		}
		return err
	}, `SELECT id, tenant_id, type, at, actor, client_id, login_id, mode, result, error_code, phone, ip, request_id FROM audit_events`)
	if err != nil {
		s.t.Fatal(err)
	}
	return all.String()
}

// Rules: L13, L138.
func TestNothingSubmittedIsLogged(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Confidential, tenant.Live)
		secrets := []string{a.Secret, verifier, alice, bob, "a-name-of-somebody", receiverSecret, state}
		for _, from := range []string{alice, bob} {
			b := s.browser()
			loginID := b.start(a)
			words := b.words(loginID)
			b.post("/authorize/activate", map[string]any{"loginKeyId": loginID})
			proof := s.proof(loginID, "message-"+from, from, words)
			proof["displayName"] = "a-name-of-somebody"
			s.verify(proof)
			s.message("message-again-"+from, from, words)
			code := b.code(loginID)
			s.verify(s.proof(loginID, "message-other", "22311111111", words))
			wrong := s.exchange("/token", exchange(a, code, "code_verifier", strings.Repeat("v", 43)))
			got := s.exchange("/token", exchange(a, code))
			secrets = append(secrets, words, code, "message-"+from, "22311111111", string(wrong.body), strings.Repeat("v", 43))
			secrets = append(secrets, strings.Split(b.cookie, ".")...)
			if got.status == http.StatusCreated {
				t.Error("two phones sent the words, and there is a token")
			}
			s.message("cancel-"+from, from, "STOP")
			secrets = append(secrets, "cancel-"+from)
		}
		tester := s.app(tenant.Confidential, tenant.Test)
		token, code := s.signedIn(tester)
		s.active(tester, token)
		s.revoke(tester, token)
		secrets = append(secrets, tester.Secret, token, code)
		connected := s.connected(tester, "22300000002", "nonce", "a-nonce-of-somebody").json(t)
		idToken, access := text(t, connected, "id_token"), text(t, connected, "access_token")
		s.userinfo(access)
		s.userinfo(idToken)
		s.do(s.request("GET", authorizeURL(tester.ClientID, "scope", "openid", "id_token_hint", idToken), ""))
		s.do(s.request("GET", authorizeURL(tester.ClientID, "scope", "openid", "id_token_hint", access), ""))
		s.signOut("id_token_hint", access, "state", "a-nonce-of-somebody")
		s.signOut("id_token_hint", idToken, "post_logout_redirect_uri", "https://app.example/a-secret-path", "state", "a-nonce-of-somebody")
		secrets = append(secrets, idToken, access, "a-nonce-of-somebody", "22300000002")
		people := s.dashboard(s.Tenant)
		made := people.createClient(`{"type":"CONFIDENTIAL","mode":"LIVE","redirectUris":["https://app.example/a-secret-path"]}`)
		rotated := people.send("POST", "/manage/clients/"+text(t, made, "id")+"/rotate", "").json(t)
		secrets = append(secrets, people.key, people.cookie, text(t, made, "clientSecret"), text(t, rotated, "clientSecret"), "a-secret-path")
		for _, bad := range []string{"/authorize?client_id=" + verifier, "/authorize/status?loginKeyId=" + verifier, "/" + verifier} {
			s.do(s.request("GET", bad, "", "Cookie", "svc_sid="+verifier))
		}
		log := s.Log.String()
		if !strings.Contains(log, "/authorize/status") || !strings.Contains(log, "/internal/verify") {
			t.Fatal("the log holds no requests: this test shows nothing")
		}
		events := s.events()
		if !strings.Contains(events, "client.secret_rotated") || !strings.Contains(events, "login.verified") || !strings.Contains(events, "token.revoked") {
			t.Fatalf("these are not all events: %s", events)
		}
		for _, secret := range secrets {
			if strings.Contains(log, secret) {
				t.Errorf("the log holds %q", secret)
			}
			if strings.Contains(events, secret) {
				t.Errorf("an event holds %q", secret)
			}
		}
	})
}
