package operate_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// An operator suspends an account while a call of its gateway is in progress and another message waits. The server is
// killed and restarted before the account is resumed.
func TestSuspended_OverAKill(t *testing.T) {
	t.Parallel()
	f := systemtest.NewRemoteGateway(t, true)
	f.Hangs = make(chan struct{})
	database, masterKey := "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), seal.NewMasterKey()
	key := systemtest.WithSenders(t, database, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
	start := func() (*systemtest.Server, *systemtest.Operator) {
		s := systemtest.StartNode(t, database, "gateways:"+f.Settings("far", "sms"), masterKey)
		return s, &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
	}
	s, o := start()
	systemtest.WaitUntilConnected(t, s.Api, key)
	send := func(text, idempotencyKey string) *systemtest.Reply {
		t.Helper()
		r, err := systemtest.Call("POST", s.Api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"22376000001","message":%q,"idempotencyKey":%q}`, text, idempotencyKey), "Authorization: Bearer "+key)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first, second := send("hang", "a"), send("second", "b")
	if first.Status != 202 || second.Status != 202 {
		t.Fatalf("%d %s, %d %s; want both accepted", first.Status, first.Raw, second.Status, second.Raw)
	}
	const account = "boutique@example.com"
	if a := systemtest.RunJSON[messagingverbs.Account](o, "accounts", "suspend", account, "--reason", "Spam reports.", "--json"); a.SuspendedAt == nil || a.SuspendedFor != "Spam reports." {
		t.Fatalf("%+v, want it suspended", a)
	}
	status := func(r *systemtest.Reply) string {
		t.Helper()
		return systemtest.RunJSON[messagingverbs.Message](o, "messages", "show", r.Text("messageId"), "--json").Status
	}
	becomes := func(r *systemtest.Reply, want string) {
		t.Helper()
		waittest.Until(t, func() error {
			if got := status(r); got != want {
				return fmt.Errorf("%s, want %s: %w", got, want, systemtest.ErrNotYet)
			}
			return nil
		})
	}
	close(f.Hangs)
	becomes(first, "SENT") // the call in progress ends
	refused := func(when string) {
		t.Helper()
		if r := send("third", "c"); r.Status != 403 || r.Text("code") != "account_suspended" {
			t.Errorf("%s: %d %s, want 403 account_suspended", when, r.Status, r.Raw)
		}
		if r := send("hang", "a"); r.Status != 200 || r.Text("messageId") != first.Text("messageId") {
			t.Errorf("%s, repeated: %d %s, want the message", when, r.Status, r.Raw)
		}
		if got := status(second); got != "QUEUED" {
			t.Errorf("%s: the message that waits is %s, want QUEUED", when, got)
		}
	}
	refused("suspended")
	if err := s.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.Cmd.Wait()
	s, o = start()
	refused("started again")
	o.MustFail("The reason must have 1 to 300 visible characters", "accounts", "suspend", account, "--reason", " ")
	if out := o.Run("accounts", "show", account); !strings.Contains(out, "Spam reports.") {
		t.Errorf("the account is shown as\n%s", out)
	}
	o.Run("accounts", "resume", account)
	becomes(second, "SENT")
	if r := send("third", "c"); r.Status != 200 {
		t.Errorf("after the suspension: %d %s", r.Status, r.Raw)
	}
}
