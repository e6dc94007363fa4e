package command_test

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// griot listen forwards events to a program on this machine, whether or not the account has an endpoint.
func TestListen(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	h := systemtest.NewWebhookServer(t, func(n int, _ *http.Request) int { return []int{200, 500}[n%2] })
	key := p.Accounts.Free.LiveKey
	listen := exec.CommandContext(context.Background(), systemtest.Binary, "listen", "--url", p.BaseURL, "--forward-to", h.Url)
	out := &systemtest.Buffer{}
	listen.Stdout, listen.Stderr, listen.Env = out, out, append(systemtest.Environ(), "GRIOT_API_KEY="+key)
	if err := listen.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listen.Process.Kill(); _ = listen.Wait() })
	var secret string
	waittest.Until(t, func() error {
		m := regexp.MustCompile(`whsec_\S+`).FindString(out.String())
		if secret = m; m == "" {
			return systemtest.ErrNotYet
		}
		return nil
	})
	p.Send(key, systemtest.SmsToAwa)
	p.Send(key, systemtest.SmsToAwa)
	for _, d := range h.WaitFor(t, 2) {
		v, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Verify([]byte(d.Body), d.Header); err != nil {
			t.Errorf("%s: %v", d.Body, err)
		}
		waittest.Until(t, func() error {
			if s := out.String(); !strings.Contains(s, d.Header.Get("webhook-id")+"  ") || !strings.Contains(s, " +22376000001  200 OK  ") || !strings.Contains(s, "  500 Internal Server Error  ") {
				return fmt.Errorf("the output is %s", out)
			}
			return nil
		})
	}
	fresh := systemtest.RunJSON[struct{ Secret string }](p.Operator(), "webhooks", "rotate-stream-secret", "--account", "free@griot.example").Secret
	waittest.Until(t, func() error {
		if fresh == secret || !strings.Contains(out.String(), fresh) {
			return fmt.Errorf("after the rotation to %q the output is %s", fresh, out)
		}
		return nil
	})
	if err := listen.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if err := systemtest.WaitExit(listen); err != nil {
		t.Errorf("it ended with %v: %s", err, out)
	}
	for _, args := range [][]string{{"listen", "--forward-to", h.Url, "--url", p.BaseURL}, {"listen", "--forward-to", "localhost:3000"}} {
		cmd := exec.CommandContext(t.Context(), systemtest.Binary, args...)
		cmd.Env = append(systemtest.Environ(), "GRIOT_API_KEY=svc_live_nonsense")
		if out, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(out), "nonsense") {
			t.Errorf("%v: %s", args, out)
		}
	}
}
