package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// terminal runs griot as a person at a terminal does.
type terminal struct {
	t   *testing.T
	dir string
	env []string
	in  string // what is typed
}

// at returns a terminal whose environment has the address and a key.
func (p *process) at(key string) *terminal {
	return &terminal{t: p.t, dir: p.t.TempDir(), env: []string{"GRIOT_API_URL=" + p.BaseURL, "GRIOT_API_KEY=" + key}}
}

func (o *terminal) command(args ...string) (cmd *exec.Cmd, stdout, stderr *safeBuffer) {
	cmd = exec.CommandContext(context.Background(), binary, args...)
	stdout, stderr = &safeBuffer{}, &safeBuffer{}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = o.dir, strings.NewReader(o.in), stdout, stderr
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GRIOT_API") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, o.env...)
	return cmd, stdout, stderr
}

func (o *terminal) try(args ...string) (stdout, stderr string, code int) {
	o.t.Helper()
	cmd, out, errs := o.command(args...)
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		o.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// run runs a command that must end with a code, with want on standard error ("": nothing).
func (o *terminal) run(code int, want string, args ...string) string {
	o.t.Helper()
	stdout, stderr, got := o.try(args...)
	asWanted := stderr == "" && want == "" || want != "" && strings.HasPrefix(stderr, "griot: ") && strings.Count(stderr, "\n") == 1 && strings.Contains(stderr, want)
	if got != code || !asWanted {
		o.t.Errorf("%v: exit %d, stdout %q, stderr %q; want %d and %q", args, got, stdout, stderr, code, want)
	}
	return stdout
}

// runJSON runs a command with --json that must end with a code, and decodes its output.
func (o *terminal) runJSON(code int, want string, args ...string) map[string]any {
	o.t.Helper()
	var out map[string]any
	s := o.run(code, want, append(args, "--json")...)
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		o.t.Fatalf("%v: %v\n%s", args, err, s)
	}
	return out
}

func messageIn(t *testing.T, s string) string {
	t.Helper()
	id := regexp.MustCompile(`(msg|sb)_[0-9A-Z]{26}`).FindString(s)
	if id == "" {
		t.Fatalf("no message in %q", s)
	}
	return id
}

func TestCLI_Metadata(t *testing.T) {
	p := startDev(t, t.TempDir(), "--phones", "memory")
	o := p.at(p.Accounts.Business.LiveKey)
	other := messageIn(t, o.run(0, "", "send", "--to", "+22376000001", "--channel", "sms", "x"))
	noted := messageIn(t, o.run(0, "", "send", "--to", "+22376000002", "--channel", "sms", "--metadata", "order=42", "--metadata", "shop=", "x"))
	// The columns are wider once it is delivered.
	if s := o.run(0, "", "status", noted); !regexp.MustCompile(`(?m)^to +\+22376000002$(.|\n)*^metadata +order=42$`).MatchString(s) {
		t.Errorf("got %s, want the number and the metadata", s)
	}
	if s := o.run(0, "", "logs", "--json", "--metadata", "order=42"); !strings.Contains(s, `"source":"cli"`) {
		t.Errorf("got %s, want the source cli", s)
	}
	if s := o.run(0, "", "logs", "--metadata", "order=42"); !strings.Contains(s, noted) || strings.Contains(s, other) {
		t.Errorf("got %s, want %s and not %s", s, noted, other)
	}
}

