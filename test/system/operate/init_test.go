package operate_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/test/system/systemtest"
)

// The refusals of init, the files that remain then, and the files that it writes.
func TestInit_AllOrNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "griot")
	run := func(wantCode int, want string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), systemtest.Binary, args...)
		cmd.Dir = filepath.Dir(dir)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != wantCode || !strings.Contains(string(out), want) {
			t.Fatalf("%v: %v\n%s\nwant exit code %d and %q", args, err, out, wantCode, want)
		}
	}
	names := []string{"init", "griot", "--auth-url", "http://127.0.0.1:8081", "--api-url", "http://127.0.0.1:8080", "--database", "sqlite:data/griot.db"}
	mail := []string{"--mail-host", "127.0.0.1", "--mail-port", "2525", "--mail-tls", "none", "--mail-from", "bonjour@griot.example", "--proxy", "caddy"}

	run(exit.CodeUsage, "exactly one DIR", "init")
	run(exit.CodeUsage, "--auth-url and --api-url are required", "init", "griot")
	run(exit.CodeUsage, "everyone on this machine can read a password", append(names[:6:6], "--database", "postgres://griot:hunter2@db/griot")...)
	run(exit.CodeUsage, "tls must be one of", append(append(names[:8:8], mail...), "--mail-tls", "maybe")...)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("after a mistake %v stay, %v", left, err)
	}
	run(0, "griot serve --config "+dir+"/griot.yaml", append(names, mail...)...)
	run(1, "master.key already exists, and nothing is overwritten", append(names, mail...)...)
	for name, want := range map[string]os.FileMode{"griot.yaml": 0o600, "master.key": 0o600, "griot.service": 0o644, "Caddyfile": 0o644} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want mode %o", name, info, err, want)
		}
	}
	config := filepath.Join(dir, "griot.yaml")
	run(0, "No errors.", "config", "check", "--config", config)

	t.Setenv("GRIOT_DRAIN_DELAY", "10s") // the unit next to it doesn't contain it
	run(0, "Warning: drain_delay: systemd kills Griot 45 seconds after it asked it to stop (TimeoutStopSec in "+dir+"/griot.service)", "config", "check", "--config", config)
	run(0, `"warnings": [`, "config", "check", "--config", config, "--json")

	// No one can sign in by SMS.
	settings := filepath.Join(filepath.Dir(dir), "sms.yaml")
	systemtest.Must(t, os.WriteFile(settings, fmt.Appendf(nil, "url: http://127.0.0.1:1\nchannels: [sms]\nkeys: [{id: k1, secret: %s}]\n", systemtest.RemoteSecret), 0o600))
	sms := []string{"--gateway", "remote", "--gateway-name", "sms", "--gateway-settings", settings, "--login-number", "p1:+22370000099", "--database", "sqlite:data/griot.db"}
	run(exit.CodeUsage, "auth.receivers[0].gateway: sms doesn't deliver WhatsApp messages", append([]string{"init", "other", "--auth-url", "http://127.0.0.1:8081", "--api-url", "http://127.0.0.1:8080"}, sms...)...)
}
