package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/id"
)

// Rules: L6, L141, L154, L157, L160.
func TestCreateClient(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		secretForm := regexp.MustCompile(`^cs_[A-Za-z0-9_-]{49}$`)
		for _, typ := range []tenant.Type{tenant.Public, tenant.Confidential} {
			for _, mode := range []tenant.Mode{tenant.Test, tenant.Live} {
				c := in.createClient(fmt.Sprintf(`{"type":%q,"mode":%q,"redirectUris":[%q,%q],"active":false,"id":"mine"}`, typ, mode, redirect, localRedirect))
				clientID, secret := text(t, c, "clientId"), c["clientSecret"]
				if len(c) != 8 || !id.Valid(text(t, c, "id")) || c["tenantId"] != s.Tenant.ID || c["type"] != string(typ) || c["mode"] != string(mode) ||
					c["active"] != true || fmt.Sprint(c["redirectUris"]) != fmt.Sprint([]any{redirect, localRedirect}) ||
					!strings.HasPrefix(clientID, "cl_"+strings.ToLower(string(mode))+"_") {
					t.Errorf("%v", c)
				}
				a := app{Client: &tenant.Client{ClientID: clientID}}
				if typ == tenant.Confidential {
					a.Secret = text(t, c, "clientSecret")
					if !secretForm.MatchString(a.Secret) || s.count(`SELECT count(*) FROM oauth_clients WHERE secret_hash = $1`, a.Secret) != 0 {
						t.Error("the secret's form, or how it is stored")
					}
				} else if secret != nil {
					t.Error("a PUBLIC client with a secret")
				}
				s.browser().start(a)
				if mode == tenant.Test { // it works immediately, with that secret
					b, loginID := s.provedLogin(a, "22300000001")
					s.redeemed(a, b.code(loginID))
				}
				e := fmt.Sprintf(`SELECT count(*) FROM audit_events WHERE type = 'client.created' AND actor = 'tenant' AND client_id = '%s' AND mode = '%s'`, clientID, mode)
				if s.count(e) != 1 {
					t.Error("no event")
				}
			}
		}
		body, err := json.Marshal(in.overview())
		if err != nil || strings.Contains(string(body), "cs_") || strings.Contains(string(body), "clientSecret") {
			t.Errorf("secrets are shown again: %s %v", body, err)
		}
	})
}

// badAddresses can't be registered. The value reports whether a PUBLIC client can.
var badAddresses = map[string]bool{ //nolint:gochecknoglobals // a table of tests
	"":                                    false,
	"x":                                   false,
	"/callback":                           false,
	"//app.example/cb":                    false,
	"app.example/cb":                      false,
	"https://":                            false,
	"https:///cb":                         false,
	"https:app.example":                   false,
	"https://app.example/cb#":             false,
	"https://app.example/cb#x":            false,
	"https://user@app.example/cb":         false,
	"https://user:pass@app.example/cb":    false,
	"https://app.example/a b":             false,
	"https://app.example/é":               false,
	"https://app.example/%zz":             false,
	"https://app.example/\n":              false,
	"https://[::1/cb":                     false,
	"https://app.example:port/cb":         false,
	"http://app.example/cb":               false,
	"http://8.8.8.8/cb":                   false,
	"https://*.app.example/cb":            false,
	"java.script:alert(1)":                false,
	"http://127.0.0.2/cb":                 false,
	"http://127.0.0.1.evil.example/":      false,
	"http://127.0.0.1@evil.example/":      false,
	"http://localhost:0/cb":               false,
	"http://localhost:65536/cb":           false,
	"http://localhost.example/cb":         false,
	"javascript:alert(1)":                 false,
	"data:text/html,x":                    false,
	"myapp:/cb":                           false,
	"ftp://app.example/cb":                false,
	"com.example.app:/cb#x":               false,
	"com.example.app://user@host/cb":      false,
	"https://a.example/" + longPath(2031): false, // 2049 bytes
	"com.example.app:/cb":                 true,
}