func TestCLI_SendAndStatus(t *testing.T) {
	dir := t.TempDir()
	p := startDev(t, dir, "--phones", "memory")
	o := p.at(p.Accounts.Business.LiveKey)

	out := o.run(0, "", "send", "--to", "+22376000001", "--channel", "whatsapp", "Bonjour Awa !")
	id := messageIn(t, out)
	if !strings.Contains(out, "status   SENT\n") || !strings.Contains(out, "used     1 of 50000 today\n") {
		t.Errorf("%s", out)
	}
	if got := p.phone("22376000001"); len(got) != 1 || got[0].Text != "Bonjour Awa !" || got[0].Reference != id {
		t.Fatalf("the phone has %+v", got)
	}
	eventually(t, 10*time.Second, func() error {
		if s := o.run(0, "", "status", id); !strings.Contains(s, "status     DELIVERED\n") || !regexp.MustCompile(`(?m)^AT +STATUS +CHANNEL +ERROR +NOTE\n.* QUEUED +whatsapp +- +-\n`).MatchString(s) {
			return fmt.Errorf("%s: %w", s, errNotYet)
		}
		return nil
	})

	// From standard input; of another folder's dev; the e-mail's parts; a preset with a code that is no argument.
	piped := &terminal{t: t, dir: t.TempDir(), in: "Ligne un\nligne deux\n"}
	html := filepath.Join(piped.dir, "mail.html")
	if err := os.WriteFile(html, []byte("<p>Bonjour</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	mail := piped.runJSON(0, "", "send", "--data", dir, "--to", "awa@example.com", "--subject", "Objet", "--html-file", html, "--wait", "-")
	if mail["status"] != "DELIVERED" || mail["channel"] != "email" {
		t.Errorf("got %v, want DELIVERED by email", mail)
	}
	if got := p.phone("awa@example.com"); len(got) != 1 || got[0].Text != "Ligne un\nligne deux" || got[0].HTML != "<p>Bonjour</p>" || got[0].Subject != "Objet" {
		t.Errorf("the mailbox has %+v", got)
	}
	piped.in = "482913\n"
	code := piped.runJSON(0, "", "send", "--data", dir, "--to", "22376000002", "--channel", "sms", "--preset", "otp", "--var", "app=Boutique", "--var", "code=-", "--var", "locale=en")
	if got := p.phone("22376000002"); len(got) != 1 || !strings.Contains(got[0].Text, "482913 is your Boutique") || code["status"] != "SENT" {
		t.Errorf("%v; the phone has %+v", code, got)
	}

	// A key of one's own; another sender; the sandbox; a time.
	for range 2 {
		again := o.runJSON(0, "", "send", "--to", "22376000002", "--channel", "whatsapp", "--idempotency-key", "cli 1", "--sender", p.Accounts.Business.Senders[1].ID, "x")
		if !strings.HasPrefix(again["messageId"].(string), "msg_") {
			t.Errorf("got %v, want a message's id", again)
		}
	}
	if got := p.phone("22376000002"); len(got) != 2 || got[1].From != p.Accounts.Business.Senders[1].Address {
		t.Errorf("the phone has %+v", got)
	}
	if s := o.run(0, "", "send", "--to", "22376000002", "--channel", "whatsapp", "--idempotency-key", "cli 1", "another"); !strings.Contains(s, "sent before") || !strings.Contains(s, "something else") {
		t.Errorf("%s", s)
	}
	if s := o.runJSON(0, "", "send", "--to", "22376000002", "--channel", "sms", "--sandbox", "x"); s["status"] != "SANDBOX" {
		t.Errorf("got %v, want SANDBOX", s)
	}
	later := o.runJSON(0, "", "send", "--to", "22376000002", "--channel", "sms", "--schedule", "2h", "--expires", "3h", "x")
	if later["status"] != "SCHEDULED" {
		t.Errorf("got %v, want SCHEDULED", later)
	}
	o.run(exitOnWay, "still on its way after 200ms", "status", later["messageId"].(string), "--wait=200ms")

	// The list, oldest first, without what could harm a terminal.
	o.run(0, "", "send", "--to", "22376000001", "--channel", "sms", "--sandbox", "\x1b[2Jrouge\nbleu "+strings.Repeat("é", 50))
	s := o.run(0, "", "logs", "--limit", "3")
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "AT ") || !strings.Contains(lines[3], "�[2Jrouge bleu éé") || strings.Contains(s, "\x1b") || !strings.HasSuffix(lines[3], "é…") {
		t.Errorf("%s", s)
	}
	if all := strings.Split(strings.TrimSpace(o.run(0, "", "logs", "--json", "--limit", "500")), "\n"); len(all) != 7 || messageIn(t, all[0]) != id || strings.Contains(strings.Join(all, ""), "482913") {
		t.Errorf("%d lines: %s", len(all), all)
	}
	if s := o.run(0, "", "logs", "--json", "--status", "scheduled", "--channel", "sms", "--to", "+22376000002", "--since", "1h"); strings.Count(s, "\n") != 1 || !strings.Contains(s, "SCHEDULED") {
		t.Errorf("%s", s)
	}
	if strings.Contains(p.out.String(), "482913") {
		t.Error("the log holds a code")
	}
}

func TestCLI_ExitCodesTellWhatBecameOfIt(t *testing.T) {
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
		t.Error(got())
	}
}

func TestCLI_WaitsUntilThePhoneHasIt(t *testing.T) {
	p := startDev(t, t.TempDir(), "--phones", "memory")
	o := p.at(p.Accounts.Business.LiveKey)
	p.call("PUT", p.BaseURL+"/dev/phones/22376000001", `{"online":false}`)
	if s := o.runJSON(0, "", "send", "--to", "22376000001", "--channel", "sms", "--wait=100ms", "x"); s["status"] != "SENT" { // the phone is offline: there is no receipt
		t.Errorf("got %v, want SENT", s)
	}
	cmd, out, errs := o.command("send", "--to", "22376000001", "--channel", "sms", "--idempotency-key", "wait", "--wait=30s", "--json", "y")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, func() error {
		if s := o.run(0, "", "logs", "--json", "--status", "SENT"); strings.Count(s, "\n") < 2 {
			return fmt.Errorf("%s: %w", s, errNotYet)
		}
		return nil
	})
	p.call("PUT", p.BaseURL+"/dev/phones/22376000001", `{"online":true}`)
	if err := waitExit(cmd); err != nil || !strings.Contains(out.String(), `"status": "DELIVERED"`) {
		t.Errorf("%v: %s %s", err, out, errs)
	}
}

