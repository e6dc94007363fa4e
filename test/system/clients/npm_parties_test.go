package clients_test

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// jsOption matches the options of a call in JavaScript, one per line.
var jsOption = regexp.MustCompile(`(?m)^ {2,4}(\w+):|\b(response_type):`)

// expressOpenIDConnect returns Auth0's middleware for Express.
func expressOpenIDConnect() relyingParty {
	return relyingParty{
		file:     "express.mjs",
		callback: "/callback",
		entry:    partyPage,
		setting:  jsOption,
		basics:   []string{"issuerBaseURL", "clientID", "clientSecret", "baseURL", "routes", "authorizationParams"},
		settings: []partySetting{
			{name: "response_type", reason: "by default the library asks for id_token, without a code"},
			{name: "secret", reason: "it encrypts the session, which the browser keeps"},
		},
		start:    startPartyNode,
		visit:    readsClaims,
		oneState: "it is the page to which the person returns; PKCE and the nonce, whose values are in a cookie, tell logins apart",
	}
}

// openIDClient returns openid-client in the steps of its README.
func openIDClient() relyingParty {
	return relyingParty{
		file:     "openid-client.mjs",
		own:      true,
		callback: "/callback",
		entry:    "/",
		start:    startPartyNode,
		visit:    readsClaims,
		noState:  "the README sends one only to a provider without PKCE",
		noNonce:  "the README sends none",
	}
}

// openIDClientPassport returns the Passport strategy of openid-client.
func openIDClientPassport() relyingParty {
	return relyingParty{
		file:     "passport.mjs",
		callback: "/callback",
		entry:    "/",
		setting:  jsOption,
		basics:   []string{"config", "callbackURL", "scope"},
		start:    startPartyNode,
		visit:    readsClaims,
		noState:  "the strategy sends one only to a provider without PKCE",
		noNonce:  "the strategy sends one only with a response type that has an ID token",
	}
}

// passportOpenIDConnect returns the older Passport strategy for OpenID Connect.
func passportOpenIDConnect() relyingParty {
	return relyingParty{
		file:     "passport-openidconnect.mjs",
		own:      true,
		callback: "/callback",
		entry:    "/",
		start:    startPartyNode,
		visit:    readsClaims,
		noPKCE:   "the library has none",
		anyISS:   "it reads state and code only",
	}
}

// authJS returns Auth.js 5 with its defaults, in Express.
func authJS() relyingParty {
	return relyingParty{
		file:     "authjs.mjs",
		own:      true,
		callback: "/auth/callback/griot",
		entry:    "/",
		start:    startPartyNode,
		enter: func(t *testing.T, site *partySite, who *systemtest.Person) *url.URL {
			t.Helper()
			var csrf struct{ CSRFToken string }
			_, body, _ := who.Get("http://" + site.listens + "/auth/csrf")
			who.Decode(body, &csrf)
			return submits(t, who, "http://"+site.listens+"/auth/signin/griot", url.Values{"csrfToken": {csrf.CSRFToken}, "callbackUrl": {"/"}})
		},
		visit:    readsAccount,
		scope:    "openid profile email",
		noState:  "by default it uses PKCE only",
		noNonce:  "by default it uses PKCE only",
		anyState: "by default it uses PKCE only",
		admits:   "an application of its own would decide",
	}
}

// honoOIDCAuth returns Hono's middleware.
func honoOIDCAuth() relyingParty {
	return relyingParty{
		file:     "hono.mjs",
		own:      true,
		callback: "/callback",
		entry:    partyPage,
		start:    startPartyNode,
		visit:    readsClaims,
	}
}

