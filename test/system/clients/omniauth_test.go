package clients_test

import (
	"net/url"
	"os/exec"
	"regexp"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// omniauthRuby is the Ruby for which scripts/setup.sh installs Sinatra and OmniAuth.
const omniauthRuby = "/usr/bin/ruby"

// omniAuth returns the OpenID Connect strategy of Debian's OmniAuth.
func omniAuth(t *testing.T) relyingParty {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), omniauthRuby, "-e", "require 'sinatra/base'; require 'omniauth_openid_connect'; require 'puma'").CombinedOutput(); err != nil {
		t.Fatalf("Sinatra and OmniAuth are not there: run make setup (%v)\n%s", err, out)
	}
	return relyingParty{
		file:     "app.rb",
		callback: "/auth/griot/callback",
		entry:    "/",
		setting:  regexp.MustCompile(`(?m)^ {4,6}(\w+):`),
		basics:   []string{"issuer", "scope", "client_options", "identifier", "secret", "redirect_uri", "name"},
		settings: []partySetting{
			{name: "discovery", reason: "without it the strategy has to be told each endpoint"},
		},
		start: func(t *testing.T, _ *partySite, program string) *exec.Cmd {
			t.Helper()
			return exec.CommandContext(t.Context(), "env", "RACK_ENV=production", omniauthRuby, program)
		},
		enter: func(t *testing.T, site *partySite, who *systemtest.Person) *url.URL {
			t.Helper()
			_, body, _ := who.Get("http://" + site.listens + "/")
			token := regexp.MustCompile(`value="([^"]+)"`).FindStringSubmatch(body)
			if token == nil {
				t.Fatalf("the program shows no form:\n%s", body)
			}
			return submits(t, who, "http://"+site.listens+"/auth/griot", url.Values{"authenticity_token": {token[1]}})
		},
		visit:  readsClaims,
		noPKCE: "this version of the strategy has none",
		anyISS: "it reads state and code only",
	}
}
