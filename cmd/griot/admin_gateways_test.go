package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	messagingadmin "example.com/griot/messaging/admin"
)

// jsonSettings returns the settings for a mail relay, as an operator writes them to a file.
func jsonSettings(port int) string {
	return fmt.Sprintf(`{"host": "127.0.0.1", "port": %d, "tls": "none"}`, port)
}

// A gateway is added, changed and removed while the server runs, and delivers mail without a restart.
func TestAdmin_GatewaysWithoutARestart(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") },
		"postgres": func() string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			first, port := startRelay(t)
			second, port2 := startRelay(t)
			s := startServeWith(t, url(), mailGateway(port))
			o := &operator{t: t, dir: s.cmd.Dir, env: s.cmd.Env}
			file := filepath.Join(t.TempDir(), "settings")
			settings := func(content string) string {
				if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				return file
			}
			to := func(port int) string { return settings(jsonSettings(port)) }
			o.mustFail("The configuration has a gateway of this name: change it there.", "gateways", "add", "mail", "--kind", "smtp", "--settings", to(port))
			o.mustFail("The settings can't be used: gateway \"post\" (smtp): settings: port must be from 1 to 65535", "gateways", "add", "post", "--kind", "smtp", "--settings", settings("host: 127.0.0.1\ntls: none\nport: 70000\n"))
			o.mustFail("the settings are not a mapping in YAML, nor an object in JSON", "gateways", "add", "post", "--kind", "smtp", "--settings", settings("- kora"))
			g := runJSON[messagingadmin.Gateway](o, "gateways", "add", "post", "--kind", "smtp", "--settings", to(port))
			if g.From != "database" || g.State != "open" || len(g.Channels) != 1 || g.Channels[0] != "email" {
				t.Errorf("added %+v", g)
			}
			a := runJSON[messagingadmin.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
			key := runJSON[messagingadmin.Key](o, "api-keys", "create", "--account", a.ID)
			sender := runJSON[messagingadmin.Sender](o, "senders", "add", "--account", a.ID, "--channel", "email", "--address", "awa@boutique.example", "--gateway", "post")
			send := func(status int) {
				t.Helper()
				sent, err := call("POST", s.api+"/api/send", `{"channel":"email","to":"client@example.com","message":"Bonjour"}`, "X-API-Key: "+key.Key)
				if err != nil || sent.status != status {
					t.Fatalf("%v, %d %s, want %d\n%s", err, sent.status, sent.raw, status, s.out)
				}
			}
			send(200)
			first.text(t, 1)
			if tested := runJSON[messagingadmin.Tested](o, "gateways", "test", "post"); tested.Result != messagingadmin.TestPassed {
				t.Errorf("tested %+v", tested)
			}
			runJSON[messagingadmin.Gateway](o, "gateways", "set", "post", "--settings", to(port2))
			send(200)
			second.text(t, 1)
			o.mustFail("Senders live on this gateway: remove them first (gateways list shows them).", "gateways", "remove", "post")
			if listed := runJSON[[]messagingadmin.Gateway](o, "gateways", "list"); len(listed) != 2 || len(listed[1].Senders) != 1 || listed[1].Senders[0].State != "connected" {
				t.Errorf("listed %+v", listed)
			}
			o.run("senders", "remove", sender.ID)
			if done := o.run("gateways", "remove", "post"); done != "removed  post\n" {
				t.Errorf("got %q, want that post is removed", done)
			}
			send(409)
			if err := s.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = s.cmd.Wait()
			runJSON[messagingadmin.Gateway](o, "gateways", "add", "later", "--kind", "smtp", "--settings", to(1)) // on the database
			stdout, stderr, code := o.try("gateways", "test", "later", "--json")
			var tested messagingadmin.Tested
			if err := json.Unmarshal([]byte(stdout), &tested); err != nil || tested.Result != messagingadmin.TestFailed || tested.Problem == "" {
				t.Errorf("%v, tested %+v", err, tested)
			}
			if code != 1 || !strings.Contains(stderr, `"message":"later: `) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("a failed test with --json: exit %d, %q", code, stderr)
			}
			if tested := runJSON[messagingadmin.Tested](o, "gateways", "test", "mail"); tested.Result != messagingadmin.TestPassed {
				t.Errorf("tested %+v", tested)
			}
		})
	}
}
