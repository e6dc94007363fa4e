package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	messagingadmin "example.com/griot/messaging/admin"
)

// From nothing to a message: init, config check, serve, an account and its key by admin, an e-mail through the relay.
func TestInit_ThenServeWorks(t *testing.T) {
	relay, port := startRelay(t)
	dir := filepath.Join(t.TempDir(), "griot")
	ports := []int{freePort(t), freePort(t), freePort(t)}
	s := &server{out: &safeBuffer{}, api: fmt.Sprintf("http://127.0.0.1:%d", ports[0]), auth: fmt.Sprintf("http://127.0.0.1:%d", ports[1]), internal: fmt.Sprintf("http://127.0.0.1:%d", ports[2])}
	env := append(os.Environ(), fmt.Sprintf("GRIOT_API_LISTEN=127.0.0.1:%d", ports[0]), fmt.Sprintf("GRIOT_AUTH_LISTEN=127.0.0.1:%d", ports[1]), fmt.Sprintf("GRIOT_INTERNAL_LISTEN=127.0.0.1:%d", ports[2]))
	run := func(wantCode int, want string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Env, cmd.Dir = env, filepath.Dir(dir)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != wantCode || !strings.Contains(string(out), want) {
			t.Fatalf("%v: %v\n%s\nwant exit code %d and %q", args, err, out, wantCode, want)
		}
	}
	names := []string{"init", "griot", "--auth-url", s.auth, "--api-url", s.api, "--database", "sqlite:data/griot.db"}
	mail := []string{"--mail-host", "127.0.0.1", "--mail-port", fmt.Sprint(port), "--mail-tls", "none", "--mail-from", "bonjour@griot.example", "--proxy", "caddy"}

	run(exitUsage, "exactly one DIR", "init")
	run(exitUsage, "--auth-url and --api-url are needed", "init", "griot")
	run(exitUsage, "everyone on this machine can read a password", append(names[:6:6], "--database", "postgres://griot:hunter2@db/griot")...)
	run(1, "tls must be one of", append(append(names[:8:8], mail...), "--mail-tls", "maybe")...)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("after a mistake %v stay, %v", left, err)
	}
	run(0, "griot serve --config "+dir+"/griot.yaml", append(names, mail...)...)
	run(1, "master.key is there already, and nothing is overwritten", append(names, mail...)...)
	for name, want := range map[string]os.FileMode{"griot.yaml": 0o600, "master.key": 0o600, "griot.service": 0o644, "Caddyfile": 0o644} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want mode %o", name, info, err, want)
		}
	}
	config := filepath.Join(dir, "griot.yaml")
	run(0, "No mistakes.", "config", "check", "--config", config)

	s.cmd = exec.CommandContext(context.Background(), binary, "serve", "--config", config)
	s.cmd.Dir, s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = t.TempDir(), env, s.out, s.out
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	eventually(t, 20*time.Second, func() error {
		if r, err := call("GET", s.api+"/healthz", ""); err != nil || r.status != 200 {
			return fmt.Errorf("%w\n%s", errors.Join(err, errNotYet), s.out)
		}
		return nil
	})
	o := &operator{t: t, dir: s.cmd.Dir, env: env, args: []string{"--config", config}}
	o.run("tenants", "create", "--name", "Banque")
	a := runJSON[messagingadmin.Account](o, "accounts", "create", "--name", "Boutique", "--email", "awa@boutique.example")
	key := runJSON[messagingadmin.Key](o, "api-keys", "create", "--account", a.ID).Key
	sent, err := call("POST", s.api+"/api/send", `{"channel":"email","to":"binta@example.com","subject":"Bonjour","message":"Elle est prête."}`, "Authorization: Bearer "+key)
	if err != nil || sent.status != 200 || sent.text("status") != "SENT" {
		t.Fatalf("%v, %+v\n%s", err, sent, s.out)
	}
	relay.mu.Lock()
	if len(relay.got) != 1 {
		t.Errorf("the relay has %+v, want one e-mail", relay.got)
	}
	relay.mu.Unlock()
}
