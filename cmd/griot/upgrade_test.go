package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/gateway"
	"example.com/griot/internal/db/dbtest"
)

// A program serves on a schema that says it is newer, with --newer-schema, as an operator goes back by one release: messages, codes
// and logins work, those of the next release too, and the next release goes on with what it has stored.
func TestUpgrade_ServesTheSchemaOfTheNextRelease(t *testing.T) {
	for name, url := range map[string]func(t *testing.T) string{
		"sqlite": func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") }, "postgres": func(t *testing.T) string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := url(t)
			f := newRemoteGateway(t, false)
			key := "Authorization: Bearer " + withSenders(t, database, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
			s := startServeWith(t, database, "gateways:"+f.settings("far", "sms"))
			o := &operator{t: t, dir: s.cmd.Dir, env: s.cmd.Env}
			tenant := runJSON[authadmin.Tenant](o, "tenants", "create", "--name", "Marché")
			client := runJSON[authadmin.Client](o, "clients", "create", "--tenant", tenant.ID, "--type", "CONFIDENTIAL", "--mode", "TEST", "--redirect", "https://app.example/cb")
			ids := map[string]string{}
			works := func(s *server, by string) {
				t.Helper()
				sent, err := call("POST", s.api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"22376000001","message":%q,"idempotencyKey":%q}`, "by "+by, by), key)
				if err != nil || sent.status != 200 && sent.status != 202 { // its gateway may not be connected yet
					t.Fatalf("%s sends: %v %v\n%s", by, sent, err, s.out)
				}
				ids[by] = sent.text("messageId")
				for from, id := range ids {
					eventually(t, 20*time.Second, func() error {
						if r, err := call("GET", s.api+"/api/status/"+id, "", key); err != nil || r.text("status") != "SENT" {
							return fmt.Errorf("%s shows the message of %s: %v, want it SENT: %w", by, from, r, errors.Join(err, errNotYet))
						}
						return nil
					})
					again, err := call("POST", s.api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"22376000001","message":%q,"idempotencyKey":%q}`, "by "+from, from), key)
					if err != nil || again.status != 200 || again.text("messageId") != id {
						t.Errorf("%s repeats the request of %s: %v %v, want the same message", by, from, again, err)
					}
				}
				asked, err := call("POST", s.api+"/api/otp/send", `{"to":"22376000002","channel":"sms"}`, key)
				if err != nil || asked.status != 200 {
					t.Fatalf("%s sends a code: %v %v", by, asked, err)
				}
				if r, err := call("POST", s.api+"/api/otp/verify", fmt.Sprintf(`{"challengeId":%q,"code":%q}`, asked.text("challengeId"), f.latestCode()), key); err != nil || r.status != 200 || r.body["valid"] != true {
					t.Errorf("%s verifies a code: %v %v", by, r, err)
				}
				if r := signIn(t, s.auth, &client); r.status != 201 || r.text("token") == "" {
					t.Errorf("%s signs in: %v", by, r)
				}
			}
			ends := func(s *server) {
				t.Helper()
				must(t, s.cmd.Process.Signal(syscall.SIGTERM))
				if err := waitExit(s.cmd); err != nil {
					t.Errorf("it ended with %v\n%s", err, s.out)
				}
			}
			works(s, "the next release")
			ends(s)
			change(t, database, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`)
			o.mustEnd(exit.CodeSchema, "a newer Griot has migrated it", "tenants", "list")
			s = s.by(t, binary, "--newer-schema")
			works(s, "the release before")
			ends(s)
			s = s.by(t, binary, "--newer-schema")
			works(s, "the next release again")
		})
	}
}

// A process drains and ends with the exit code of a schema that it can't use, once a newer program has raised the schema's floor.
// Then it doesn't start any more.
func TestUpgrade_EndsBelowTheFloor(t *testing.T) {
	t.Parallel()
	database := dbtest.PostgresURL(t)
	s := startServeWith(t, database, mailGateway(1))
	o := &operator{t: t, dir: s.cmd.Dir, env: s.cmd.Env}
	change(t, database, `UPDATE schema_floor SET oldest = 99999`)
	var ended *exec.ExitError
	if err := waitExit(s.cmd); !errors.As(err, &ended) || ended.ExitCode() != exit.CodeSchema || !strings.Contains(s.out.String(), "griot is stopping") || !strings.Contains(s.out.String(), "start the newer Griot") {
		t.Errorf("it ended with %v\n%s", err, s.out)
	}
	o.mustEnd(exit.CodeSchema, "start the newer Griot", "tenants", "list")
}

// A database of release 0.1.0 is refused in one sentence by everything that would use it.
func TestUpgrade_RefusesADatabaseOfRelease010(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "griot.db")
	s := startServeWith(t, "sqlite:"+path, mailGateway(1))
	o := &operator{t: t, dir: s.cmd.Dir, env: s.cmd.Env}
	stops(t, s)
	change(t, "sqlite:"+path, `UPDATE goose_db_version SET version_id = 15 WHERE version_id > 0`)
	o.mustEnd(exit.CodeSchema, "of Griot 0.1.0", "tenants", "list")
	for _, args := range [][]string{{"serve"}, {"migrate"}, {"restore", "--mark"}} {
		c := exec.CommandContext(t.Context(), binary, args...)
		c.Dir, c.Env = s.cmd.Dir, s.cmd.Env
		out, err := c.CombinedOutput()
		if c.ProcessState.ExitCode() != exit.CodeSchema || !strings.Contains(string(out), "db: the database is of Griot 0.1.0 or of an unreleased version") {
			t.Errorf("griot %v: %v\n%s", args, err, out)
		}
	}
}

// change executes a statement in a database that a program has migrated, beside it.
func change(t *testing.T, url, statement string) {
	t.Helper()
	must(t, dbtest.Load(t, url, statement).Close())
}

// latestCode returns the one-time code of the latest message that has one.
func (f *remoteGateway) latestCode() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	latest, code := "", ""
	for ref, text := range f.texts {
		if found := regexp.MustCompile(`\b\d{6}\b`).FindString(text); found != "" && strings.Compare(ref, latest) > 0 {
			latest, code = ref, found
		}
	}
	return code
}
