package operate_test

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// A program serves with --newer-schema on a schema that is marked as newer, as when an operator goes back by one
// release. Messages, codes, and logins work, including those of the next release, and the next release continues with
// the stored data.
func TestUpgrade_ServesTheSchemaOfTheNextRelease(t *testing.T) {
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite": func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") }, "postgres": func(t *testing.T) string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := url(t)
			f := systemtest.NewRemoteGateway(t, false)
			key := "Authorization: Bearer " + systemtest.WithSenders(t, database, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
			s := systemtest.StartServeWith(t, database, "gateways:"+f.Settings("far", "sms"))
			o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
			tenant := systemtest.RunJSON[authverbs.Tenant](o, "tenants", "create", "--name", "Marché")
			client := systemtest.RunJSON[authverbs.Client](o, "clients", "create", "--tenant", tenant.ID, "--type", "CONFIDENTIAL", "--mode", "TEST", "--redirect", "https://app.example/cb")
			ids := map[string]string{}
			works := func(s *systemtest.Server, by string) {
				t.Helper()
				sent, err := systemtest.Call("POST", s.Api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"22376000001","message":%q,"idempotencyKey":%q}`, "by "+by, by), key)
				if err != nil || sent.Status != 200 && sent.Status != 202 { // its gateway might not be connected yet
					t.Fatalf("%s sends: %v %v\n%s", by, sent, err, s.Out)
				}
				ids[by] = sent.Text("messageId")
				for from, id := range ids {
					waittest.Until(t, func() error {
						if r, err := systemtest.Call("GET", s.Api+"/api/status/"+id, "", key); err != nil || r.Text("status") != "SENT" {
							return fmt.Errorf("%s shows the message of %s: %v, want it SENT: %w", by, from, r, errors.Join(err, systemtest.ErrNotYet))
						}
						return nil
					})
					again, err := systemtest.Call("POST", s.Api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"22376000001","message":%q,"idempotencyKey":%q}`, "by "+from, from), key)
					if err != nil || again.Status != 200 || again.Text("messageId") != id {
						t.Errorf("%s repeats the request of %s: %v %v, want the same message", by, from, again, err)
					}
				}
				asked, err := systemtest.Call("POST", s.Api+"/api/otp/send", `{"to":"22376000002","channel":"sms"}`, key)
				if err != nil || asked.Status != 200 {
					t.Fatalf("%s sends a code: %v %v", by, asked, err)
				}
				if r, err := systemtest.Call("POST", s.Api+"/api/otp/verify", fmt.Sprintf(`{"challengeId":%q,"code":%q}`, asked.Text("challengeId"), latestCode(f)), key); err != nil || r.Status != 200 || r.Body["valid"] != true {
					t.Errorf("%s verifies a code: %v %v", by, r, err)
				}
				if r := systemtest.SignIn(t, s.Auth, &client); r.Status != 201 || r.Text("token") == "" {
					t.Errorf("%s signs in: %v", by, r)
				}
			}
			ends := func(s *systemtest.Server) {
				t.Helper()
				systemtest.Must(t, s.Cmd.Process.Signal(syscall.SIGTERM))
				if err := systemtest.WaitExit(s.Cmd); err != nil {
					t.Errorf("it ended with %v\n%s", err, s.Out)
				}
			}
			works(s, "the next release")
			ends(s)
			change(t, database, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`)
			o.MustEnd(exit.CodeSchema, "a newer Griot has migrated it", "tenants", "list")
			s = s.StartWith(t, systemtest.Binary, "--newer-schema")
			works(s, "the release before")
			ends(s)
			s = s.StartWith(t, systemtest.Binary, "--newer-schema")
			works(s, "the next release again")
		})
	}
}

// A process drains and exits with the exit code of an unusable schema after a newer program has raised the schema's
// floor. After that, it no longer starts.
func TestUpgrade_EndsBelowTheFloor(t *testing.T) {
	t.Parallel()
	database := dbtest.PostgresURL(t)
	s := systemtest.StartServeWith(t, database, systemtest.MailGateway(1))
	o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
	change(t, database, `UPDATE schema_floor SET oldest = 99999`)
	var ended *exec.ExitError
	if err := systemtest.WaitExit(s.Cmd); !errors.As(err, &ended) || ended.ExitCode() != exit.CodeSchema || !strings.Contains(s.Out.String(), "griot is stopping") || !strings.Contains(s.Out.String(), "start the newer Griot") {
		t.Errorf("it ended with %v\n%s", err, s.Out)
	}
	o.MustEnd(exit.CodeSchema, "start the newer Griot", "tenants", "list")
}

// Every command that would use a database of release 0.1.0 refuses it with one sentence.
func TestUpgrade_RefusesADatabaseOfRelease010(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "griot.db")
	s := systemtest.StartServeWith(t, "sqlite:"+path, systemtest.MailGateway(1))
	o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
	stops(t, s)
	change(t, "sqlite:"+path, `UPDATE goose_db_version SET version_id = 15 WHERE version_id > 0`)
	o.MustEnd(exit.CodeSchema, "of Griot 0.1.0", "tenants", "list")
	for _, args := range [][]string{{"serve"}, {"migrate"}, {"restore", "--mark"}} {
		c := exec.CommandContext(t.Context(), systemtest.Binary, args...)
		c.Dir, c.Env = s.Cmd.Dir, s.Cmd.Env
		out, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != exit.CodeSchema || !strings.Contains(string(out), "db: the database is of Griot 0.1.0 or of an unreleased version") {
			t.Errorf("griot %v: %v\n%s", args, err, out)
		}
	}
}

// change executes a statement in the database of a running program.
func change(t *testing.T, url, statement string) {
	t.Helper()
	systemtest.Must(t, dbtest.Load(t, url, statement).Close())
}

// latestCode returns the one-time code of the latest message that has one.
func latestCode(f *systemtest.RemoteGateway) string {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	latest, code := "", ""
	for ref, text := range f.Texts {
		if found := regexp.MustCompile(`\b\d{6}\b`).FindString(text); found != "" && strings.Compare(ref, latest) > 0 {
			latest, code = ref, found
		}
	}
	return code
}
