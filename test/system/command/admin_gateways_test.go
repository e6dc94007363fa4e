package command_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// jsonSettings returns the settings for a mail relay, as an operator writes them to a file.
func jsonSettings(port int) string {
	return fmt.Sprintf(`{"host": "127.0.0.1", "port": %d, "tls": "none"}`, port)
}

// A gateway is added, changed, and removed while the server runs, and delivers email without a restart.
func TestAdmin_GatewaysWithoutARestart(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") },
		"postgres": func() string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			first, port := systemtest.StartRelay(t)
			second, port2 := systemtest.StartRelay(t)
			s := systemtest.StartServeWith(t, url(), systemtest.MailGateway(port))
			o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
			file := filepath.Join(t.TempDir(), "settings")
			settings := func(content string) string {
				if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				return file
			}
			to := func(port int) string { return settings(jsonSettings(port)) }
			o.MustFail("The configuration has a gateway with this name. Change it there.", "gateways", "add", "mail", "--kind", "smtp", "--settings", to(port))
			o.MustFail("The settings can't be used: gateway \"post\" (smtp): settings: port must be from 1 to 65535", "gateways", "add", "post", "--kind", "smtp", "--settings", settings("host: 127.0.0.1\ntls: none\nport: 70000\n"))
			o.MustFail("the settings must be a mapping in YAML or an object in JSON", "gateways", "add", "post", "--kind", "smtp", "--settings", settings("- kora"))
			g := systemtest.RunJSON[messagingverbs.Gateway](o, "gateways", "add", "post", "--kind", "smtp", "--settings", to(port))
			if g.From != "database" || g.State != "open" || len(g.Channels) != 1 || g.Channels[0] != "email" {
				t.Errorf("added %+v", g)
			}
			a := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
			key := systemtest.RunJSON[messagingverbs.Key](o, "api-keys", "create", "--account", a.ID)
			sender := systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", a.ID, "--channel", "email", "--address", "awa@boutique.example", "--gateway", "post")
			send := func(status int) {
				t.Helper()
				sent, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"email","to":"client@example.com","message":"Bonjour"}`, "X-API-Key: "+key.Key)
				if err != nil || sent.Status != status {
					t.Fatalf("%v, %d %s, want %d\n%s", err, sent.Status, sent.Raw, status, s.Out)
				}
			}
			send(200)
			first.Text(t, 1)
			if tested := systemtest.RunJSON[messagingverbs.Tested](o, "gateways", "test", "post"); tested.Result != messagingverbs.TestPassed {
				t.Errorf("tested %+v", tested)
			}
			systemtest.RunJSON[messagingverbs.Gateway](o, "gateways", "set", "post", "--settings", to(port2))
			send(200)
			second.Text(t, 1)
			o.MustFail("Senders use this gateway. Remove them first (griot admin gateways list shows them).", "gateways", "remove", "post")
			if listed := systemtest.RunJSON[[]messagingverbs.Gateway](o, "gateways", "list"); len(listed) != 2 || len(listed[1].Senders) != 1 || listed[1].Senders[0].State != "connected" {
				t.Errorf("listed %+v", listed)
			}
			o.Run("senders", "remove", sender.ID)
			if done := o.Run("gateways", "remove", "post"); done != "removed  post\n" {
				t.Errorf("got %q, want that post is removed", done)
			}
			send(409)
			if err := s.Cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = s.Cmd.Wait()
			systemtest.RunJSON[messagingverbs.Gateway](o, "gateways", "add", "later", "--kind", "smtp", "--settings", to(1)) // on the database
			stdout, stderr, code := o.Try("gateways", "test", "later", "--json")
			var tested messagingverbs.Tested
			if err := json.Unmarshal([]byte(stdout), &tested); err != nil || tested.Result != messagingverbs.TestFailed || tested.Problem == "" {
				t.Errorf("%v, tested %+v", err, tested)
			}
			if code != 1 || !strings.Contains(stderr, `"message":"later: `) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("a failed test with --json: exit %d, %q", code, stderr)
			}
			if tested := systemtest.RunJSON[messagingverbs.Tested](o, "gateways", "test", "mail"); tested.Result != messagingverbs.TestPassed {
				t.Errorf("tested %+v", tested)
			}
		})
	}
}
