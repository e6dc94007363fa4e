package operate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/seal"
	"example.com/griot/test/system/systemtest"
)

// nameOf returns the name of a master key.
func nameOf(t *testing.T, master string) string {
	t.Helper()
	key, err := seal.ParseKey(master)
	systemtest.Must(t, err)
	return key.Name()
}

// A master key that is not the deployment's is named in one sentence by every command that notices it, and no command
// advises to enter credentials again.
func TestMasterKey_AWrongOneIsNamed(t *testing.T) {
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite": func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") }, "postgres": func(t *testing.T) string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			right, wrong := seal.NewMasterKey(), seal.NewMasterKey()
			sentence := fmt.Sprintf("the configured master key (%s) is not the one of this deployment (%s)", nameOf(t, wrong), nameOf(t, right))
			f := systemtest.NewRemoteGateway(t, true)
			s := systemtest.StartNode(t, url(t), "", right)
			settings := filepath.Join(t.TempDir(), "gateway.yaml")
			systemtest.Must(t, os.WriteFile(settings, fmt.Appendf(nil, "{url: %q, channels: [sms], keys: [{id: k1, secret: %s}]}", "http://"+f.Address, systemtest.RemoteSecret), 0o600))
			s.Must(t, "", "admin", "gateways", "add", "stored", "--kind", "remote", "--settings", settings)
			finds(t, examined(s, t), "master-key", "", doctor.OK, nameOf(t, right))

			// The server has the right key, and another program on its machine has the wrong one.
			systemtest.Must(t, os.WriteFile(filepath.Join(s.Cmd.Dir, "master.key"), []byte(wrong), 0o600))
			if out, err := s.Griot(t, "", "admin", "keys", "list"); err == nil || !strings.Contains(out, sentence) {
				t.Errorf("griot admin, with a server: %v %s", err, out)
			}
			doctorNames(s, t, sentence)
			systemtest.Must(t, stopNode(s))
			doctorNames(s, t, sentence)
			if out, err := s.Griot(t, "", "admin", "keys", "list"); err == nil || !strings.Contains(out, sentence) {
				t.Errorf("griot admin, without a server: %v %s", err, out)
			}
			if out, err := s.Griot(t, "", "serve"); err == nil || !strings.Contains(err.Error(), "exit status 78") || !strings.Contains(out, sentence) {
				t.Errorf("griot serve: %v %s", err, out)
			}
			systemtest.Must(t, os.WriteFile(filepath.Join(s.Cmd.Dir, "master.key"), []byte(right), 0o600))
			s = s.Restart(t)
			finds(t, examined(s, t), "master-key", "", doctor.OK, nameOf(t, right))
		})
	}
}

// doctorNames checks that griot doctor has one failed finding about the key, and blames neither a gateway nor the server.
func doctorNames(s *systemtest.Server, t *testing.T, sentence string) {
	t.Helper()
	r := examined(s, t)
	finds(t, r, "master-key", "", doctor.Failed, sentence)
	for _, f := range r.Findings {
		if slices.Contains([]string{"server", "gateways", "webhooks", "proxies"}, f.Check) && f.Status != doctor.Unknown || f.Check == "lock" && f.Status == doctor.Failed || strings.Contains(f.Text+f.Hint, "credentials") || strings.Contains(f.Hint, "settings") {
			t.Errorf("with a wrong key: %+v", f)
		}
	}
}

// The key is named before anything is sealed that could fail with a wrong one.
func TestMasterKey_AWrongOneIsNamedByDev(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir)
	p.Stop()
	before, err := os.ReadFile(filepath.Join(dir, "master.key"))
	systemtest.Must(t, err)
	wrong := seal.NewMasterKey()
	systemtest.Must(t, os.WriteFile(filepath.Join(dir, "master.key"), []byte(wrong), 0o600))
	sentence := fmt.Sprintf("the configured master key (%s) is not the one of this deployment (%s)", nameOf(t, wrong), nameOf(t, strings.TrimSpace(string(before))))
	out, err := (&systemtest.Server{Cmd: p.Cmd}).Griot(t, "", "dev", "--data", dir, "--api-listen", "127.0.0.1:0", "--auth-listen", "127.0.0.1:0", "--internal-listen", "127.0.0.1:0")
	if err == nil || !strings.Contains(out, sentence) {
		t.Errorf("griot dev: %v %s", err, out)
	}
}
