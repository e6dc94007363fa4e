package clients_test

import (
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/systemtest"
)

// minifluxName matches the name of the person on the page with their settings.
var minifluxName = regexp.MustCompile(`id="form-username" value="([^"]*)"`)

// A miniflux is a server of Miniflux.
type miniflux struct {
	*partySite
	t   *testing.T
	out *systemtest.Buffer
}

func startMiniflux(t *testing.T, issuer *partyIssuer, program, database string, settings ...string) *miniflux {
	t.Helper()
	const callback = "/oauth2/oidc/callback"
	site := issuer.site("CONFIDENTIAL", systemtest.FreeAddress(t), callback)
	return &miniflux{site, t, startApplication(t, exec.CommandContext(t.Context(), program), site.listens, append(append(issuer.variables(), settings...),
		"DATABASE_URL="+database, "RUN_MIGRATIONS=1", "LISTEN_ADDR="+site.listens, "BASE_URL=http://"+site.listens, "DISABLE_SCHEDULER_SERVICE=1",
		"OAUTH2_PROVIDER=oidc", "OAUTH2_OIDC_DISCOVERY_ENDPOINT="+issuer.url, "OAUTH2_CLIENT_ID="+site.client.ClientID,
		"OAUTH2_CLIENT_SECRET="+site.client.ClientSecret, "OAUTH2_REDIRECT_URL=http://"+site.listens+callback)...)}
}

// signIn signs a person in, and returns the page that they see, and the name of their account.
func (m *miniflux) signIn(login partyLogin) (page partyResponse, name string) {
	m.t.Helper()
	someone, address := m.issuer.person(m.t), "http://"+m.listens
	page = m.browse(m.t, someone, login(someone, m.authorizes(m.t, someone, address+"/oauth2/oidc/redirect").String()).String())
	if found := minifluxName.FindStringSubmatch(m.browse(m.t, someone, address+"/authentication").body); found != nil {
		name = found[1]
	}
	return page, name
}

// Miniflux finds the account of a person by their sub, and names it after the person. A second person with the same name
// gets an account only if the client has user names. It creates accounts for people only if a setting says so.
func TestRelyingParties_Miniflux(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	issuer, program, database := startPartyIssuer(t), buildParty(t, "miniflux", "miniflux.app/v2"), dbtest.PostgresURL(t)
	awa, namesake := issuer.phone(t, "22376000001"), issuer.phone(t, "22376000002")
	open := startMiniflux(t, issuer, program, database, "OAUTH2_USER_CREATION=1")
	for range 2 {
		if page, name := open.signIn(awa); page.status != http.StatusOK || name != "awa" {
			t.Errorf("a person gets %d and the account %q, want 200 and awa", page.status, name)
		}
	}
	if page, name := open.signIn(namesake); page.status != http.StatusBadRequest || !strings.Contains(page.body, "This user already exists.") || name != "" {
		t.Errorf("a person with the same name gets %d %s and the account %q, want 400", page.status, page.body, name)
	}
	open.connect("--preferred-username", "name")
	if page, name := open.signIn(namesake); page.status != http.StatusOK || !strings.HasPrefix(name, "awa-") {
		t.Errorf("with user names, a person with the same name gets %d and the account %q, want 200 and awa with a suffix", page.status, name)
	}
	if _, name := open.signIn(awa); name != "awa" {
		t.Errorf("with user names, the first person gets the account %q, want awa", name)
	}
	if page, name := open.signIn(declined); page.at.Path != "/" || name != "" || !strings.Contains(open.out.String(), "No code received on OAuth2 callback") {
		t.Errorf("a person who declines is at %s with the account %q, want the first page and a line in the log", page.at, name)
	}

	closed := startMiniflux(t, issuer, program, database)
	if page, name := closed.signIn(awa); page.status != http.StatusOK || name != "awa" {
		t.Errorf("without new accounts, a person gets %d and the account %q, want 200 and awa", page.status, name)
	}
	if page, name := closed.signIn(issuer.phone(t, "22376000003")); page.status != http.StatusForbidden || name != "" {
		t.Errorf("without new accounts, a stranger gets %d and the account %q, want 403", page.status, name)
	}
}
