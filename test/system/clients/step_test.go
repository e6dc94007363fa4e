package clients_test

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// stepTemplate admits the people on a list to certificates of step-ca.
const stepTemplate = `{{ if not (has .Token.phone_number (list "+22376000001" "+22376000002")) }}{{ fail "You are not on the list." }}{{ end }}
{"subject": {{ toJson .Subject }}, "sans": {{ toJson .SANs }}, "keyUsage": ["digitalSignature"], "extKeyUsage": ["clientAuth"]}`

// stepAddress matches the address that step prints instead of opening a browser.
var stepAddress = regexp.MustCompile(`(https://\S+/authorize\?\S+)`)

// A stepCA is a certificate authority of step-ca, and the programs with which people use it.
type stepCA struct {
	*testing.T
	site      *partySite
	step, dir string
}

// startStepCA starts an authority. Its provisioner griot has the issuer, a client, and domains, and its provisioner list
// has a template.
func startStepCA(t *testing.T, issuer *partyIssuer) *stepCA {
	t.Helper()
	step := buildParty(t, "step", "github.com/smallstep/cli/cmd/step")
	server := buildParty(t, "step", "github.com/smallstep/certificates/cmd/step-ca", "CGO_ENABLED=0") // otherwise it needs a library for smart cards
	ca := &stepCA{t, issuer.site("PUBLIC", systemtest.FreeAddress(t), ""), step, t.TempDir()}
	password, config := filepath.Join(ca.dir, "password"), filepath.Join(ca.dir, "config/ca.json")
	systemtest.WriteFile(t, password, "secret")
	initialize := ca.run("ca", "init", "--name", "Boutique", "--dns", "127.0.0.1", "--address", ca.site.listens, "--provisioner", "admin", "--password-file", password, "--deployment-type", "standalone")
	initialize.Env = append(systemtest.Environ(), initialize.Env...)
	if out, err := initialize.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	var settings map[string]any
	if err := json.Unmarshal(b, &settings); err != nil {
		t.Fatal(err)
	}
	authority := settings["authority"].(map[string]any)
	ca.site.client = issuer.client("PUBLIC", "LIVE", "http://127.0.0.1")
	ca.site.connect("--any-loopback-port")
	list := *ca.site
	list.client = issuer.client("PUBLIC", "LIVE", "http://127.0.0.1")
	list.connect("--any-loopback-port")
	endpoint := issuer.url + "/.well-known/openid-configuration"
	authority["provisioners"] = []map[string]any{
		{"type": "OIDC", "name": "griot", "clientID": ca.site.client.ClientID, "clientSecret": "", "configurationEndpoint": endpoint, "domains": []string{"people.example"}},
		{
			"type": "OIDC", "name": "list", "clientID": list.client.ClientID, "clientSecret": "", "configurationEndpoint": endpoint,
			"scopes": []string{"openid", "phone"}, "options": map[string]any{"x509": map[string]any{"template": stepTemplate}},
		},
	}
	if b, err = json.Marshal(settings); err != nil {
		t.Fatal(err)
	}
	systemtest.WriteFile(t, config, string(b))
	startApplication(t, exec.CommandContext(t.Context(), server, "--password-file", password, config), ca.site.listens, append(issuer.variables(), "STEPPATH="+ca.dir)...)
	return ca
}

// run returns a command of step, with its own variables only.
func (ca *stepCA) run(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(waittest.Context(ca.T), ca.step, args...)
	cmd.Env = []string{"STEPPATH=" + ca.dir, "STEP_OPEN_BROWSER=0"}
	return cmd
}

// certificate returns the certificate that a person gets from a provisioner, or nil.
func (ca *stepCA) certificate(provisioner string, login partyLogin) (got partyCommand, certificate *x509.Certificate) {
	ca.Helper()
	file := filepath.Join(ca.TempDir(), "someone.crt")
	got = runPartyCommand(ca.T, ca.site.issuer, stepAddress, login, ca.run("ca", "certificate", "someone", file, file+".key", "--provisioner", provisioner,
		"--ca-url", "https://"+ca.site.listens, "--root", filepath.Join(ca.dir, "certs/root_ca.crt")))
	b, err := os.ReadFile(file)
	if err != nil {
		return got, nil
	}
	block, _ := pem.Decode(b)
	certificate, err = x509.ParseCertificate(block.Bytes)
	if err != nil {
		ca.Fatal(err)
	}
	return got, certificate
}

// step, which listens on a free port, gets a certificate for each person from a certificate authority of step-ca. The
// certificate has their sub. The domains of a provisioner don't keep out people without an email, and a template does.
func TestRelyingParties_Step(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	issuer := startPartyIssuer(t)
	ca := startStepCA(t, issuer)
	for _, provisioner := range []string{"griot", "list"} {
		issuer.tellsPeopleApart(t, func(login partyLogin) string {
			got, certificate := ca.certificate(provisioner, login)
			if certificate == nil {
				t.Fatalf("%v\n%s", got.err, got.stderr)
			}
			sub := certificate.Subject.CommonName
			if len(sub) != 26 || len(certificate.URIs) != 1 || certificate.URIs[0].String() != issuer.url+"#"+sub {
				t.Errorf("the certificate is for %s and %v, want a sub", sub, certificate.URIs)
			}
			return sub
		})
	}
	for _, tc := range []struct {
		provisioner string
		login       partyLogin
		want        string
	}{
		{"list", issuer.phone(t, "22376000003"), "The request could not be completed: You are not on the list."},
		{"griot", declined, "Failed to authenticate: access_denied"},
	} {
		if got, certificate := ca.certificate(tc.provisioner, tc.login); certificate != nil || got.exitCode() == 0 || !strings.Contains(got.stderr, tc.want) {
			t.Errorf("the program ends with %v and %s, want %q", got.err, got.stderr, tc.want)
		}
	}
}
