package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.com/griot/auth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// refusal is the expected response to a bad request.
type refusal struct {
	name        string
	change      []string
	status      int
	oauth, code string
}

// Rules: L5, L7, L15, L16, L17, L18, L19, L21, L22, L23, L24, L26, L27, L139, L140.
func TestAuthorize_Refuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		public, secret, live := s.app(tenant.Public, tenant.Test), s.app(tenant.Confidential, tenant.Test), s.app(tenant.Public, tenant.Live)
		before := s.rows()
		for _, tt := range []struct {
			refusal
			app app
		}{
			{refusal{"no client", []string{"client_id", "-"}, 400, "invalid_request", "missing_parameter"}, public},
			{refusal{"empty client", []string{"client_id", ""}, 400, "invalid_request", "missing_parameter"}, public},
			{refusal{"unknown client", []string{"client_id", "cl_test_00000000000000000000000000"}, 400, "invalid_client", "unknown_client"}, public},
			{refusal{"no redirect", []string{"redirect_uri", "-"}, 400, "invalid_request", "missing_parameter"}, public},
			{refusal{"redirect is no URI", []string{"redirect_uri", "not a uri"}, 400, "invalid_request", "malformed_parameter"}, public},
			{refusal{"redirect with a path added", []string{"redirect_uri", redirect + "/"}, 400, "invalid_request", "redirect_uri_mismatch"}, public},
			{refusal{"redirect in another case", []string{"redirect_uri", strings.ToUpper(redirect)}, 400, "invalid_request", "redirect_uri_mismatch"}, public},
			{refusal{"local port of a LIVE client", []string{"redirect_uri", "http://127.0.0.1:4001/callback"}, 400, "invalid_request", "redirect_uri_mismatch"}, live},
			{refusal{"another local host", []string{"redirect_uri", "http://localhost:4000/callback"}, 400, "invalid_request", "redirect_uri_mismatch"}, public},
			{refusal{"port of another host", []string{"redirect_uri", "https://app.example:444/callback?from=griot"}, 400, "invalid_request", "redirect_uri_mismatch"}, public},
			{refusal{"no state", []string{"state", "-"}, 400, "invalid_request", "missing_parameter"}, public},
			{refusal{"state of 15", []string{"state", strings.Repeat("s", 15)}, 400, "invalid_request", "state_length"}, public},
			{refusal{"state of 257", []string{"state", strings.Repeat("s", 257)}, 400, "invalid_request", "state_length"}, public},
			{refusal{"state with NUL", []string{"state", state + "\x00"}, 400, "invalid_request", "malformed_parameter"}, public},
			{refusal{"state not UTF-8", []string{"state", state + "\xff"}, 400, "invalid_request", "malformed_parameter"}, public},
			{refusal{"response_type token", []string{"response_type", "token"}, 400, "invalid_request", "unsupported_response_type"}, public},
			{refusal{"no PKCE", []string{"code_challenge", "-", "code_challenge_method", "-"}, 400, "invalid_request", "pkce_required"}, public},
			{refusal{"method alone", []string{"code_challenge", "-"}, 400, "invalid_request", "pkce_required"}, public},
			{refusal{"method alone, confidential", []string{"code_challenge", "-"}, 400, "invalid_request", "pkce_method"}, secret},
			{refusal{"plain", []string{"code_challenge_method", "plain"}, 400, "invalid_request", "pkce_method"}, public},
			{refusal{"a challenge of no form, without a method", []string{"code_challenge", "x", "code_challenge_method", "-"}, 400, "invalid_request", "malformed_parameter"}, public},
			{refusal{"challenge of 42", []string{"code_challenge", strings.Repeat("c", 42)}, 400, "invalid_request", "malformed_parameter"}, public},
			{refusal{"challenge of 44", []string{"code_challenge", strings.Repeat("c", 44)}, 400, "invalid_request", "malformed_parameter"}, secret},
			{refusal{"challenge with a dot", []string{"code_challenge", strings.Repeat("c", 42) + "."}, 400, "invalid_request", "malformed_parameter"}, public},
		} {
			got := s.do(s.request("GET", authorizeURL(tt.app.ClientID, tt.change...), ""))
			t.Run(tt.name, func(t *testing.T) {
				got.refused(t, tt.status, tt.oauth, tt.code)
				if got.header.Get("Location") != "" || got.header.Get("Set-Cookie") != "" {
					t.Errorf("a refusal redirects or sets a cookie: %v", got.header)
				}
			})
		}
		twice := s.do(s.request("GET", authorizeURL(public.ClientID)+"&state="+state, ""))
		twice.refused(t, 400, "invalid_request", "malformed_parameter")
		s.do(s.request("GET", authorizeURL(public.ClientID)+"&x=%zz", "")).refused(t, 400, "invalid_request", "malformed_parameter")
		s.do(s.request("POST", "/authorize", "{}")).refused(t, 405, "invalid_request", "method_not_allowed")
		if head := s.do(s.request("HEAD", authorizeURL(public.ClientID), "")); head.status != http.StatusMethodNotAllowed {
			t.Errorf("HEAD: %d", head.status)
		}
		if after := s.rows(); after != before {
			t.Errorf("refused requests stored something: %s, before: %s", after, before)
		}
	})
}

