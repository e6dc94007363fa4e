package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
)

const afterSignOut = "https://app.example/bye?from=griot"

// connectedApp returns an application that has addresses for sign-out; logoutURI can be empty.
func (s *service) connectedApp(typ tenant.Type, logoutURI string) app {
	s.t.Helper()
	a := s.app(typ, tenant.Test)
	s.admin("clients.connect", map[string]any{"clientId": a.ClientID, "postLogoutRedirectUris": []string{afterSignOut}, "backchannelLogoutUri": logoutURI})
	return a
}

// admin runs a verb of the operator's.
func (s *service) admin(verb string, in map[string]any) {
	s.t.Helper()
	body, err := json.Marshal(in)
	if err == nil {
		_, err = s.auth.Verbs().Call(context.Background(), verb, body)
	}
	if err != nil {
		s.t.Fatal(verb, err)
	}
}

// signOut sends a GET request to sign out, with pairs of parameters.
func (s *service) signOut(pairs ...string) answer {
	s.t.Helper()
	return s.do(s.request("GET", "/oauth2/logout?"+params(pairs...).Encode(), ""))
}

func params(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return q
}

// leadsTo checks that a browser is redirected to an address.
func (a answer) leadsTo(t testing.TB, address string) {
	t.Helper()
	if got := a.header.Get("Location"); a.status != http.StatusSeeOther || got != address {
		t.Errorf("%d to %q, want 303 to %q", a.status, got, address)
	}
}

// live reports whether an access token is valid.
func (s *service) live(response map[string]any) bool {
	s.t.Helper()
	return s.userinfo(text(s.t, response, "access_token")).status == http.StatusOK
}

