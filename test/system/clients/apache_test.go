package clients_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"example.com/griot/test/system/systemtest"
)

const (
	apacheProgram = "/usr/sbin/apache2"
	apacheModules = "/usr/lib/apache2/modules"
)

// requireClaim matches the line of the document's configuration that admits a person.
var requireClaim = regexp.MustCompile(`(?m)^(\s*Require claim phone_number:)\S+\n`)

// apache is Debian's Apache with mod_auth_openidc.
func apache() relyingParty {
	return relyingParty{
		file:     "apache.conf",
		callback: "/oidc/callback",
		entry:    partyPage,
		setting:  lineSetting,
		basics:   []string{"OIDCProviderMetadataURL", "OIDCClientID", "OIDCClientSecret", "OIDCRedirectURI", "OIDCScope", "Location", "ProxyPass"},
		settings: []partySetting{
			{name: "OIDCCryptoPassphrase", reason: "it encrypts the session, and Apache doesn't start without it"},
			{name: "OIDCPKCEMethod", reason: "without it the module uses no PKCE"},
			{name: "OIDCPassClaimsAs", reason: "the website behind the proxy reads headers only"},
			{name: "AuthType", reason: "it puts the module in front of the website"},
			{name: "AuthzSendForbiddenOnFailure", reason: "without it Apache answers 401 to other people, as if their password were wrong"},
			{name: "Require", reason: "it names the people who may come in"},
		},
		start: func(t *testing.T, site *partySite, config string) *exec.Cmd {
			t.Helper()
			if _, err := os.Stat(filepath.Join(apacheModules, "mod_auth_openidc.so")); err != nil {
				t.Fatalf("Apache with mod_auth_openidc is not there: run make setup (%v)", err)
			}
			return startApache(t, site, config)
		},
		visit: readsHeaders(func(h http.Header) partyVisitor {
			claim := func(name string) string { return strings.Join(h[http.CanonicalHeaderKey("OIDC_CLAIM_"+name)], ",") }
			return partyVisitor{Sub: claim("sub"), Phone: claim("phone_number"), Name: claim("name")}
		}),
		proxy: true,
		noISS: "it compares an iss that is there",
	}
}

// startApache returns the command of an Apache with a single process, under an unprivileged account, with the settings
// that Debian keeps in separate files.
func startApache(t *testing.T, site *partySite, config string) *exec.Cmd {
	t.Helper()
	dir := filepath.Dir(config)
	documented, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	var people strings.Builder
	for _, number := range site.people {
		people.WriteString("${1}" + number + "\n")
	}
	var own strings.Builder
	fmt.Fprintf(&own, "ServerRoot %[1]s\nServerName 127.0.0.1\nListen %[2]s\nPidFile %[1]s/pid\nMutex file:%[1]s\nErrorLog %[1]s/error.log\n", dir, site.listens)
	for _, module := range []string{"mpm_event", "authn_core", "authz_core", "authz_user", "proxy", "proxy_http", "auth_openidc"} {
		fmt.Fprintf(&own, "LoadModule %[1]s_module %[2]s/mod_%[1]s.so\n", module, apacheModules)
	}
	fmt.Fprintf(&own, "OIDCCABundlePath %s/ca.pem\n", dir)
	own.WriteString(requireClaim.ReplaceAllString(string(documented), people.String()))
	systemtest.WriteFile(t, config, own.String())
	authority, err := os.ReadFile(site.issuer.files.Cert)
	if err != nil {
		t.Fatal(err)
	}
	systemtest.WriteFile(t, filepath.Join(dir, "ca.pem"), string(authority))
	t.Cleanup(func() {
		if log, err := os.ReadFile(filepath.Join(dir, "error.log")); t.Failed() {
			t.Logf("Apache's log, %v:\n%s", err, log)
		}
	})
	cmd := exec.CommandContext(t.Context(), apacheProgram, "-X", "-f", config)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: giveToNobody(t, dir, config, filepath.Join(dir, "ca.pem"))}
	}
	return cmd
}

// giveToNobody makes the account nobody the owner of a test's directory and files in it. Programs run under this
// account if the test runs as root.
func giveToNobody(t *testing.T, dir string, files ...string) *syscall.Credential {
	t.Helper()
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, errUID := strconv.Atoi(nobody.Uid)
	gid, errGID := strconv.Atoi(nobody.Gid)
	if errUID != nil || errGID != nil {
		t.Fatal(errUID, errGID)
	}
	for _, name := range append(files, dir) {
		if err := os.Chown(name, uid, gid); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil { // the account must have access to its directory
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
