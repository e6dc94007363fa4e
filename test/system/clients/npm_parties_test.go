package clients_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// jsOption finds the options of a call in JavaScript, one on each line.
var jsOption = regexp.MustCompile(`(?m)^ {2,4}(\w+):|\b(response_type):`)

// expressOpenIDConnect is Auth0's middleware for Express.
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

// passportOpenIDConnect is the strategy of Passport for OpenID Connect.
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

// startPartyNode returns the command of a program that uses the packages of test/npm-relying-parties.
func startPartyNode(t *testing.T, _ *partySite, program string) *exec.Cmd {
	t.Helper()
	modules, err := filepath.Abs(systemtest.Root + "test/npm-relying-parties/node_modules")
	if err == nil {
		_, err = os.Stat(modules)
	}
	if err != nil {
		t.Fatalf("the npm packages are not there: run make setup (%v)", err)
	}
	if err := os.Symlink(modules, filepath.Join(filepath.Dir(program), "node_modules")); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), "node", program)
}
