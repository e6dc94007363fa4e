package main

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// griot listen brings events to a program on this machine, whether the account has an endpoint or not.
func TestListen(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	h := newWebhookServer(t, func(n int, _ *http.Request) int { return []int{200, 500}[n%2] })
	key := p.Accounts.Free.LiveKey
	listen := exec.CommandContext(context.Background(), binary, "listen", "--url", p.BaseURL, "--forward-to", h.url)
	out := &safeBuffer{}
	listen.Stdout, listen.Stderr, listen.Env = out, out, append(environ(), "GRIOT_API_KEY="+key)
	if err := listen.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listen.Process.Kill(); _ = listen.Wait() })
	var secret string
	eventually(t, 10*time.Second, func() error {
		m := regexp.MustCompile(`whsec_\S+`).FindString(out.String())
		if secret = m; m == "" {
			return errNotYet
		}
		return nil
	})
	p.send(key, smsToAwa)
	p.send(key, smsToAwa)
	for _, d := range h.waitFor(t, 2) {
		v, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Verify([]byte(d.body), d.header); err != nil {
			t.Errorf("%s: %v", d.body, err)
		}
		eventually(t, 10*time.Second, func() error {
			if s := out.String(); !strings.Contains(s, d.header.Get("webhook-id")+"  ") || !strings.Contains(s, " +22376000001  200 OK  ") || !strings.Contains(s, "  500 Internal Server Error  ") {
				return fmt.Errorf("the output is %s", out)
			}
			return nil
		})
	}
	fresh := runJSON[struct{ Secret string }](p.operator(), "webhooks", "rotate-stream-secret", "--account", "free@griot.example").Secret
	eventually(t, 10*time.Second, func() error {
		if fresh == secret || !strings.Contains(out.String(), fresh) {
			return fmt.Errorf("after the rotation to %q the output is %s", fresh, out)
		}
		return nil
	})
	if err := listen.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if err := waitExit(listen); err != nil {
		t.Errorf("it ended with %v: %s", err, out)
	}
	for _, args := range [][]string{{"listen", "--forward-to", h.url, "--url", p.BaseURL}, {"listen", "--forward-to", "localhost:3000"}} {
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Env = append(environ(), "GRIOT_API_KEY=svc_live_nonsense")
		if out, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(out), "nonsense") {
			t.Errorf("%v: %s", args, out)
		}
	}
}