func longPath(n int) string { return strings.Repeat("p", n) }

var goodAddresses = []string{ //nolint:gochecknoglobals // a table of tests
	"https://app.example", "https://app.example:8443/cb?x=1&y=%20", "HTTPS://app.example/cb", "http://127.0.0.1/cb", "http://127.0.0.1:65535/cb",
	"http://[::1]:4000/", "http://localhost", "https://a.example/" + longPath(2030),
}

func addresses(uris ...string) string {
	b, err := json.Marshal(uris)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// An invisible character in an address is refused in words. Programs send addresses as they are, so none is removed.
// Rules: L159.
func TestClients_InvisibleCharacters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		path := fmt.Sprint("/manage/clients/", in.createClient(goodClient)["id"])
		for _, uri := range []string{"https://a\u200b.example/cb", "https://a.example/cb\u200b", "\ufeffhttps://a.example/cb", "https://a.example/\u00adcb", "https://a.example/cb\n"} {
			hidden := addresses(redirect, uri)
			for name, got := range map[string]answer{
				"created":        in.send("POST", "/manage/clients", `{"type":"PUBLIC","mode":"LIVE","redirectUris":`+hidden+`}`),
				"changed":        in.send("PATCH", path, `{"redirectUris":`+hidden+`,"active":true}`),
				"after sign-out": in.send("PUT", path+"/connect", `{"postLogoutRedirectUris":`+hidden+`}`),
			} {
				got.refused(t, 400, "invalid_request", "malformed_parameter")
				if !strings.Contains(string(got.body), "invisible") {
					t.Errorf("%s %+q: %s", name, uri, got.body)
				}
			}
		}
	})
}

// Rules: L4, L6, L157, L158, L159.
func TestCreateClient_Refuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		body := func(typ, mode, uris string) string {
			return `{"type":` + typ + `,"mode":` + mode + `,"redirectUris":` + uris + `}`
		}
		cases := map[string]string{ // body -> code
			"": "invalid_json", "[]": "invalid_json", "null": "invalid_json", goodClient[:30]: "invalid_json", goodClient + "{}": "invalid_json",
			"{}": "missing_parameter", `{"mode":"TEST","redirectUris":["https://a.example"]}`: "missing_parameter",
			`{"type":"PUBLIC","redirectUris":["https://a.example"]}`: "missing_parameter", `{"type":"PUBLIC","mode":"TEST"}`: "missing_parameter",
			body(`null`, `"TEST"`, `["https://a.example"]`): "missing_parameter", body(`"PUBLIC"`, `null`, `["https://a.example"]`): "missing_parameter",
			body(`"PUBLIC"`, `"TEST"`, `null`):                  "missing_parameter",
			body(`"public"`, `"TEST"`, `["https://a.example"]`): "malformed_parameter", body(`"OTHER"`, `"TEST"`, `["https://a.example"]`): "malformed_parameter",
			body(`"PUBLIC"`, `"test"`, `["https://a.example"]`): "malformed_parameter", body(`"PUBLIC"`, `"BOTH"`, `["https://a.example"]`): "malformed_parameter",
			body(`7`, `"TEST"`, `["https://a.example"]`): "malformed_parameter", body(`"PUBLIC"`, `true`, `["https://a.example"]`): "malformed_parameter",
			body(`"PUBLIC"`, `"TEST"`, `[]`): "malformed_parameter", body(`"PUBLIC"`, `"TEST"`, `"https://a.example"`): "malformed_parameter",
			body(`"PUBLIC"`, `"TEST"`, `[7]`): "malformed_parameter", body(`"PUBLIC"`, `"TEST"`, `[null]`): "malformed_parameter",
			body(`"PUBLIC"`, `"TEST"`, `{"0":"https://a.example"}`):                         "malformed_parameter",
			body(`"PUBLIC"`, `"TEST"`, addresses(slices.Repeat([]string{redirect}, 21)...)): "malformed_parameter",
		}
		cases[body(`"PUBLIC"`, `"LIVE"`, addresses("http://192.168.1.20:4000/cb"))] = "malformed_parameter"
		for uri, public := range badAddresses {
			cases[body(`"CONFIDENTIAL"`, `"LIVE"`, addresses(uri))] = "malformed_parameter"
			cases[body(`"CONFIDENTIAL"`, `"TEST"`, addresses(redirect, uri))] = "malformed_parameter" // the last one is checked, too
			if !public {
				cases[body(`"PUBLIC"`, `"TEST"`, addresses(uri))] = "malformed_parameter"
			}
		}
		before := s.allRows()
		for body, code := range cases {
			if in.send("POST", "/manage/clients", body).refused(t, 400, "invalid_request", code); t.Failed() {
				t.Fatalf("at: %s", body)
			}
		}
		in.send("POST", "/manage/clients", goodClient, "Content-Type", "application/x-www-form-urlencoded").refused(t, 400, "invalid_request", "unsupported_media_type")
		in.send("POST", "/manage/clients", strings.Repeat(" ", 1<<20)+goodClient).refused(t, 400, "invalid_request", "body_too_large")
		if after := s.allRows(); after != before {
			t.Errorf("stored:\n%s\nbefore:\n%s", after, before)
		}
		for _, uri := range goodAddresses {
			in.createClient(body(`"CONFIDENTIAL"`, `"LIVE"`, addresses(uri)))
		}
		in.createClient(strings.Repeat(" ", 1<<20-len(goodClient)) + goodClient) // the largest body
		in.createClient(body(`"PUBLIC"`, `"LIVE"`, addresses("com.example.app:/cb")))
		in.createClient(body(`"PUBLIC"`, `"TEST"`, addresses("http://192.168.1.20:4000/cb")))
		in.createClient(body(`"PUBLIC"`, `"LIVE"`, addresses(slices.Repeat([]string{redirect}, 20)...)))
	})
}

