package clients_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// oauth2Proxy builds the oauth2-proxy that test/relyingparties pins.
func oauth2Proxy(t *testing.T) relyingParty {
	t.Helper()
	program := filepath.Join(t.TempDir(), "oauth2-proxy")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/oauth2-proxy/oauth2-proxy/v7")
	build.Dir = systemtest.Root + "test/relyingparties"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return relyingParty{
		file:     "oauth2-proxy.cfg",
		callback: "/oauth2/callback",
		entry:    partyPage,
		setting:  lineSetting,
		basics:   []string{"oidc_issuer_url", "client_id", "client_secret", "redirect_url", "scope", "upstreams"},
		settings: []partySetting{
			{name: "provider", reason: "oauth2-proxy has a provider of its own for each of several services, and this one for all others"},
			{name: "code_challenge_method", reason: "without it oauth2-proxy uses no PKCE"},
			{name: "insecure_oidc_skip_nonce", reason: "by default oauth2-proxy sends no nonce"},
			{name: "oidc_email_claim", reason: "Griot has no email, and oauth2-proxy admits nobody without one"},
			{name: "authenticated_emails_file", reason: "it names the people who may come in, and oauth2-proxy starts only with it or with email_domains"},
			{name: "skip_provider_button", reason: "without it oauth2-proxy shows a page with a button first"},
			{name: "cookie_secret", reason: "it encrypts the session, which the browser keeps"},
			{name: "cookie_secure", reason: "the address of the program in the test has no TLS", test: "cookie_secure = false"},
		},
		start: func(t *testing.T, site *partySite, config string) *exec.Cmd {
			t.Helper()
			people := filepath.Join(t.TempDir(), "people")
			systemtest.WriteFile(t, people, strings.Join(site.people, "\n")+"\n")
			return exec.CommandContext(t.Context(), program, "--config", config, "--http-address", site.listens, "--authenticated-emails-file", people)
		},
		visit: readsHeaders(func(h http.Header) partyVisitor {
			return partyVisitor{Sub: h.Get("X-Forwarded-User"), Phone: h.Get("X-Forwarded-Email")}
		}),
		proxy:  true,
		noName: "it passes on the user, the email, and groups",
		anyISS: "it reads state and code only",
	}
}
