package messages_test

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	smtpserver "github.com/emersion/go-smtp"

	"example.com/griot/internal/db/dbtest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// An operator sees that a gateway has stopped working, and that it works again: one line in the log and not one for
// each message, the last error in the list, and the sender's state.
func TestServe_SaysThatAGatewayStoppedWorking(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") },
		"postgres": func() string { return dbtest.PostgresURL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			port := systemtest.FreePort(t) // no relay is running there yet
			s := systemtest.StartServeWith(t, database(), systemtest.MailGateway(port)+"plans: off\n")
			o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
			a := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
			key := "X-API-Key: " + systemtest.RunJSON[messagingverbs.Key](o, "api-keys", "create", "--account", a.ID).Key
			systemtest.RunJSON[messagingverbs.Sender](o, "senders", "add", "--account", a.ID, "--channel", "email", "--address", "awa@boutique.example", "--gateway", "mail")
			send := func() int {
				t.Helper()
				r, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"email","to":"client@example.com","message":"Bonjour"}`, key)
				if err != nil {
					t.Fatal(err)
				}
				return r.Status
			}
			state := func() any {
				t.Helper()
				r, err := systemtest.Call("GET", s.Api+"/api/senders", "", key)
				if err != nil || r.Status != 200 {
					t.Fatalf("%v, %d", err, r.Status)
				}
				return r.Body["senders"].([]any)[0].(map[string]any)["state"]
			}
			lines := func(of string) []string {
				var out []string
				for _, line := range strings.Split(s.Out.String(), "\n") {
					if strings.Contains(line, of) {
						out = append(out, line)
					}
				}
				return out
			}
			for range 8 {
				if got := send(); got == 200 {
					t.Fatal("sent without a relay")
				}
			}
			stopped := lines("stopped working")
			if len(stopped) != 1 || !strings.Contains(stopped[0], `"level":"WARN"`) || !strings.Contains(stopped[0], `"gateway":"mail"`) ||
				!strings.Contains(stopped[0], `"code":"smtp_unavailable"`) || !strings.Contains(stopped[0], "refused") {
				t.Errorf("logged %q, want one WARN with the gateway's name, the code, and the cause", stopped)
			}
			g := systemtest.RunJSON[[]messagingverbs.Gateway](o, "gateways", "list")[0]
			if g.Failures != 8 || g.FailingAt == nil || g.LastError == nil || g.LastError.Code != "smtp_unavailable" || g.LastError.Cause == "" || g.Senders[0].State != "disconnected" {
				t.Errorf("listed %+v, %+v; want 8 failures, since when, and the last error", g, g.LastError)
			}
			if list := o.Run("gateways", "list"); !strings.Contains(list, g.FailingAt.UTC().Format(time.RFC3339)) || !strings.Contains(list, "smtp_unavailable") {
				t.Errorf("the list shows no error:\n%s", list)
			}
			if got := state(); got != "disconnected" {
				t.Errorf("the sender is %v, want disconnected", got)
			}

			r := &systemtest.Relay{}
			server := smtpserver.NewServer(r)
			server.Domain = "localhost"
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				t.Fatal(err)
			}
			go func() { _ = server.Serve(l) }()
			t.Cleanup(func() { _ = server.Close() })
			for range 3 {
				if got := send(); got != 200 {
					t.Fatalf("%d with a relay, want 200: a sender that failed is tried again", got)
				}
			}
			again := lines("works again")
			if len(again) != 1 || !strings.Contains(again[0], `"gateway":"mail"`) || !strings.Contains(again[0], `"failures":8`) || len(lines("stopped working")) != 1 {
				t.Errorf("logged %q, want one line that it works again", again)
			}
			if g := systemtest.RunJSON[[]messagingverbs.Gateway](o, "gateways", "list")[0]; g.FailingAt != nil || g.LastError == nil || g.Senders[0].State != "connected" {
				t.Errorf("listed %+v when it works again", g)
			}
			if got := state(); got != "connected" {
				t.Errorf("the sender is %v, want connected", got)
			}
		})
	}
}
