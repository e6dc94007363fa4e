package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// griot runs the program in a server's folder, with its settings and perhaps another database.
func (s *server) griot(t *testing.T, database string, args ...string) (string, error) {
	t.Helper()
	c := s.command(database, args...)
	out, err := c.CombinedOutput()
	return string(out), err
}

func (s *server) command(database string, args ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), binary, args...)
	c.Dir, c.Env = s.cmd.Dir, s.cmd.Env
	if database != "" {
		c.Env = append(c.Env, "GRIOT_DATABASE="+database)
	}
	return c
}

// must runs griot, which must not fail.
func (s *server) must(t *testing.T, database string, args ...string) string {
	t.Helper()
	out, err := s.griot(t, database, args...)
	if err != nil {
		t.Fatalf("griot %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// cutOff starts griot and kills it once a path is there. It returns false where the command had ended before.
func (s *server) cutOff(t *testing.T, database, path string, args ...string) bool {
	t.Helper()
	c := s.command(database, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(path); err == nil {
			break
		}
	}
	_ = c.Process.Kill()
	return c.Wait() != nil
}

// A backup under load holds every message that was accepted before it began, and after a restore none of them is sent a
// second time: neither what had been sent, nor what was due or on its way when the backup was made.
func TestBackup_UnderLoadAndRestored(t *testing.T) {
	for name, by := range savings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			how := by(t)
			database := how.database(t)
			f := newRemoteGateway(t, false)
			key := withSenders(t, database, "unlimited", map[gateway.Channel]string{gateway.SMS: "sms"})
			s := startServeWith(t, database, "gateways:"+f.settings("sms", "sms"))
			load := startLoad(t, s.api, key, 32)
			var marking *exec.Cmd
			if name != "sqlite" { // a database that a server uses is not marked
				marking = s.command("", "restore", "--mark")
				must(t, marking.Start())
			}
			load.waitForStatus(200, 1000)
			how.begin(t, s)
			schedule := func(text string, in time.Duration) string {
				r, err := call("POST", s.api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"22376000009","message":%q,"scheduledAt":%q}`, text, time.Now().Add(in).UTC().Format(time.RFC3339)), "Authorization: Bearer "+key)
				if err != nil || r.status != 202 {
					t.Fatalf("scheduled: %v %v", r, err)
				}
				return r.text("messageId")
			}
			soon, later := schedule("soon", 3*time.Second), schedule("later", time.Hour)
			asked, err := call("POST", s.api+"/api/otp/send", `{"to":"22376000007","channel":"sms"}`, "Authorization: Bearer "+key)
			if err != nil || asked.status != 200 {
				t.Fatalf("a code: %v %v", asked, err)
			}
			load.mu.Lock()
			before := maps.Clone(load.accepted)
			load.mu.Unlock()
			began := time.Now()
			how.take(t, s)
			t.Logf("the backup took %v; %d messages were accepted before", time.Since(began), len(before))
			load.waitForStatus(200, 500)
			eventually(t, 20*time.Second, func() error {
				if sent, _ := f.delivered(); sent["soon"] != 1 {
					return errNotYet
				}
				return nil
			})
			if marking != nil && marking.Wait() == nil {
				t.Error("the database of a server that runs was marked as restored")
			}
			how.end(t)
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
			load.end()
			restored := how.restore(t, s)

			s.cmd.Env = append(s.cmd.Env, "GRIOT_DATABASE="+restored)
			s = s.again(t)
			if !strings.Contains(s.out.String(), "sending is paused") {
				t.Errorf("the log does not say that sending is paused: %s", s.out)
			}
			if r, err := call("GET", s.internal+"/readyz", ""); err != nil || r.status != 200 || !strings.Contains(r.raw, "sending is paused") {
				t.Errorf("/readyz: %v %v", r, err)
			}
			load.api = s.api
			codes, _ := f.delivered()
			code := regexp.MustCompile(`\b\d{6}\b`).FindString(strings.Join(slices.DeleteFunc(slices.Collect(maps.Keys(codes)), func(text string) bool { return strings.HasPrefix(text, "n ") }), " "))
			if r, err := call("POST", s.api+"/api/otp/verify", fmt.Sprintf(`{"challengeId":%q,"code":%q}`, asked.text("challengeId"), code), "Authorization: Bearer "+key); err != nil || r.status != 400 || r.text("code") != "expired" || code == "" {
				t.Errorf("the code %q from before: %v %v, want 400 expired", code, r, err)
			}
			status := map[string]int{}
			for text, id := range before {
				r, err := call("GET", s.api+"/api/status/"+id, "", "Authorization: Bearer "+key)
				if err != nil || r.status != 200 {
					t.Fatalf("%q was accepted before the backup, and is not in it: %v %v", text, r, err)
				}
				status[r.text("status")]++
			}
			t.Logf("restored: %v", status)
			r, err := call("POST", s.api+"/api/send", `{"channel":"sms","to":"22376000008","message":"after"}`, "Authorization: Bearer "+key)
			if err != nil || r.status != 202 || r.text("status") != "QUEUED" {
				t.Errorf("accepted while sending is paused: %v %v, want 202 QUEUED", r, err)
			}
			if out := s.must(t, "", "admin", "health"); !strings.Contains(out, "restored") {
				t.Errorf("admin health: %s", out)
			}
			s.must(t, "", "admin", "resume")
			eventually(t, 20*time.Second, func() error {
				if sent, _ := f.delivered(); sent["after"] != 1 {
					return errNotYet
				}
				return nil
			})
			sent, _ := f.delivered()
			for text, n := range sent {
				if n != 1 {
					t.Errorf("%q was sent %d times", text, n)
				}
			}
			for id, want := range map[string]string{soon: "FAILED", later: "SCHEDULED"} {
				if r, err := call("GET", s.api+"/api/status/"+id, "", "Authorization: Bearer "+key); err != nil || r.text("status") != want {
					t.Errorf("%s: %v %v, want %s", id, r, err, want)
				}
			}
		})
	}
}

// A database whose nodes can't be read is not marked: a server may use it.
func TestNoNodes_AnErrorIsNoAnswer(t *testing.T) {
	t.Parallel()
	d := dbtest.Postgres(t)
	if err := noNodes(t.Context(), d); err != nil {
		t.Errorf("without nodes: %v", err)
	}
	exec := func(text string) {
		t.Helper()
		must(t, d.Write(t.Context(), func(tx *db.Tx) error { _, err := tx.Exec(text); return err }))
	}
	exec(`ALTER TABLE nodes RENAME TO no_nodes`)
	if err := noNodes(t.Context(), d); err == nil {
		t.Error("nodes that can't be read were taken for none")
	}
}