// An ID token signs out its own login, and no other.
// Rules: L185, L192.
func TestSignOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.connectedApp(tenant.Public, "")
		first, second, other := s.connected(a, "22300000001").json(t), s.connected(a, "22300000001").json(t), s.connected(a, "22300000002").json(t)
		hint := text(t, first, "id_token")

		s.signOut("id_token_hint", hint, "post_logout_redirect_uri", afterSignOut, "state", "a b&c", "client_id", a.ClientID).leadsTo(t, afterSignOut+"&state=a+b%26c")
		if s.live(first) || !s.live(second) || !s.live(other) {
			t.Errorf("signed in: %v, %v, %v; want only the first to have ended", s.live(first), s.live(second), s.live(other))
		}
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'token.revoked' AND actor = 'user'`); n != 1 {
			t.Errorf("%d audit events, want 1", n)
		}
		s.signOut("id_token_hint", hint, "post_logout_redirect_uri", afterSignOut).leadsTo(t, afterSignOut) // again
		s.signOut("id_token_hint", hint).leadsTo(t, "/signed-out")
		if got := s.do(s.request("GET", "/signed-out", "", "Accept", "text/html", "Accept-Language", "en")); got.status != 200 || !strings.Contains(string(got.body), "You are signed out") {
			t.Errorf("%d %s", got.status, got.body)
		}

		form := params("id_token_hint", text(t, second, "id_token"), "post_logout_redirect_uri", afterSignOut, "state", "s").Encode()
		s.do(s.request("POST", "/oauth2/logout", form, "Content-Type", "application/x-www-form-urlencoded")).leadsTo(t, afterSignOut+"&state=s")
		if s.live(second) {
			t.Error("a form signed nobody out")
		}

		// The ID token is accepted for 30 days after its expiry, when the login is deleted.
		s.Exec(t, `DELETE FROM login_sessions`)
		s.Clock.Advance(30*24*time.Hour + 899*time.Second)
		s.signOut("id_token_hint", hint, "post_logout_redirect_uri", afterSignOut).leadsTo(t, afterSignOut)
		s.Clock.Advance(time.Second)
		s.signOut("id_token_hint", hint, "post_logout_redirect_uri", afterSignOut).refused(t, 400, "invalid_request", "sign_out_request")
	})
}

// Without a valid ID token, no one is signed out and the browser is not redirected.
// Rules: L185, L192.
func TestSignOut_Refused(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a, other := s.connectedApp(tenant.Confidential, ""), s.connectedApp(tenant.Public, "")
	signedIn := s.connected(a, "22300000001").json(t)
	hint, access := text(t, signedIn, "id_token"), text(t, signedIn, "access_token")
	parts := strings.Split(hint, ".")
	unsigned := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + "."
	for _, c := range []struct {
		name  string
		pairs []string
	}{
		{"no hint", []string{"post_logout_redirect_uri", afterSignOut, "client_id", a.ClientID}},
		{"nothing", nil},
		{"an access token", []string{"id_token_hint", access, "post_logout_redirect_uri", afterSignOut}},
		{"unsigned", []string{"id_token_hint", unsigned, "post_logout_redirect_uri", afterSignOut}},
		{"changed", []string{"id_token_hint", parts[0] + "." + strings.Split(access, ".")[1] + "." + parts[2]}},
		{"another client", []string{"id_token_hint", hint, "client_id", other.ClientID, "post_logout_redirect_uri", afterSignOut}},
		{"a redirect address", []string{"id_token_hint", hint, "post_logout_redirect_uri", redirect}},
		{"another query", []string{"id_token_hint", hint, "post_logout_redirect_uri", afterSignOut + "&x=1"}},
		{"another site", []string{"id_token_hint", hint, "post_logout_redirect_uri", "https://evil.example/"}},
	} {
		got := s.signOut(c.pairs...)
		got.refused(t, 400, "invalid_request", "sign_out_request")
		page := s.do(s.request("GET", "/oauth2/logout?"+params(c.pairs...).Encode(), "", "Accept", "text/html"))
		if page.status != 400 || page.header.Get("Location")+got.header.Get("Location") != "" || strings.Contains(string(page.body), `="https://`) {
			t.Errorf("%s: %d %v %s", c.name, page.status, page.header, page.body)
		}
	}
	if got := s.do(s.request("HEAD", "/oauth2/logout?"+params("id_token_hint", hint).Encode(), "")); got.status != 405 {
		t.Errorf("HEAD: %d", got.status)
	}
	s.signOut("id_token_hint", hint+"&id_token_hint=x").refused(t, 400, "invalid_request", "sign_out_request")
	if !s.live(signedIn) {
		t.Error("a refused request has signed the person out")
	}
	s.admin("clients.deactivate", map[string]any{"clientId": a.ClientID})
	s.signOut("id_token_hint", hint, "post_logout_redirect_uri", afterSignOut).refused(t, 400, "invalid_client", "client_inactive")
}

// logoutToken verifies a posted logout token with a library and returns its claims.
func (s *service) logoutToken(a app, d *authtest.Delivery) map[string]any {
	s.t.Helper()
	form, err := url.ParseQuery(d.Raw)
	if err != nil || len(form) != 1 || d.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		s.t.Fatalf("%v, %v, %v", form, err, d.Header)
	}
	for name := range d.Header {
		if strings.HasPrefix(name, "Webhook-") {
			s.t.Errorf("header %s", name)
		}
	}
	raw := form.Get("logout_token")
	ctx := oidc.ClientContext(context.Background(), s.http)
	provider, err := oidc.NewProvider(ctx, s.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := provider.VerifierContext(ctx, &oidc.Config{ClientID: a.ClientID, Now: s.Clock.Now}).Verify(ctx, raw); err != nil {
		s.t.Fatal(err)
	}
	header, err := base64.RawURLEncoding.DecodeString(strings.Split(raw, ".")[0])
	if err != nil || !strings.Contains(string(header), `"typ":"logout+jwt"`) {
		s.t.Errorf("header %s, %v", header, err)
	}
	return payload(s.t, raw)
}