// Rules: L5, L14, L18, L19, L21, L23, L24, L38, L39, L141.
func TestAuthorize_Accepts(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	public, secret := s.app(tenant.Public, tenant.Test), s.app(tenant.Confidential, tenant.Live)
	for name, tt := range map[string]struct {
		app    app
		change []string
		raw    string
	}{
		"state of 16 characters of two bytes": {public, []string{"state", strings.Repeat("é", 16)}, ""},
		"state of 256 characters":             {public, []string{"state", strings.Repeat("é", 256)}, ""},
		"no response_type":                    {public, []string{"response_type", "-"}, ""},
		"a challenge without a method":        {public, []string{"code_challenge_method", "-"}, ""},
		"another local port":                  {public, []string{"redirect_uri", "http://127.0.0.1:65535/callback"}, ""},
		"confidential without PKCE":           {secret, []string{"code_challenge", "-", "code_challenge_method", "-"}, ""},
		"unknown parameters":                  {public, []string{"nonce", "x"}, ""},
		"an unknown one with a semicolon":     {public, nil, "&utm=a;b"},
		"unknown ones of semicolons":          {public, nil, "&;&;x=1;&a;b"},
	} {
		t.Run(name, func(t *testing.T) {
			b := s.browser()
			r := s.request("GET", authorizeURL(tt.app.ClientID, tt.change...)+tt.raw, "")
			got := b.send(r)
			if got.status != http.StatusSeeOther || strings.TrimSpace(string(got.body)) != `{"ok":true}` {
				t.Fatalf("%d %s", got.status, got.body)
			}
			cookie := got.header.Get("Set-Cookie")
			if !strings.Contains(cookie, "; Path=/") || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Lax") || strings.Contains(cookie, "Secure") {
				t.Errorf("Set-Cookie: %s", cookie)
			}
			if got.header.Get("Cache-Control") != "no-store" {
				t.Error("may be cached")
			}
		})
	}
}

// A LIVE native application can use a free port of this machine if its client allows that.
// Rules: L18.
func TestAuthorize_AnyLoopbackPort(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d)
		a := s.app(tenant.Public, tenant.Live)
		s.admin("clients.set", map[string]any{"clientId": a.ClientID, "redirectUris": []string{"http://127.0.0.1:4000/cb", "http://[::1]/cb", "http://localhost:4000/cb", "https://127.0.0.1:4000/cb"}})
		ask := func(uri string) answer {
			return s.do(s.request("GET", authorizeURL(a.ClientID, "redirect_uri", uri), ""))
		}
		const free = "http://127.0.0.1:51234/cb"
		got := ask(free)
		got.refused(t, 400, "invalid_request", "redirect_uri_mismatch")
		if !strings.Contains(string(got.body), "anyLoopbackPort") {
			t.Errorf("the refusal doesn't name the setting: %s", got.body)
		}
		if got := ask("http://localhost:1/cb"); strings.Contains(string(got.body), "anyLoopbackPort") {
			t.Errorf("a refusal names the setting, which wouldn't help: %s", got.body)
		}
		s.admin("clients.connect", map[string]any{"clientId": a.ClientID, "anyLoopbackPort": true})
		for uri, status := range map[string]int{
			free: 303, "http://127.0.0.1/cb": 303, "http://[::1]:51234/cb": 303, "http://localhost:4000/cb": 303, "https://127.0.0.1:4000/cb": 303,
			"http://localhost:51234/cb": 400, "https://127.0.0.1:51234/cb": 400, "http://[::ffff:127.0.0.1]:51234/cb": 400, "http://127.0.0.1.example:51234/cb": 400,
			"http://127.0.0.1:51234/cb/": 400, "http://127.0.0.2:51234/cb": 400, "http://127.0.0.1:51234@app.example/cb": 400,
		} {
			if got := ask(uri); got.status != status {
				t.Errorf("%s: %d %s, want %d", uri, got.status, got.body, status)
			}
		}
		for uri, want := range map[string]string{free: "", "http://127.0.0.1:4000/cb": "code_redirect_mismatch"} { // the exchange names the address of the request
			b := s.browser()
			loginID := b.start(a, "redirect_uri", free)
			s.accepted(loginID, "22370112233", b.words(loginID))
			got := s.exchange("/oauth2/token", exchange(a, b.code(loginID), "redirect_uri", uri))
			if want == "" {
				got.must(t, 200)
			} else {
				got.refused(t, 400, "invalid_grant", want)
			}
		}
	})
}

