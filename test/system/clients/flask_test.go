package clients_test

import (
	"os/exec"
	"regexp"
	"testing"
)

// flaskPython is the Python for which scripts/setup.sh installs Flask and Authlib.
const flaskPython = "/usr/bin/python3"

// flask runs the program with Debian's Flask and Authlib.
func flask(t *testing.T) relyingParty {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), flaskPython, "-c", "import authlib, flask, requests").CombinedOutput(); err != nil {
		t.Fatalf("Flask and Authlib are not there: run make setup (%v)\n%s", err, out)
	}
	return relyingParty{
		file:     "app.py",
		callback: "/callback",
		entry:    "/login",
		setting:  regexp.MustCompile(`(?m)^    (\w+)=|"(code_\w+)"`),
		basics:   []string{"server_metadata_url", "client_id", "client_secret", "client_kwargs"},
		settings: []partySetting{
			{name: "code_challenge_method", reason: "without it Authlib uses no PKCE"},
		},
		start: func(t *testing.T, _ *partySite, program string) *exec.Cmd {
			t.Helper()
			return exec.CommandContext(t.Context(), flaskPython, program)
		},
		visit: readsClaims,
		modes: true,
	}
}