// Every end of a sign-in notifies its application once, except the application's own sign-out.
// Rules: L193.
func TestLogoutTokens_Endings(t *testing.T) {
	for name, end := range map[string]func(s *service, a app, b *browser, loginID string, code map[string]string, response map[string]any){
		"revocation": func(s *service, a app, _ *browser, _ string, _ map[string]string, response map[string]any) {
			s.exchange("/oauth2/revoke", map[string]string{"token": text(s.t, response, "access_token"), "client_id": a.ClientID, "client_secret": a.Secret}).must(s.t, 200)
		},
		"STOP": func(s *service, _ app, _ *browser, _ string, _ map[string]string, _ map[string]any) {
			s.accepted("stop", alice, "STOP")
		},
		"second phone": func(s *service, _ app, b *browser, loginID string, _ map[string]string, _ map[string]any) {
			words := b.words(loginID)
			s.verify(s.proof(loginID, "second", bob, words)).refused(s.t, 403, "access_denied", "phone_conflict")
			s.verify(s.proof(loginID, "third", bob, words)).refused(s.t, 403, "access_denied", "phone_conflict")
		},
		"code reuse": func(s *service, _ app, _ *browser, _ string, code map[string]string, _ map[string]any) {
			s.exchange("/oauth2/token", code).must(s.t, 400)
			s.exchange("/oauth2/token", code).must(s.t, 400)
		},
		"detaching": func(s *service, _ app, _ *browser, _ string, _ map[string]string, response map[string]any) {
			s.Clock.Advance(23 * time.Hour) // the application's own session continues
			s.admin("people.detach", map[string]any{"tenantId": s.Tenant.ID, "id": text(s.t, response, "subject")})
		},
		"erasure": func(s *service, _ app, _ *browser, _ string, _ map[string]string, response map[string]any) {
			s.admin("people.erase", map[string]any{"tenantId": s.Tenant.ID, "phone": alice})
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				s, l := newService(t, d, authtest.Loopback), authtest.NewReceiver(t)
				a := s.connectedApp(tenant.Confidential, l.URL)
				waittest.Run(t, s.run)
				b := s.browser()
				loginID := b.start(a, "scope", "openid")
				s.accepted("m", alice, b.words(loginID))
				code := exchange(a, b.code(loginID))
				got := s.exchange("/oauth2/token", code)
				got.must(t, 200)
				response := got.json(t)

				end(s, a, b, loginID, code, response)
				delivered := l.Wait(t, 1)
				claims := s.logoutToken(a, &delivered[0])
				id := payload(t, text(t, response, "id_token"))
				wantNames, sid := "aud events exp iat iss jti sid sub", id["sid"]
				if name == "erasure" {
					wantNames, sid = "aud events exp iat iss jti sub", nil
				}
				events, _ := claims["events"].(map[string]any)
				if got := names(claims); got != wantNames || claims["sub"] != id["sub"] || claims["sid"] != sid || claims["iss"] != s.URL || claims["aud"] != a.ClientID ||
					claims["exp"].(float64)-claims["iat"].(float64) != 120 || events["http://schemas.openid.net/event/backchannel-logout"] == nil {
					t.Errorf("%v, want %s of %v", claims, wantNames, id)
				}
				s.signOut("id_token_hint", strings.TrimPrefix(delivered[0].Raw, "logout_token=")).refused(t, 400, "invalid_request", "sign_out_request")
				if n := s.count(`SELECT count(*) FROM client_logout_events`); n != 1 {
					t.Errorf("%d ended sign-ins, want 1", n)
				}
			})
		})
	}
}