// The default is the service's choice; what it chose shows in the status, the attempts and the statistics.
func TestCLI_AutoHops(t *testing.T) {
	p := startDev(t, t.TempDir(), "--phones", "memory")
	o := p.at(p.Accounts.Business.LiveKey)
	dry := o.run(0, "", "send", "--to", "22376000001", "--dry-run", "Bonjour")
	if !strings.Contains(dry, "goes by     whatsapp from +22370000001\nthen by     whatsapp from +22370000002\nthen by     sms from +22370000003\n") || !strings.Contains(dry, "as SMS      1, GSM-7\nused        0 of 50000 today\n") || len(p.phone("22376000001")) != 0 {
		t.Errorf("%s", dry)
	}
	p.call("PUT", p.BaseURL+"/dev/faults/whatsapp", `{"outcome":"unreachable","count":1}`)
	sent := o.runJSON(0, "", "send", "--to", "22376000001", "--wait", "Bonjour")
	if sent["channel"] != "sms" || sent["status"] != "DELIVERED" || sent["requestedChannel"] != "auto" {
		t.Errorf("got %v, want DELIVERED by sms, asked for as auto", sent)
	}
	id, _ := sent["messageId"].(string)
	if s := o.run(0, "", "status", id); !strings.Contains(s, "sms  (asked for: auto)") || !strings.Contains(s, "virtual_unreachable") {
		t.Errorf("%s", s)
	}
	r := p.call("GET", p.BaseURL+"/dev/attempts/"+id, "")
	var tried struct {
		Attempts []struct{ Reference, Channel, Outcome string }
	}
	if err := json.Unmarshal([]byte(r.raw), &tried); err != nil || len(tried.Attempts) < 2 {
		t.Fatalf("%v %s", err, r.raw)
	}
	first, last := tried.Attempts[0], tried.Attempts[len(tried.Attempts)-1]
	if first.Reference != id || first.Outcome != "unreachable" || last.Channel != "sms" || !strings.HasPrefix(last.Reference, id+"-") {
		t.Errorf("%s", r.raw)
	}
	o.run(0, "", "send", "--to", "22376000002", "--wait", "Bonjour")
	if r := p.call("GET", p.BaseURL+"/api/svc-analytics", "", "X-API-Key: "+p.Accounts.Business.LiveKey); r.body["fallbackRate"] != 0.5 || r.body["deliveryRate"] != 1.0 {
		t.Errorf("got %d %s, want the rates 0.5 and 1", r.status, r.raw)
	}
	groups := p.call("GET", p.BaseURL+"/api/partner/whatsapp/groups", "", "X-API-Key: "+p.Accounts.Business.LiveKey)
	if want := `{"success":true,"groups":[{"id":"120363000000000001@g.us","name":"Livraisons","participants":4,"isAdmin":true}],"count":1}`; strings.TrimSpace(groups.raw) != want {
		t.Errorf("%s", groups.raw)
	}
	o.run(0, "", "send", "--to", "22376000001", "--channel", "whatsapp", "--group", "120363000000000001@g.us", "--wait", "Réunion")
	if got := p.phone("120363000000000001@g.us"); len(got) != 1 || got[0].Text != "Réunion" {
		t.Errorf("the group has %+v", got)
	}
}

func TestCLI_LogsFollow(t *testing.T) {
	p := startDev(t, t.TempDir(), "--phones", "memory")
	o := p.at(p.Accounts.Business.LiveKey)
	send := func(text string) string {
		t.Helper()
		return p.send(p.Accounts.Business.LiveKey, `{"channel":"sms","to":"22376000001","message":"`+text+`"}`).text("messageId")
	}
	old, first := send("old"), send("first")
	p.call("PUT", p.BaseURL+"/dev/phones/22376000001", `{"online":false}`)
	cmd, out, errs := o.command("logs", "--follow", "--json", "--limit", "1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	shows := func(id, status string) {
		t.Helper()
		eventually(t, 20*time.Second, func() error {
			for line := range strings.Lines(out.String()) {
				if strings.Contains(line, id) && strings.Contains(line, `"`+status+`"`) {
					return nil
				}
			}
			return fmt.Errorf("no %s %s in %s%s: %w", id, status, out, errs, errNotYet)
		})
	}
	shows(first, "DELIVERED")
	next := send("next")
	shows(next, "SENT")
	p.call("PUT", p.BaseURL+"/dev/phones/22376000001", `{"online":true}`)
	shows(next, "DELIVERED")
	if strings.Contains(out.String(), old) {
		t.Errorf("--limit 1 shows an older one: %s", out)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := waitExit(cmd); err != nil || errs.String() != "" {
		t.Errorf("Ctrl-C: %v, %s", err, errs)
	}
	if n := strings.Count(out.String(), "\n"); n != 3 && n != 4 { // the first may have been seen before its receipt
		t.Errorf("%d lines: %s", n, out)
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
	for _, code := range []int{0, 1, exitUsage, exitFailed, exitOnWay} {
		if !bytes.Contains(b, fmt.Appendf(nil, "| %d |", code)) {
			t.Errorf("exit code %d is not in docs/cli.md", code)
		}
	}
}