// Rules: L97, L161, L162, L165.
func TestChangeClient(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		made := in.createClient(goodClient)
		a := app{Client: &tenant.Client{ClientID: text(t, made, "clientId")}, Secret: text(t, made, "clientSecret")}
		path := "/manage/clients/" + text(t, made, "id")
		b, loginID := s.provedLogin(a, "22300000001") // so the client is in the cache
		code := b.code(loginID)

		got := in.send("PATCH", path, `{"redirectUris":["`+redirect+`"],"active":false}`)
		delete(made, "clientSecret")
		made["active"] = false
		if got.status != http.StatusOK || fmt.Sprint(got.json(t)) != fmt.Sprint(made) {
			t.Fatalf("%d %s, want %v", got.status, got.body, made)
		}
		s.do(s.request("GET", authorizeURL(a.ClientID), "")).refused(t, 400, "invalid_client", "client_inactive")
		for _, path := range []string{"/token", "/oauth2/token"} {
			s.exchange(path, exchange(a, code)).refused(t, 401, "invalid_client", "client_inactive")
		}
		in.send("PATCH", path, `{"redirectUris":["`+redirect+`"],"active":true}`)
		s.exchange("/token", exchange(a, code)).want(t, http.StatusCreated)

		got = in.send("PATCH", path, `{"redirectUris":["https://new.example/cb","https://app.example/2"],"active":true}`)
		if fmt.Sprint(got.json(t)["redirectUris"]) != "[https://new.example/cb https://app.example/2]" {
			t.Errorf("%d %s", got.status, got.body)
		}
		s.do(s.request("GET", authorizeURL(a.ClientID), "")).refused(t, 400, "invalid_request", "redirect_uri_mismatch")
		s.browser().start(a, "redirect_uri", "https://new.example/cb")
		if clients := list(t, in.overview(), "clients"); fmt.Sprint(clients[0]) != fmt.Sprint(got.json(t)) {
			t.Errorf("the overview has %v", clients)
		}
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'client.updated' AND actor = 'tenant' AND client_id = $1`, a.ClientID); n != 3 {
			t.Errorf("%d events", n)
		}
	})
}

// PATCH changes only the sent fields, and keeps a name that is set at the same time.
// Rules: L161.
func TestChangeClient_KeepsANameOfTheSameMoment(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		made := in.createClient(goodClient)
		path, clientID := "/manage/clients/"+text(t, made, "id"), text(t, made, "clientId")
		for i := range 30 {
			name := fmt.Sprintf("Name %d", i)
			var both sync.WaitGroup
			both.Go(func() {
				in.send("PATCH", path, `{"redirectUris":["`+redirect+`"],"active":true}`).must(t, http.StatusOK)
			})
			both.Go(func() {
				if _, err := s.Tenants.RenameClient(t.Context(), clientID, name); err != nil {
					t.Error(err)
				}
			})
			both.Wait()
			if c, err := s.Tenants.OwnedClient(t.Context(), s.Tenant.ID, text(t, made, "id")); err != nil || c.Name != name {
				t.Fatalf("round %d: %+v, %v; want the name %s", i, c, err, name)
			}
		}
	})
}

// Rules: L158, L161, L164.
func TestChangeClient_Refuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		made := in.createClient(goodClient)
		public := in.createClient(`{"type":"PUBLIC","mode":"LIVE","redirectUris":["` + redirect + `"]}`)
		path, publicPath := "/manage/clients/"+text(t, made, "id"), "/manage/clients/"+text(t, public, "id")
		body := func(uris, active string) string { return `{"redirectUris":` + uris + `,"active":` + active + `}` }
		good := body(`["https://new.example/cb"]`, `false`)
		cases := map[string]string{ // body -> code
			"": "invalid_json", "[]": "invalid_json", good[:12]: "invalid_json",
			"{}": "missing_parameter", `{"active":false}`: "missing_parameter", `{"redirectUris":["https://new.example/cb"]}`: "missing_parameter",
			body(`null`, `false`): "missing_parameter", body(`["https://new.example/cb"]`, `null`): "missing_parameter",
			body(`["https://new.example/cb"]`, `0`): "malformed_parameter", body(`["https://new.example/cb"]`, `"false"`): "malformed_parameter",
			body(`"https://new.example/cb"`, `false`): "malformed_parameter", body(`[null]`, `false`): "malformed_parameter", body(`[1]`, `false`): "malformed_parameter",
			body(`[]`, `false`): "malformed_parameter", body(addresses(slices.Repeat([]string{redirect}, 21)...), `false`): "malformed_parameter",
		}
		for uri := range badAddresses {
			cases[body(addresses(redirect, uri), `false`)] = "malformed_parameter"
		}
		before := s.allRows()
		for body, code := range cases {
			if in.send("PATCH", path, body).refused(t, 400, "invalid_request", code); t.Failed() {
				t.Fatalf("at: %s", body)
			}
		}
		for uri, may := range badAddresses {
			if !may {
				in.send("PATCH", publicPath, body(addresses(uri), `true`)).refused(t, 400, "invalid_request", "malformed_parameter")
			}
		}
		in.send("PATCH", path, good, "Content-Type", "text/plain").refused(t, 400, "invalid_request", "unsupported_media_type")
		in.send("PATCH", path, strings.Repeat(" ", 1<<20)+good).refused(t, 400, "invalid_request", "body_too_large")
		for _, bad := range badIDs(path) {
			in.send("PATCH", bad, good).refused(t, 400, "invalid_request", "malformed_parameter")
		}
		if after := s.allRows(); after != before {
			t.Errorf("stored:\n%s\nbefore:\n%s", after, before)
		}
		for _, uris := range []string{addresses("com.example.app:/cb"), addresses(slices.Repeat([]string{redirect}, 20)...)} {
			in.send("PATCH", publicPath, body(uris, `true`)).want(t, http.StatusOK)
		}
	})
}

// badIDs returns paths with invalid ids.
func badIDs(path string) []string {
	return []string{
		path[:len(path)-1], path + "0", strings.ToLower(path), path[:len(path)-1] + "U", path[:len(path)-1] + "%2F", "/manage/clients/cl_test_" + unknownID,
	}
}

// Rules: L141, L160, L163.
func TestRotate(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		in := s.dashboard(s.Tenant)
		made := in.createClient(goodClient)
		a := app{Client: &tenant.Client{ClientID: text(t, made, "clientId")}, Secret: text(t, made, "clientSecret")}
		path := "/manage/clients/" + text(t, made, "id") + "/rotate"
		b, loginID := s.provedLogin(a, "22300000001")
		code := b.code(loginID)
		old := a.Secret
		for range 2 {
			got := in.send("POST", path, "")
			if got.status != http.StatusCreated || len(got.json(t)) != 1 {
				t.Fatalf("%d %s", got.status, got.body)
			}
			a.Secret = text(t, got.json(t), "clientSecret")
			if a.Secret == old || s.count(`SELECT count(*) FROM oauth_clients WHERE secret_hash = $1`, a.Secret) != 0 {
				t.Error("the same secret, or one that is stored as it is")
			}
			s.exchange("/token", exchange(a, code, "client_secret", old)).refused(t, 401, "invalid_client", "client_auth_failed")
			old = a.Secret
		}
		s.exchange("/token", exchange(a, code)).want(t, http.StatusCreated)
		if n := s.count(`SELECT count(*) FROM audit_events WHERE type = 'client.secret_rotated' AND actor = 'tenant' AND client_id = $1`, a.ClientID); n != 2 {
			t.Errorf("%d events", n)
		}
		public := in.createClient(`{"type":"PUBLIC","mode":"LIVE","redirectUris":["` + redirect + `"]}`)
		before := s.allRows()
		in.send("POST", "/manage/clients/"+text(t, public, "id")+"/rotate", "").refused(t, 400, "invalid_request", "client_is_public")
		for _, bad := range badIDs(strings.TrimSuffix(path, "/rotate")) {
			in.send("POST", bad+"/rotate", "").refused(t, 400, "invalid_request", "malformed_parameter")
		}
		if after := s.allRows(); after != before {
			t.Errorf("stored:\n%s\nbefore:\n%s", after, before)
		}
		for _, secret := range []string{a.Secret, in.key, in.cookie, redirect} {
			if strings.Contains(s.Log.String(), secret) {
				t.Error("a secret is in the log")
			}
		}
	})
}

// A secret that one node has replaced is invalid on every node immediately, and the new one works there.
// Rules: L163.
func TestRotate_OnEveryNode(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s, other := newService(t, d), newService(t, d)
		in := s.dashboard(s.Tenant)
		made := in.createClient(goodClient)
		a := app{Client: &tenant.Client{ClientID: text(t, made, "clientId")}, Secret: text(t, made, "clientSecret")}
		old := a.Secret
		token, _ := s.signedIn(a)
		b, loginID := s.provedLogin(a, "22300000002")
		code := b.code(loginID)
		other.exchange("/token", exchange(a, unknownID)).refused(t, 400, "invalid_grant", "code_unknown") // the other node has cached the client now

		a.Secret = text(t, in.send("POST", "/manage/clients/"+text(t, made, "id")+"/rotate", "").json(t), "clientSecret")
		stale := a
		stale.Secret = old
		for _, path := range []string{"/oauth2/introspect", "/oauth2/revoke"} {
			other.exchangeForm(path, tokenQuery(stale, token)).refused(t, 401, "invalid_client", "client_auth_failed")
		}
		other.exchange("/token", exchange(stale, code)).refused(t, 401, "invalid_client", "client_auth_failed")
		other.exchange("/token", exchange(a, code)).want(t, http.StatusCreated)
		for _, path := range []string{"/oauth2/introspect", "/oauth2/revoke"} {
			other.exchangeForm(path, tokenQuery(a, token)).want(t, http.StatusOK)
		}
	})
}
