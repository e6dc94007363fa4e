package clients_test

import (
	"os/exec"
	"regexp"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// zitadelOIDC is the relying party of zitadel/oidc, which test/relyingparties pins.
func zitadelOIDC() relyingParty {
	return relyingParty{
		file:     "main.go",
		callback: "/callback",
		entry:    "/login",
		setting:  regexp.MustCompile(`\b(?:rp|httphelper)\.(With\w+)`),
		settings: []partySetting{
			{name: "WithPKCE", reason: "without it the library uses no PKCE"},
			{name: "WithUnsecure", reason: "the address of the program in the test has no TLS, and its cookies are for TLS only by default"},
		},
		start: func(t *testing.T, _ *partySite, source string) *exec.Cmd {
			t.Helper()
			program := source + ".bin"
			build := exec.CommandContext(t.Context(), "go", "build", "-o", program, source)
			build.Dir = systemtest.Root + "test/relyingparties"
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			return exec.CommandContext(t.Context(), program)
		},
		visit:   readsClaims,
		anyISS:  "it reads state and code only",
		noNonce: "the library sends one only if the program keeps it",
	}
}