// Each attempt posts a new token for the same sign-out, until the application has accepted it or reports
// that it can't use it.
// Rules: L194.
func TestLogoutTokens_Attempts(t *testing.T) {
	s, l := newService(t, dbtest.SQLite(t), authtest.Loopback), authtest.NewReceiver(t)
	a := s.connectedApp(tenant.Confidential, l.URL)
	end := func() {
		response := s.connected(a, "22300000001").json(t)
		s.exchange("/oauth2/revoke", map[string]string{"token": text(t, response, "access_token"), "client_id": a.ClientID, "client_secret": a.Secret}).must(t, 200)
	}
	stored := func(where string) func() int {
		return func() int { return s.count(`SELECT count(*) FROM client_logout_events WHERE ` + where) }
	}
	waittest.Run(t, s.run)
	l.Status.Store(http.StatusServiceUnavailable)
	end()
	first := l.Wait(t, 1)
	waittest.Eventually(t, 1, stored(`tries = 1 AND claimed = 0`))
	l.Status.Store(http.StatusOK)
	s.Clock.Advance(10 * time.Second)
	all := l.Wait(t, 2)
	waittest.Eventually(t, 1, stored(`delivered_at IS NOT NULL AND due_at IS NULL`))
	second := s.logoutToken(a, &all[1])
	form, err := url.ParseQuery(first[0].Raw)
	if err != nil {
		t.Fatal(err)
	}
	if before := payload(t, form.Get("logout_token")); before["jti"] != second["jti"] || before["exp"].(float64)+10 != second["exp"].(float64) {
		t.Errorf("%v, then %v", before, second)
	}
	l.Status.Store(http.StatusBadRequest)
	end()
	l.Wait(t, 3)
	waittest.Eventually(t, 1, stored(`failed_at IS NOT NULL AND due_at IS NULL`))
}

// Rules: L193.
func TestLogoutTokens_NobodyToTell(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), authtest.Loopback)
	told, untold := s.connectedApp(tenant.Public, "http://127.0.0.1:1/logout"), s.connectedApp(tenant.Public, "")
	s.signOut("id_token_hint", text(t, s.connected(told, "22300000001").json(t), "id_token")).leadsTo(t, "/signed-out") // the application requested it
	revoke := func(a app, response map[string]any) {
		s.exchange("/oauth2/revoke", map[string]string{"token": text(t, response, "access_token"), "client_id": a.ClientID}).must(t, 200)
	}
	revoke(untold, s.connected(untold, "22300000001").json(t))
	b, loginID := s.provedLogin(told, "22300000001")
	plain := s.redeemed(told, b.code(loginID))
	revoke(told, plain.json(t))
	if n := s.count(`SELECT count(*) FROM client_logout_events`); n != 0 {
		t.Errorf("%d ended sign-ins, want none", n)
	}
	again := s.connected(told, "22300000001").json(t)
	revoke(told, again)
	revoke(told, again)
	if n := s.count(`SELECT count(*) FROM client_logout_events WHERE due_at IS NOT NULL`); n != 1 {
		t.Errorf("%d ended sign-ins, want 1", n)
	}
	// Deleting a client deletes its queued logout tokens.
	s.admin("clients.delete", map[string]any{"clientId": told.ClientID})
	if n := s.count(`SELECT count(*) FROM client_logout_events`); n != 0 {
		t.Errorf("%d ended sign-ins of a deleted client", n)
	}
}

// Of an erased person, only the id remains, so that the application can still be notified.
// Rules: L193.
func TestLogoutTokens_Erasure(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, authtest.Loopback)
		a, other := s.connectedApp(tenant.Public, "http://127.0.0.1:1/logout"), s.connectedApp(tenant.Public, "http://127.0.0.1:1/logout")
		response := s.connected(a, "22300000001").json(t)
		s.connected(other, "22300000001")
		s.connected(other, "22300000002")
		s.exchange("/oauth2/revoke", map[string]string{"token": text(t, response, "access_token"), "client_id": a.ClientID}).must(t, 200)
		s.admin("people.erase", map[string]any{"phone": "22300000001"})
		if all, kept := s.count(`SELECT count(*) FROM client_logout_events WHERE due_at IS NOT NULL AND subject = $1`, response["subject"]), s.count(`SELECT count(*) FROM client_logout_events WHERE body <> ''`); all != 2 || kept != 0 {
			t.Errorf("%d ended sign-ins, %d with the name of a login; want 2 and 0", all, kept)
		}
	})
}

