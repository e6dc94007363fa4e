package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
)

func TestCLI_ExitCodesShowTheStatus(t *testing.T) {
	p := startDev(t, t.TempDir(), "--phones", "memory")
	o := p.at(p.Accounts.Business.LiveKey)
	sms := []string{"send", "--to", "22376000001", "--channel", "sms"}

	o.run(1, "invalid_phone", "send", "--to", "12", "--channel", "sms", "x")
	o.run(1, "message_not_found", "status", "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D")
	p.at("svc_live_nobody").run(1, "unauthorized", append(sms, "x")...)
	p.at(p.Accounts.Disconnected.LiveKey).run(1, "gateway_not_connected", append(sms, "x")...)

	p.call("PUT", p.BaseURL+"/dev/faults/sms", `{"outcome":"unreachable","count":2}`)
	id := messageIn(t, o.run(exitFailed, "provider_error", append(sms, "x")...))
	if s := o.runJSON(exitFailed, "the message has failed: virtual_unreachable", "status", id); s["status"] != "FAILED" {
		t.Errorf("got %v, want FAILED", s)
	}
	if s := o.runJSON(exitFailed, "provider_error", append(sms, "--idempotency-key", "k", "x")...); s["status"] != "FAILED" || s["messageId"] == nil {
		t.Errorf("got %v, want FAILED, with the message's id", s)
	}
	o.run(exitFailed, "message_failed", append(sms, "--idempotency-key", "k", "x")...)

	// No answer: the message may have been sent, and a repeat under the same key sends it once.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	o.run(1, "--idempotency-key griot-go-", append(sms, "--url", "http://"+l.Addr().String(), "x")...)
}

