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
	program := buildParty(t, "", "github.com/oauth2-proxy/oauth2-proxy/v7")
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

// oauth2-proxy without a setting for the email admits nobody, because a login has no email, until the client has a domain
// for it. TestRelyingParties runs it with the number in the place of the email.
func TestRelyingParties_OAuth2ProxyWithEmail(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	const callback, domain = "/oauth2/callback", "people.example"
	program, website := buildParty(t, "", "github.com/oauth2-proxy/oauth2-proxy/v7"), startPartyWebsite(t)
	site := startPartyIssuer(t).site("CONFIDENTIAL", systemtest.FreeAddress(t), callback)
	out := startApplication(t, exec.CommandContext(t.Context(), program,
		"--provider", "oidc", "--oidc-issuer-url", site.issuer.url, "--client-id", site.client.ClientID, "--client-secret", site.client.ClientSecret,
		"--redirect-url", "http://"+site.listens+callback, "--scope", "openid profile email", "--email-domain", domain, "--upstream", website.url,
		"--cookie-secret", strings.Repeat("r", 32), "--cookie-secure=false", "--skip-provider-button", "--http-address", site.listens,
	), site.listens, site.issuer.variables()...)
	signIn := func(login partyLogin) partyResponse {
		t.Helper()
		someone := site.issuer.person(t)
		return site.browse(t, someone, login(someone, site.authorizes(t, someone, "http://"+site.listens).String()).String())
	}
	const why = "neither the id_token nor the profileURL set an email"
	if got := signIn(site.issuer.phone(t, "22376000001")); got.status != http.StatusInternalServerError || !strings.Contains(out.String(), why) || website.requests.Load() != 0 {
		t.Errorf("got %d and %s, want 500 with %q in the log", got.status, out, why)
	}

	site.connect("--email-domain", domain)
	visits := readsHeaders(func(h http.Header) partyVisitor {
		return partyVisitor{Sub: h.Get("X-Forwarded-User"), Name: h.Get("X-Forwarded-Email")}
	})
	site.issuer.tellsPeopleApart(t, func(login partyLogin) string {
		got := signIn(login)
		v, ok := visits(got)
		if !ok || v.Name != strings.ToLower(v.Sub)+"@"+domain {
			t.Errorf("the website answers %d %s, want an email made from the sub", got.status, got.body)
		}
		return v.Sub
	})
}
