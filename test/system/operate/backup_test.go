package operate_test

import (
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
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// cutOff starts griot and kills it as soon as a path exists. It returns false if the command had ended before.
func cutOff(s *systemtest.Server, t *testing.T, database, path string, args ...string) bool {
	t.Helper()
	c := s.Command(database, args...)
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

// A backup under load contains every message that was accepted before its start. After a restore, none of them is sent
// a second time: neither sent messages, nor those that were due or in flight during the backup.
func TestBackup_UnderLoadAndRestored(t *testing.T) {
	for name, by := range savings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			how := by(t)
			database := how.database(t)
			f := systemtest.NewRemoteGateway(t, false)
			key := systemtest.WithSenders(t, database, "unlimited", map[gateway.Channel]string{gateway.SMS: "sms"})
			s := systemtest.StartServeWith(t, database, "gateways:"+f.Settings("sms", "sms"))
			load := systemtest.StartLoad(t, s.Api, key, 32)
			var marking *exec.Cmd
			if name != "sqlite" { // a database that a server uses is not marked
				marking = s.Command("", "restore", "--mark")
				systemtest.Must(t, marking.Start())
			}
			load.WaitForStatus(200, 1000)
			how.begin(t, s)
			schedule := func(text string, in time.Duration) string {
				r, err := systemtest.Call("POST", s.Api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"22376000009","message":%q,"scheduledAt":%q}`, text, time.Now().Add(in).UTC().Format(time.RFC3339)), "Authorization: Bearer "+key)
				if err != nil || r.Status != 202 {
					t.Fatalf("scheduled: %v %v", r, err)
				}
				return r.Text("messageId")
			}
			due := time.Now().Add(10 * time.Second)
			soon, later := schedule("soon", time.Until(due)), schedule("later", time.Hour)
			asked, err := systemtest.Call("POST", s.Api+"/api/otp/send", `{"to":"22376000007","channel":"sms"}`, "Authorization: Bearer "+key)
			if err != nil || asked.Status != 200 {
				t.Fatalf("a code: %v %v", asked, err)
			}
			load.Mu.Lock()
			before := maps.Clone(load.Accepted)
			load.Mu.Unlock()
			began := time.Now()
			how.take(t, s)
			t.Logf("the backup took %v; %d messages were accepted before", time.Since(began), len(before))
			wantSoon := "FAILED"
			if time.Now().After(due.Add(-time.Second)) { // times have whole seconds: it might have been sent before the snapshot
				wantSoon = "FAILED or SENT"
			}
			load.WaitForStatus(200, 500)
			waittest.Until(t, func() error {
				if sent, _ := f.Delivered(); sent["soon"] != 1 {
					return systemtest.ErrNotYet
				}
				return nil
			})
			if marking != nil && marking.Wait() == nil {
				t.Error("the database of a server that runs was marked as restored")
			}
			how.end(t)
			_ = s.Cmd.Process.Kill()
			_ = s.Cmd.Wait()
			load.End()
			restored := how.restore(t, s)

			s.Cmd.Env = append(s.Cmd.Env, "GRIOT_DATABASE="+restored)
			s = s.Restart(t)
			if !strings.Contains(s.Out.String(), "sending is paused") {
				t.Errorf("the log does not say that sending is paused: %s", s.Out)
			}
			if r, err := systemtest.Call("GET", s.Internal+"/readyz", ""); err != nil || r.Status != 200 || !strings.Contains(r.Raw, "sending is paused") {
				t.Errorf("/readyz: %v %v", r, err)
			}
			load.Api = s.Api
			codes, _ := f.Delivered()
			code := regexp.MustCompile(`\b\d{6}\b`).FindString(strings.Join(slices.DeleteFunc(slices.Collect(maps.Keys(codes)), func(text string) bool { return strings.HasPrefix(text, "n ") }), " "))
			if r, err := systemtest.Call("POST", s.Api+"/api/otp/verify", fmt.Sprintf(`{"challengeId":%q,"code":%q}`, asked.Text("challengeId"), code), "Authorization: Bearer "+key); err != nil || r.Status != 400 || r.Text("code") != "expired" || code == "" {
				t.Errorf("the code %q from before: %v %v, want 400 expired", code, r, err)
			}
			status := map[string]int{}
			for text, id := range before {
				r, err := systemtest.Call("GET", s.Api+"/api/status/"+id, "", "Authorization: Bearer "+key)
				if err != nil || r.Status != 200 {
					t.Fatalf("%q was accepted before the backup, and is not in it: %v %v", text, r, err)
				}
				status[r.Text("status")]++
			}
			t.Logf("restored: %v", status)
			r, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"sms","to":"22376000008","message":"after"}`, "Authorization: Bearer "+key)
			if err != nil || r.Status != 202 || r.Text("status") != "QUEUED" {
				t.Errorf("accepted while sending is paused: %v %v, want 202 QUEUED", r, err)
			}
			if out := s.Must(t, "", "admin", "health"); !strings.Contains(out, "restored") {
				t.Errorf("admin health: %s", out)
			}
			s.Must(t, "", "admin", "resume")
			waittest.Until(t, func() error {
				if sent, _ := f.Delivered(); sent["after"] != 1 {
					return systemtest.ErrNotYet
				}
				return nil
			})
			sent, _ := f.Delivered()
			for text, n := range sent {
				if n != 1 {
					t.Errorf("%q was sent %d times", text, n)
				}
			}
			for id, want := range map[string]string{soon: wantSoon, later: "SCHEDULED"} {
				if r, err := systemtest.Call("GET", s.Api+"/api/status/"+id, "", "Authorization: Bearer "+key); err != nil || !slices.Contains(strings.Split(want, " or "), r.Text("status")) {
					t.Errorf("%s: %v %v, want %s", id, r, err, want)
				}
			}
		})
	}
}
