package clients_test

import (
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// flaskPython is the Python for which scripts/setup.sh installs Flask and Authlib.
const flaskPython = "/usr/bin/python3"

// The program with Flask and Authlib in docs/connect.md signs in the people that it names, and nobody else. make test-long runs
// it; make test-system holds the same rules of Griot by TestRelyingParties.
func TestRelyingParties_Flask(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	if out, err := exec.CommandContext(t.Context(), flaskPython, "-c", "import authlib, flask, requests").CombinedOutput(); err != nil {
		t.Fatalf("Flask and Authlib are not there: run make setup (%v)\n%s", err, out)
	}
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	blocks := systemtest.BlocksOf(t, connectPage)
	i := slices.IndexFunc(blocks, func(b *systemtest.Block) bool { return b.File == "app.py" })
	if i < 0 {
		t.Fatalf("%s has no app.py", connectPage)
	}
	program := filepath.Join(t.TempDir(), "app.py")
	systemtest.WriteFile(t, program, blocks[i].Code)
	flask := func(people ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "env", "SESSION_KEY="+strings.Repeat("s", 32), "PEOPLE="+strings.Join(people, " "), flaskPython, program)
	}
	signInThrough(t, p, func() *exec.Cmd { return flask("+22300000002", "+22300000001") })

	base := runApplication(t, p, flask("+22300000002"), "TEST")
	stranger := systemtest.NewPerson(t)
	if status, body, _ := stranger.Get(loginUntilReturn(t, p, stranger, base).String()); status != http.StatusForbidden {
		t.Errorf("a stranger gets %d %s, want 403", status, body)
	}
}
