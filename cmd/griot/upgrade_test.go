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
	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// releaseBefore is the tag of the latest release.
const releaseBefore = "v0.1.0"

// released builds the release before from its tag.
func released(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	line := fmt.Sprintf("git -C ../.. archive --format=tar %s | tar -x -C %s && cd %s && go build -o griot-released ./cmd/griot", releaseBefore, dir, dir)
	if out, err := exec.CommandContext(t.Context(), "bash", "-o", "pipefail", "-c", line).CombinedOutput(); err != nil {
		t.Fatalf("the release before can't be built; it needs the repository with the tag %s (git fetch --tags): %v\n%s", releaseBefore, err, out)
	}
	return filepath.Join(dir, "griot-released")
}

// A release serves on the schema of the next one: messages, codes and logins work, those of the next one too, and the next one
// goes on with what it has stored. The suite looks at this program on a schema that says it is newer, with --newer-schema as one
// goes back; make test-long at the release before, which has no such flag, on the schema of this program.
func TestUpgrade_ServesTheSchemaOfTheNextRelease(t *testing.T) {
	older, flags := binary, []string{"--newer-schema"}
	if long() {
		older, flags = released(t), nil
	}
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
			if !long() {
				markNewer(t, database)
				o.mustEnd(exitNewer, "a newer Griot has migrated it", "tenants", "list")
			}
			s = s.by(t, older, flags...)
			works(s, "the release before")
			ends(s)
			s = s.by(t, binary, flags...)
			works(s, "the next release again")
		})
	}
}

// markNewer says of a database that a newer program has migrated it.
func markNewer(t *testing.T, url string) {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	must(t, err)
	defer func() { _ = d.Close() }()
	must(t, d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`)
		return err
	}))
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
