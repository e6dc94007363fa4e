package command_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// followed is a running `griot admin audit --follow --json`.
type followed struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
}

func follow(o *systemtest.Operator) *followed {
	o.T.Helper()
	f := &followed{t: o.T, cmd: exec.CommandContext(o.T.Context(), systemtest.Binary, "admin", "audit", "--follow", "--json"), lines: make(chan string, 100)}
	f.cmd.Dir, f.cmd.Env, f.cmd.Stderr = o.Dir, append(systemtest.Environ(), o.Env...), os.Stderr
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		o.T.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		o.T.Fatal(err)
	}
	go func() {
		defer close(f.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			f.lines <- s.Text()
		}
	}()
	return f
}

// next waits for the next event.
func (f *followed) next() messagingverbs.AuditEvent {
	f.t.Helper()
	select {
	case line := <-f.lines:
		var e messagingverbs.AuditEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			f.t.Fatalf("%v: %q", err, line)
		}
		return e
	case <-time.After(20 * time.Second):
		f.t.Fatal("no event came")
		return messagingverbs.AuditEvent{}
	}
}

func TestAdminAudit_ShowsAndFollowsWhatOperatorsDo(t *testing.T) {
	t.Parallel()
	_, port := systemtest.StartRelay(t)
	s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), systemtest.MailGateway(port))
	o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
	a := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
	key := systemtest.RunJSON[messagingverbs.Key](o, "api-keys", "create", "--account", a.ID)
	f := follow(o)
	for _, want := range []string{"account.created", "key.created"} {
		if e := f.next(); e.Action != want || e.AccountID != a.ID || e.Actor != "operator" {
			t.Errorf("got %+v, want %s of %s", e, want, a.ID)
		}
	}
	o.Run("plans", "set", "free", "--daily-limit", "77")
	if e := f.next(); e.Action != "plan.changed" || e.Target != "free" || e.Details["dailyLimit"] != "77" || e.AccountID != "" {
		t.Errorf("got %+v, want the change of the plan free", e)
	}
	file := filepath.Join(t.TempDir(), "settings")
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"host": "127.0.0.1", "port": %d, "tls": "none", "username": "awa", "password": "hunter2", "allow_plaintext": true}`, port), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Run("gateways", "add", "post", "--kind", "smtp", "--settings", file)
	if e := f.next(); e.Action != "gateway.added" || e.Target != "post" || e.Details["kind"] != "smtp" {
		t.Errorf("got %+v, want the new gateway", e)
	}
	o.Run("accounts", "set", a.ID, "--plan", "pro")
	if e := f.next(); e.Action != "account.changed" || e.Details["plan"] != "pro" || e.AccountID != a.ID {
		t.Errorf("got %+v, want the change of the account", e)
	}
	if err := f.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for line := range f.lines {
		t.Errorf("another line: %s", line)
	}
	if err := f.cmd.Wait(); err != nil {
		t.Errorf("interrupted: %v", err)
	}

	page := systemtest.RunJSON[messagingverbs.AuditPage](o, "audit", "--account", "awa@example.com", "--action", "account.")
	if len(page.Events) != 2 || page.Events[0].Action != "account.changed" || page.Next != "" {
		t.Errorf("the account's: %+v", page)
	}
	shown := o.Run("audit", "--limit", "2")
	if rows := strings.Split(strings.TrimSpace(shown), "\n"); len(rows) != 3 || !strings.Contains(rows[1], "account.changed") || !strings.Contains(rows[1], "plan=pro") {
		t.Errorf("shown:\n%s", shown)
	}
	all := o.Run("audit", "--json", "--limit", "1000")
	for _, secret := range []string{key.Key, "hunter2"} {
		if strings.Contains(all, secret) {
			t.Errorf("the log has %s", secret)
		}
	}
	o.MustFail("The action must be", "audit", "--action", "Key!")
	if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = s.Cmd.Wait()
	if page := systemtest.RunJSON[messagingverbs.AuditPage](o, "audit"); len(page.Events) != 5 { // on the database
		t.Errorf("without a server: %+v", page)
	}
	o.MustFail("no server listens there", "audit", "--follow")
}