func TestCLI_UsageErrors(t *testing.T) {
	o := &terminal{t: t, dir: t.TempDir(), env: []string{"GRIOT_API_KEY=svc_live_x", "GRIOT_API_URL=http://127.0.0.1:9"}}
	to := func(args ...string) []string { return append([]string{"send", "--to", "22376000001"}, args...) }
	for want, args := range map[string][]string{
		"--to is missing":            {"send", "x"},
		"nothing to send":            to(),
		"one text":                   to("a", "b"),
		"unknown flag":               to("--bogus", "x"),
		"invalid argument":           to("--wait=soon", "x"),
		"--schedule is a time":       to("--schedule", "tomorrow", "x"),
		"--expires is a time":        to("--expires", "-2h", "x"),
		"--retry is how many":        to("--retry=0", "x"),
		"--var is NAME=VALUE":        to("--preset", "otp", "--var", "code"),
		"--metadata is NAME=VALUE":   to("--metadata", "order", "x"),
		"only one thing":             to("--preset", "otp", "--var", "code=-", "-"),
		"--html-file: open":          to("--html-file", "none.html", "x"),
		"whole seconds":              to("--fallback-after", "1500ms", "x"),
		"exactly one MESSAGE":        {"status"},
		"takes flags only":           {"logs", "x"},
		"--limit is at least 1":      {"logs", "--limit", "0"},
		"--since is a time":          {"logs", "--since", "x"},
		"leave out --url":            {"logs", "--data", "d", "--url", "http://127.0.0.1:9"},
		"has griot dev run with it?": {"logs", "--data", "d"},
		"the base URL must be":       {"logs", "--url", "ftp://x"},
	} {
		o.run(exitUsage, want, args...)
	}
	o.env = []string{"GRIOT_API_KEY=a b"}
	o.run(exitUsage, "the key is empty, or holds characters", "logs")
	o.env = []string{"GRIOT_API_KEY_FILE=" + filepath.Join(o.dir, "none")}
	o.run(exitUsage, "GRIOT_API_KEY_FILE", "logs")
	o.env = nil
	o.run(exitUsage, "no API key", "logs")
	if err := os.MkdirAll(filepath.Join(o.dir, devFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.dir, devFolder, devFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.run(exitUsage, "--data griot-data", "logs")
}

// The members that a send can have, and where the key and the address come from.
func TestCLI_OnTheWire(t *testing.T) {
	var mu sync.Mutex
	var last string
	answer := `{"success":true,"dryRun":true,"segments":1}`
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		last = r.Header.Get("Authorization") + " " + regexp.MustCompile(`,"idempotencyKey":"griot-go-[A-Z0-9]+"`).ReplaceAllString(string(b), "")
		_, _ = io.WriteString(w, answer)
	}))
	got := func() string {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
	answers := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		answer = s
	}
	defer service.Close()
	o := &terminal{t: t, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(o.dir, "key"), []byte(" svc_live_file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.env = []string{"GRIOT_API_KEY_FILE=" + filepath.Join(o.dir, "key")}
	dry := o.run(0, "", "send", "--url", service.URL, "--to", "22376000001", "--email", "awa@example.com", "--fallback-after", "30s", "--retry", "--dry-run", "--media", "https://files.example.com/a.png", "--json",
		"--caption", "Une image", "--group", "1@g.us", "--schedule", "2026-03-01T08:00:00+01:00")
	want := `Bearer svc_live_file {"to":"22376000001","channel":"auto","mediaUrl":"https://files.example.com/a.png","caption":"Une image","groupId":"1@g.us",` +
		`"scheduledAt":"2026-03-01T08:00:00+01:00","email":"awa@example.com","fallbackAfter":30,"retry":true,"dryRun":true}`
	if got() != want || !strings.Contains(dry, `"segments": 1`) {
		t.Errorf("%s\nwant %s\n%s", got(), want, dry)
	}
	forms := filepath.Join(o.dir, "forms.json")
	withForms := func(code int, stderr, text string) {
		if err := os.WriteFile(forms, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o.run(code, stderr, "send", "--url", service.URL, "--to", "22376000001", "--dry-run", "--whatsapp-file", forms, "x")
	}
	withForms(2, "--whatsapp-file", `{"buttons":[]}`)
	withForms(2, "--whatsapp-file", `{`)
	withForms(0, "", `{"interactive":{"link":{"title":"Suivre","url":"https://example.com"}}}`)
	if want := `"message":"x","whatsapp":{"interactive":{"link":{"title":"Suivre","url":"https://example.com"}}},"dryRun":true}`; !strings.HasSuffix(got(), want) {
		t.Errorf("%s\nwant …%s", got(), want)
	}
	o.run(2, "whatsapp-file", "send", "--url", service.URL, "--to", "22376000001", "--whatsapp-file", filepath.Join(o.dir, "none"), "x")
	answers(`{"success":true,"messageId":"msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D","status":"SENT"}`)
	o.env = append(o.env, "GRIOT_API_KEY=svc_live_env", "GRIOT_API_URL="+service.URL)
	o.run(1, "knows no dry runs", "send", "--to", "22376000001", "--channel", "sms", "--dry-run", "x")
	o.run(0, "", "send", "--to", "22376000001", "--channel", "sms", "--retry=5", "x")
	if want := `Bearer svc_live_env {"to":"22376000001","channel":"sms","message":"x","retry":{"maxAttempts":5}}`; got() != want {
		t.Errorf("%s\nwant %s", got(), want)
	}
	o.run(0, "griot: note: everyone on this machine can read arguments", "send", "--to", "22376000001", "--channel", "sms", "--sensitive", "x")
	o.in = "secret"
	o.run(0, "", "send", "--to", "22376000001", "--channel", "sms", "--sensitive", "-")
	if !strings.Contains(got(), `"message":"secret","sensitive":true`) {
		t.Errorf("got %s, want the text of standard input, sensitive", got())
	}
}

// docs/cli.md has every flag and every exit code.
func TestCLI_Docs(t *testing.T) {
	b, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*cobra.Command{sendCommand(), statusCommand(), logsCommand()} {
		flags := regexp.MustCompile(`(?m)^ +--[a-z-]+`).FindAllString(c.Flags().FlagUsages(), -1)
		if len(flags) < 4 {
			t.Errorf("griot %s: flags %v", c.Name(), flags)
		}
		for _, f := range flags {
			if !bytes.Contains(b, []byte("`"+strings.TrimSpace(f))) {
				t.Errorf("griot %s %s is not in docs/cli.md", c.Name(), f)
			}
		}
		if !bytes.Contains(b, []byte("griot "+c.Name())) {
			t.Errorf("griot %s is not in docs/cli.md", c.Name())
		}
	}
	for _, code := range []int{0, 1, exitUsage, exitFailed, exitPending} {
		if !bytes.Contains(b, fmt.Appendf(nil, "| %d |", code)) {
			t.Errorf("exit code %d is not in docs/cli.md", code)
		}
	}
}