// Rules: L195.
func TestClientConnect(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, authtest.Loopback)
		a := s.app(tenant.Confidential, tenant.Live)
		foreign := s.NewClientOf(t, s.NewTenant(t, "Other"), tenant.Public, tenant.Test)
		m := s.dashboard(s.Tenant)
		path := "/manage/clients/" + a.ID + "/connect"
		put := func(body string) answer { return m.send("PUT", path, body) }
		got := m.send("GET", path, "")
		got.must(t, 200)
		if string(got.body) != `{"postLogoutRedirectUris":[],"backchannelLogoutUri":null,"stateOptional":false,"anyLoopbackPort":false,"emailDomain":null,"emailDomainState":null,"emailVerified":null,"preferredUsername":null,"backchannelLogout":null}`+"\n" {
			t.Errorf("at first: %s", got.body)
		}
		for _, body := range []string{
			`{}`, `{"backchannelLogoutUri":"https://app.example/logout"}`, `{"postLogoutRedirectUris":["http://app.example/"]}`, `{"postLogoutRedirectUris":["https://app.example/#x"]}`,
			`{"postLogoutRedirectUris":[],"backchannelLogoutUri":"http://app.example/logout"}`, `{"postLogoutRedirectUris":[],"backchannelLogoutUri":"https://10.0.0.1/logout"}`,
			`{"postLogoutRedirectUris":[],"backchannelLogoutUri":"https://app.example/#x"}`, `{"postLogoutRedirectUris":[` + strings.TrimSuffix(strings.Repeat(`"https://app.example/",`, 21), ",") + `]}`,
			`{"postLogoutRedirectUris":[],"anyLoopbackPort":true}`, `{"postLogoutRedirectUris":[],"stateOptional":"yes"}`,
		} {
			if got := put(body); got.status != 400 {
				t.Errorf("%s: %d %s", body, got.status, got.body)
			}
		}
		if got := put(`{"postLogoutRedirectUris":[],"stateOptional":true,"anyLoopbackPort":true}`); !strings.Contains(string(got.body), "anyLoopbackPort is for PUBLIC clients") {
			t.Errorf("both settings: %s", got.body)
		}
		got = put(`{"postLogoutRedirectUris":["https://app.example/bye","https://app.example/"],"backchannelLogoutUri":"https://app.example/logout","stateOptional":true}`)
		got.must(t, 200)
		if now := m.send("GET", path, ""); string(now.body) != string(got.body) || !strings.Contains(string(got.body), `"postLogoutRedirectUris":["https://app.example/bye","https://app.example/"],"backchannelLogoutUri":"https://app.example/logout","stateOptional":true,"anyLoopbackPort":false,"emailDomain":null,"emailDomainState":null,"emailVerified":null,"preferredUsername":null,"backchannelLogout":{"url":"https://app.example/logout","enabled":true`) {
			t.Errorf("saved %s, then %s", got.body, now.body)
		}
		if overview := m.send("GET", "/manage/overview", ""); strings.Contains(string(overview.body), "ogout") {
			t.Errorf("the overview has changed: %s", overview.body)
		}
		put(`{"postLogoutRedirectUris":[],"stateOptional":null,"anyLoopbackPort":null}`).must(t, 200)
		if n := s.count(`SELECT count(*) FROM oauth_clients WHERE backchannel_logout_uri IS NOT NULL OR state_optional = 1`) + s.count(`SELECT count(*) FROM audit_events WHERE type = 'client.updated'`); n != 2 {
			t.Errorf("%d addresses and events, want no address and 2 events", n)
		}
		for _, id := range []string{foreign.ID, "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D"} {
			m.send("GET", "/manage/clients/"+id+"/connect", "").refused(t, 403, "access_denied", "client_not_found")
			m.send("PUT", "/manage/clients/"+id+"/connect", `{"postLogoutRedirectUris":[]}`).refused(t, 403, "access_denied", "client_not_found")
		}
	})
}

// An address that was removed on one node is refused on every node immediately.
// Rules: L192.
func TestSignOut_OnEveryNode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.connectedApp(tenant.Public, "")
		hint := text(t, s.connected(a, "22300000001").json(t), "id_token")
		s.signOut("id_token_hint", hint, "post_logout_redirect_uri", afterSignOut).leadsTo(t, afterSignOut)
		s.Exec(t, `UPDATE oauth_clients SET post_logout_redirect_uris = '[]'`) // like another node
		s.signOut("id_token_hint", hint, "post_logout_redirect_uri", afterSignOut).refused(t, 400, "invalid_request", "sign_out_request")
	})
}