// Some libraries store their own data in state, so the operator sets its maximum length.
// Rules: L20.
func TestAuthorize_StateMax(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.StateMax = 435 })
	a := s.app(tenant.Public, tenant.Test)
	long := strings.Repeat("s", 435)
	b := s.browser()
	loginID := b.start(a, "state", long)
	checkProved(t, b.sandbox(loginID, "22300000001"), false)
	back, err := url.Parse(text(t, b.poll(loginID), "redirectUrl"))
	if err != nil || back.Query().Get("state") != long {
		t.Errorf("state came back as %q, %v; want all 435 characters", back.Query().Get("state"), err)
	}
	got := s.do(s.request("GET", authorizeURL(a.ClientID, "state", long+"s"), ""))
	got.refused(t, 400, "invalid_request", "state_length")
	if description := text(t, got.json(t), "error_description"); !strings.Contains(description, "16 to 435") {
		t.Errorf("the refusal says %q, want the length that is allowed here", description)
	}
	if doc := string(s.do(s.request("GET", "/openapi.yaml", "")).body); !strings.Contains(doc, "must have 16 to 435 characters") {
		t.Error("/openapi.yaml says another length")
	}
}

// Without a login number no one can prove a LIVE login, so none starts. The log reports it once.
// Rules: L30.
func TestAuthorize_NoLoginNumber(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const warning = "LIVE logins are refused"
		s := newService(t, d, func(o *auth.Options) { o.Receivers = nil })
		b := s.browser()
		loginID := b.start(s.app(tenant.Public, tenant.Test))
		b.sandbox(loginID, "22300000001").want(t, 201)
		b.code(loginID)
		if strings.Contains(s.Log.String(), warning) {
			t.Error("a TEST login, which needs no receiver, warns")
		}
		before := s.count(`SELECT count(*) FROM login_sessions`)
		live := authorizeURL(s.app(tenant.Public, tenant.Live).ClientID)
		got := s.do(s.request("GET", live, ""))
		got.refused(t, 503, "access_denied", "no_login_number")
		if description := text(t, got.json(t), "error_description"); description != "No login number is configured, so no one can sign in by message." {
			t.Errorf("the refusal says %q", description)
		}
		for lang, heading := range map[string]string{"en": "Sign-in isn’t set up", "fr": "La connexion n’est pas configurée"} {
			page := s.do(s.request("GET", live, "", "Accept", "text/html", "Accept-Language", lang))
			page.shows(t, 503, heading, "no_login_number", "/docs/errors#no_login_number")
			if page.header.Get("Set-Cookie") != "" {
				t.Error("a refused login sets a cookie")
			}
		}
		s.do(s.request("GET", authorizeURL("", "client_id", "unknown"), "")).refused(t, 400, "invalid_client", "unknown_client")
		if n := s.count(`SELECT count(*) FROM login_sessions`); n != before {
			t.Errorf("%d logins, want %d", n, before)
		}
		log := s.Log.String()
		if n := strings.Count(log, warning); n != 1 || !strings.Contains(log, "level=WARN") || !strings.Contains(log, "auth.receivers") {
			t.Errorf("%d warnings of three LIVE logins, want one that names auth.receivers:\n%s", n, log)
		}
	})
}

// Rules: L15, L162.
func TestAuthorize_InactiveClient(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Confidential, tenant.Test)
	b, loginID := s.provedLogin(a, "22300000001")
	code := b.code(loginID)
	s.Exec(t, `UPDATE oauth_clients SET active = 0`)
	s.Clock.Advance(31e9) // the maximum age of the cache
	s.do(s.request("GET", authorizeURL(a.ClientID), "")).refused(t, 400, "invalid_client", "client_inactive")
	s.exchange("/token", exchange(a, code, "client_secret", "wrong")).refused(t, 401, "invalid_client", "client_auth_failed")
	s.exchange("/token", exchange(a, code)).refused(t, 401, "invalid_client", "client_inactive")
}

