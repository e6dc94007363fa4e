package clients_test

import (
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

// passportOpenIDConnect returns the Passport strategy for OpenID Connect.
func passportOpenIDConnect() relyingParty {
	return relyingParty{
		file:     "passport.mjs",
		callback: "/callback",
		entry:    "/",
		setting:  jsOption,
		basics:   []string{"issuer", "clientID", "clientSecret", "callbackURL", "scope"},
		settings: []partySetting{
			{name: "authorizationURL", reason: "the library has no discovery"},
			{name: "tokenURL", reason: "the library has no discovery"},
			{name: "userInfoURL", reason: "the library's profile has no phone number, but what userinfo answers"},
			{name: "nonce", reason: "without it the library sends none"},
		},
		start:  startPartyNode,
		visit:  readsClaims,
		noPKCE: "the library has none",
		anyISS: "it reads state and code only",
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