// betterAuth returns better-auth with its plugin for OpenID Connect, which admits no one without an email. It makes an
// address in the domain placeholder for each person, or takes the claim for which connect has the settings.
func betterAuth(placeholder string, connect ...string) relyingParty {
	return relyingParty{
		connect:  connect,
		file:     "better-auth.mjs",
		own:      true,
		callback: "/api/auth/callback/griot",
		entry:    "/",
		start: func(t *testing.T, site *partySite, program string) *exec.Cmd {
			t.Helper()
			return withVariables(startPartyNode(t, site, program), "PLACEHOLDER="+placeholder)
		},
		enter: func(t *testing.T, site *partySite, who *systemtest.Person) *url.URL {
			t.Helper()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+site.listens+"/api/auth/sign-in/social", strings.NewReader(`{"provider":"griot","callbackURL":"/"}`))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Origin", "http://"+site.listens)
			var answer struct{ URL string }
			_, body, _ := who.Do(request)
			who.Decode(body, &answer)
			authorize, err := url.Parse(answer.URL)
			if err != nil || answer.URL == "" {
				t.Fatalf("the sign-in answers %s, %v", body, err)
			}
			return authorize
		},
		visit:  readsAccount,
		scope:  "openid profile email",
		noISS:  "it compares an iss that is there",
		admits: "an application of its own would decide",
	}
}

// nextAuth returns NextAuth.js 4, which test/npm-relying-parties/next-auth.mjs runs without Next.
func nextAuth() relyingParty {
	return relyingParty{
		file:     "options.mjs",
		callback: "/api/auth/callback/griot",
		entry:    "/",
		setting:  jsOption,
		basics:   []string{"clientId", "clientSecret", "wellKnown", "authorization", "id", "name", "type", "providers", "callbacks"},
		settings: []partySetting{
			{name: "idToken", reason: "without it the library takes the provider for one of OAuth 2.0, and refuses its ID token"},
			{name: "checks", reason: "by default the library uses state only"},
			{name: "profile", reason: "it says which claims are the id and the name"},
			{name: "signIn", reason: "it names the people who may come in"},
			{name: "jwt", reason: "by default the session keeps no phone number"},
			{name: "session", reason: "by default the session shows no phone number and no sub"},
		},
		start: func(t *testing.T, site *partySite, options string) *exec.Cmd {
			t.Helper()
			return exec.CommandContext(t.Context(), "env", "NEXTAUTH_URL=http://"+site.listens, "NEXTAUTH_SECRET="+strings.Repeat("s", 32),
				"node", filepath.Join(filepath.Dir(partyModules(t)), "next-auth.mjs"), options)
		},
		enter: func(t *testing.T, site *partySite, who *systemtest.Person) *url.URL {
			t.Helper()
			var csrf struct{ CSRFToken string }
			_, body, _ := who.Get("http://" + site.listens + "/api/auth/csrf")
			who.Decode(body, &csrf)
			return submits(t, who, "http://"+site.listens+"/api/auth/signin/griot", url.Values{"csrfToken": {csrf.CSRFToken}, "callbackUrl": {"/"}})
		},
		visit: readsClaims,
	}
}

// partyModules returns the directory of the npm packages of test/npm-relying-parties.
func partyModules(t *testing.T) string {
	t.Helper()
	modules, err := filepath.Abs(systemtest.Root + "test/npm-relying-parties/node_modules")
	if err == nil {
		_, err = os.Stat(modules)
	}
	if err != nil {
		t.Fatalf("the npm packages are not there: run make setup (%v)", err)
	}
	return modules
}

// startPartyNode returns the command of a program that uses the packages of test/npm-relying-parties.
func startPartyNode(t *testing.T, _ *partySite, program string) *exec.Cmd {
	t.Helper()
	if err := os.Symlink(partyModules(t), filepath.Join(filepath.Dir(program), "node_modules")); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), "node", program)
}

// withVariables adds variables to those of a program.
func withVariables(cmd *exec.Cmd, variables ...string) *exec.Cmd {
	cmd.Path, cmd.Args = "/usr/bin/env", append(append([]string{"env"}, variables...), cmd.Args...)
	return cmd
}
