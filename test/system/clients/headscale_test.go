package clients_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// headscaleForm matches the form with which a person confirms that a machine is theirs.
var headscaleForm = regexp.MustCompile(`<form[^>]* action="([^"]+)"[\s\S]*?<input[^>]* name="([^"]+)"[^>]* value="([^"]+)"`)

// A headscale is a server of Headscale, with the number of machines that people have added.
type headscale struct {
	*testing.T
	site            *partySite
	program, config string
	machines        int
}

// startHeadscale starts a server with a client of the issuer, and further settings of its section oidc.
func startHeadscale(t *testing.T, issuer *partyIssuer, program, settings string) *headscale {
	t.Helper()
	dir := t.TempDir()
	h := &headscale{T: t, site: issuer.site("CONFIDENTIAL", systemtest.FreeAddress(t), "/oidc/callback"), program: program, config: filepath.Join(dir, "config.yaml")}
	systemtest.WriteFile(t, filepath.Join(dir, "derp.yaml"), "regions: {900: {regionid: 900, regioncode: mine, regionname: Mine, nodes: [{name: 900a, regionid: 900, hostname: relay.example}]}}\n")
	systemtest.WriteFile(t, h.config, strings.NewReplacer("DIR", dir, "LISTENS", h.site.listens, "ISSUER", issuer.url, "GRPC", systemtest.FreeAddress(t), "CLIENT_ID", h.site.client.ClientID, "CLIENT_SECRET", h.site.client.ClientSecret).Replace(`
server_url: http://LISTENS
listen_addr: LISTENS
metrics_listen_addr: ""
grpc_listen_addr: GRPC
noise: {private_key_path: DIR/noise.key}
prefixes: {v4: 100.64.0.0/10, v6: "fd7a:115c:a1e0::/48"}
derp: {urls: [], paths: [DIR/derp.yaml], auto_update_enabled: false}
database: {type: sqlite, sqlite: {path: DIR/headscale.db}}
dns: {magic_dns: false, override_local_dns: false, base_domain: machines.example}
unix_socket: DIR/headscale.sock
disable_check_updates: true
oidc:
  issuer: ISSUER
  client_id: CLIENT_ID
  client_secret: CLIENT_SECRET
`)+settings)
	startApplication(t, exec.CommandContext(t.Context(), program, "serve", "--config", h.config), h.site.listens, issuer.variables()...)
	waittest.Until(t, func() error { _, err := os.Stat(filepath.Join(dir, "headscale.sock")); return err })
	h.admin(nil, "users", "create", "admin")
	return h
}

// admin runs a command of the server's administrator, and decodes what it prints.
func (h *headscale) admin(v any, args ...string) {
	h.Helper()
	out, err := exec.CommandContext(waittest.Context(h.T), h.program, append(args, "--config", h.config, "--output", "json")...).Output()
	if err == nil && v != nil {
		err = json.Unmarshal(out, v)
	}
	if err != nil {
		h.Fatalf("headscale %v: %v\n%s%s", args, err, out, stderrOf(err))
	}
}

// adds signs a person in who adds a machine, and returns the last page, and the ID of the account to which the machine
// belongs. debug create-node stands for the machine.
func (h *headscale) adds(login partyLogin) (page partyResponse, account string) {
	h.Helper()
	h.machines++
	name := fmt.Sprintf("machine-%d", h.machines)
	key := fmt.Sprintf("hskey-authreq-%024d", h.machines)
	h.admin(nil, "debug", "create-node", "--name", name, "--user", "admin", "--key", key)
	someone, address := h.site.issuer.person(h.T), "http://"+h.site.listens
	page = h.site.browse(h.T, someone, login(someone, h.site.authorizes(h.T, someone, address+"/register/"+key).String()).String())
	if form := headscaleForm.FindStringSubmatch(page.body); form != nil {
		request, err := http.NewRequestWithContext(h.Context(), http.MethodPost, address+form[1], strings.NewReader(url.Values{form[2]: {form[3]}}.Encode()))
		if err != nil {
			h.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		page.status, page.body, _ = someone.Do(request)
	}
	var machines []struct {
		Name string
		User struct{ ID json.Number }
	}
	h.admin(&machines, "nodes", "list")
	for _, m := range machines {
		if m.Name == name {
			account = m.User.ID.String()
		}
	}
	return page, account
}

// Headscale gives the machines of people to accounts, which it finds by their sub. Its list of domains admits people with
// an email in one of them, if it takes emails without a proof.
func TestRelyingParties_Headscale(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	issuer, program := startPartyIssuer(t), buildParty(t, "headscale", "github.com/juanfont/headscale/cmd/headscale")
	h := startHeadscale(t, issuer, program, "")
	issuer.tellsPeopleApart(t, func(login partyLogin) string {
		page, account := h.adds(login)
		if page.status != http.StatusOK || !strings.Contains(page.body, "Registered as <strong>Awa</strong>") {
			t.Errorf("a person gets %d %s, want 200 with their name", page.status, page.body)
		}
		return account
	})
	if page, account := h.adds(declined); page.status != http.StatusBadRequest || account != "" {
		t.Errorf("a person who declines gets %d and the account %q, want 400", page.status, account)
	}

	list := startHeadscale(t, issuer, program, "  allowed_domains: [people.example]\n  email_verified_required: false\n")
	awa := issuer.phone(t, "22376000001")
	if page, account := list.adds(awa); page.status != http.StatusUnauthorized || account != "" {
		t.Errorf("without an email, a person gets %d and the account %q, want 401", page.status, account)
	}
	list.site.connect("--email-domain", "people.example")
	if page, account := list.adds(awa); page.status != http.StatusOK || account == "" {
		t.Errorf("with an email, a person gets %d and the account %q, want 200", page.status, account)
	}
}