// Rules: L26, L138, L139.
func TestAuthorize_ErrorPage(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	for accept, page := range map[string]bool{
		"text/html,application/xhtml+xml,*/*;q=0.8": true, "application/json;q=0.4, TEXT/HTML;q=0.5": true,
		"*/*": false, "": false, "application/json": false, "text/html;q=0": false, "text/htmlx": false,
	} {
		got := s.do(s.request("GET", "/authorize?client_id=%3Cscript%3E", "", "Accept", accept, "Accept-Language", "en"))
		isPage := strings.HasPrefix(got.header.Get("Content-Type"), "text/html")
		if got.status != 400 || isPage != page || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("Accept %q: %d %v", accept, got.status, got.header)
		}
		if !page {
			got.refused(t, 400, "invalid_client", "unknown_client")
			continue
		}
		for _, fact := range []string{"unknown_client", got.header.Get("X-Request-Id"), "/docs/errors#unknown_client"} {
			if !strings.Contains(string(got.body), fact) {
				t.Errorf("the page doesn't say %s", fact)
			}
		}
		if got.header.Get("Content-Security-Policy") == "" {
			t.Error("no Content-Security-Policy")
		}
		if policy := got.header.Get("Cross-Origin-Opener-Policy"); policy != "" { // an application that opened the page in a pop-up waits for it
			t.Errorf("Cross-Origin-Opener-Policy: %s", policy)
		}
	}
}

// Rules: L32.
func TestOwnOrigin(t *testing.T) {
	s := newService(t, dbtest.SQLite(t))
	a := s.app(tenant.Public, tenant.Test)
	path := authorizeURL(a.ClientID)
	local := s.request("GET", path, "")
	local.Host = strings.Replace(strings.TrimPrefix(s.URL, "http://"), "127.0.0.1", "LocalHost", 1)
	if got := s.do(local); got.status != http.StatusSeeOther || got.header.Get("Location") != s.URL+path || got.header.Get("Set-Cookie") != "" {
		t.Errorf("another name of this machine: %d %v", got.status, got.header)
	}
	proxied := s.request("GET", path, "")
	proxied.Host = "login.example"
	if got := s.do(proxied); !strings.HasPrefix(got.header.Get("Location"), "/waiting.html") {
		t.Errorf("another host: %d %v", got.status, got.header)
	}
	for _, r := range []*http.Request{local, proxied} {
		if h := s.do(r.Clone(t.Context())).header; h.Get("Cross-Origin-Opener-Policy") != "" || h.Get("Content-Security-Policy") == "" {
			t.Errorf("the redirect of a login to %s: %v, want the headers of its pages", h.Get("Location"), h)
		}
	}
	api := s.request("GET", "/healthz", "")
	api.Host = local.Host
	if got := s.do(api); got.status != http.StatusOK {
		t.Errorf("an endpoint that is no page: %d", got.status)
	}
}

// A form of the service's own pages is accepted if its host has letters beyond ASCII, because Origin has them in
// A-labels.
// Rules: L36.
func TestOwnOrigin_InternationalizedHost(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.URL = "https://connexion.Café.example" })
	for origin, want := range map[string]int{
		"https://connexion.xn--caf-dma.example": http.StatusUnauthorized, // of the key
		"https://connexion.café.example":        http.StatusForbidden, "https://connexion.cafe.example": http.StatusForbidden, "https://xn--caf-dma.example": http.StatusForbidden,
	} {
		body := `{"tenantId":"` + s.Tenant.ID + `","key":"` + strings.Repeat("k", 32) + `"}`
		if got := s.do(s.request("POST", "/manage/login", body, "Content-Type", "application/json", "Origin", origin)); got.status != want {
			t.Errorf("a form of %s: %d %s, want %d", origin, got.status, got.body, want)
		}
	}
	if meta := s.do(s.request("GET", "/.well-known/oauth-authorization-server", "")).json(t); meta["issuer"] != "https://connexion.xn--caf-dma.example" {
		t.Errorf("issuer %v", meta["issuer"])
	}
}

// Rules: L38, L128.
func TestSecureCookieAndAddresses(t *testing.T) {
	s := newService(t, dbtest.SQLite(t), func(o *auth.Options) { o.URL = "https://Login.example:443/" })
	a := s.app(tenant.Public, tenant.Live)
	got := s.do(s.request("GET", authorizeURL(a.ClientID), ""))
	if !strings.Contains(got.header.Get("Set-Cookie"), "; Secure") {
		t.Errorf("Set-Cookie: %s", got.header.Get("Set-Cookie"))
	}
	meta := s.do(s.request("GET", "/.well-known/oauth-authorization-server", "")).json(t)
	if meta["issuer"] != "https://login.example" {
		t.Errorf("issuer %v", meta["issuer"])
	}
}
