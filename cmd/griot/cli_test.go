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
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/griot/cmd/griot/cli"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
)

func TestCLI_ExitCodesShowTheStatus(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	o := p.at(p.Accounts.Business.LiveKey)
	sms := []string{"send", "--to", "+22376000001", "--channel", "sms"}

	o.run(exit.CodeUsage, "invalid_channel", "send", "--to", "+22376000001", "--channel", "pigeon", "x")
	o.run(exit.CodeUsage, "invalid_preset", "send", "--to", "+22376000001", "--preset", "pigeon")
	o.run(exit.CodeUsage, "invalid_request", "logs", "--status", "LOST")
	o.run(exit.CodeUsage, "invalid_channel", "logs", "--channel", "pigeon")
	o.run(exit.CodeUsage, "invalid_channel", "otp", "send", "--to", "+22376000001", "--app", "Shop", "--channel", "pigeon")
	must(t, os.WriteFile(filepath.Join(o.dir, "people.csv"), []byte("to\n+22376000001\n"), 0o600))
	o.run(exit.CodeUsage, "invalid_channel", "batch", "people.csv", "--message", "x", "--channel", "pigeon", "--yes")
	o.run(1, "message_not_found", "status", "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D")
	p.at("svc_live_nobody").run(1, "unauthorized", append(sms, "x")...)
	p.at(p.Accounts.Disconnected.LiveKey).run(1, "gateway_not_connected", append(sms, "x")...)

	p.call("PUT", p.BaseURL+"/dev/faults/sms", `{"outcome":"unreachable","count":2}`)
	id := messageIn(t, o.run(exit.CodeFailed, "provider_error", append(sms, "x")...))
	if s := o.runJSON(exit.CodeFailed, "the message has failed: virtual_unreachable", "status", id); s["status"] != "FAILED" {
		t.Errorf("got %v, want FAILED", s)
	}
	if s := o.runJSON(exit.CodeFailed, "provider_error", append(sms, "--idempotency-key", "k", "x")...); s["status"] != "FAILED" || s["messageId"] == nil {
		t.Errorf("got %v, want FAILED, with the message's id", s)
	}
	o.run(exit.CodeFailed, "message_failed", append(sms, "--idempotency-key", "k", "x")...)

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
	to := func(args ...string) []string { return append([]string{"send", "--to", "+22376000001"}, args...) }
	for want, args := range map[string][]string{
		"--to is missing":            {"send", "x"},
		"nothing to send":            to(),
		"one text":                   to("a", "b"),
		"unknown flag: --bogus\n":    to("--bogus", "x"),
		"did you mean --metadata?":   to("--metdata", "order=1", "x"),
		"did you mean --message?":    {"batch", "none.csv", "--mesage=x"},
		"did you mean --config?":     {"config", "check", "--confg", "x"},
		"did you mean --json?":       {"admin", "accounts", "list", "--jsn"},
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
		"is a number with its +":     {"send", "--to", "76000001", "x"},
		"8 to 15 digits":             {"send", "--to", "+12", "x"},
		"the code of a country":      {"send", "--to", "76000001", "--country", "XX", "x"},
		"no number of the country":   {"send", "--to", "7600", "--country", "ML", "x"},
		"make it with griot configu": {"logs", "--profile", "none"},
		"a name of letters, digits":  {"logs", "--profile", "../none"},
		"a CHALLENGE (otp_...)":      {"otp", "verify"},
		"one of: send, verify":       {"otp"},
		"no code on standard input":  {"otp", "verify", "otp_x"},
		"exactly one CONVERSATION":   {"inbox", "show"},
		"knows no page":              {"open", "garden"},
		"bash, zsh, fish":            {"completion", "csh"},
		"exactly one FILE":           {"batch"},
		"give --message, or":         {"batch", "none.csv"},
		"no such file":               {"batch", "none.csv", "--message", "x"},
		"--url is missing":           {"configure"},
		"begins with http:// or":     {"listen", "--forward-to", "localhost:3000"},
		"has griot dev run with it?": {"logs", "--data", "d"},
		"the base URL must be":       {"logs", "--url", "ftp://x"},
	} {
		o.run(exit.CodeUsage, want, args...)
	}
	o.env = []string{"GRIOT_API_KEY=a b"}
	o.run(exit.CodeUsage, "the key is empty, or holds characters", "logs")
	o.env = []string{"GRIOT_API_KEY_FILE=" + filepath.Join(o.dir, "none")}
	o.run(exit.CodeUsage, "GRIOT_API_KEY_FILE", "logs")
	o.env = []string{"GRIOT_API_KEY=svc_live_x", "GRIOT_PROFILE=shop"}
	o.run(exit.CodeUsage, "are both set", "logs")
	o.env = nil
	o.run(exit.CodeUsage, "no API key: run griot configure", "logs")
	if err := os.MkdirAll(filepath.Join(o.dir, devfile.Folder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.dir, devfile.Folder, devfile.Name), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.run(exit.CodeUsage, "--data griot-data", "logs")
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
	dry := o.run(0, "", "send", "--url", service.URL, "--to", "+22376000001", "--email", "awa@example.com", "--fallback-after", "30s", "--retry", "--dry-run", "--media", "https://files.example.com/a.png", "--json",
		"--caption", "Une image", "--group", "1@g.us", "--schedule", "2026-03-01T08:00:00+01:00")
	want := `Bearer svc_live_file {"to":"+22376000001","channel":"auto","mediaUrl":"https://files.example.com/a.png","caption":"Une image","groupId":"1@g.us",` +
		`"scheduledAt":"2026-03-01T08:00:00+01:00","email":"awa@example.com","fallbackAfter":30,"retry":true,"dryRun":true}`
	if got() != want || !strings.Contains(dry, `"segments": 1`) {
		t.Errorf("%s\nwant %s\n%s", got(), want, dry)
	}
	forms := filepath.Join(o.dir, "forms.json")
	withForms := func(code int, stderr, text string) {
		if err := os.WriteFile(forms, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o.run(code, stderr, "send", "--url", service.URL, "--to", "+22376000001", "--dry-run", "--whatsapp-file", forms, "x")
	}
	withForms(2, "--whatsapp-file", `{"buttons":[]}`)
	withForms(2, "--whatsapp-file", `{`)
	withForms(0, "", `{"interactive":{"link":{"title":"Suivre","url":"https://example.com"}}}`)
	if want := `"message":"x","whatsapp":{"interactive":{"link":{"title":"Suivre","url":"https://example.com"}}},"dryRun":true}`; !strings.HasSuffix(got(), want) {
		t.Errorf("%s\nwant …%s", got(), want)
	}
	o.run(2, "whatsapp-file", "send", "--url", service.URL, "--to", "+22376000001", "--whatsapp-file", filepath.Join(o.dir, "none"), "x")
	answers(`{"success":true,"messageId":"msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D","status":"SENT"}`)
	o.env = append(o.env, "GRIOT_API_KEY=svc_live_env", "GRIOT_API_URL="+service.URL)
	o.run(1, "knows no dry runs", "send", "--to", "+22376000001", "--channel", "sms", "--dry-run", "x")
	o.run(0, "", "send", "--to", "+22376000001", "--channel", "sms", "--retry=5", "x")
	if want := `Bearer svc_live_env {"to":"+22376000001","channel":"sms","message":"x","retry":{"maxAttempts":5}}`; got() != want {
		t.Errorf("%s\nwant %s", got(), want)
	}
	o.run(0, "griot: note: everyone on this machine can read arguments", "send", "--to", "+22376000001", "--channel", "sms", "--sensitive", "x")
	o.in = "secret"
	o.run(0, "", "send", "--to", "+22376000001", "--channel", "sms", "--sensitive", "-")
	if !strings.Contains(got(), `"message":"secret","sensitive":true`) {
		t.Errorf("got %s, want the text of standard input, sensitive", got())
	}
}

// docs/cli.md has every flag and every exit code, and the help of each command has examples whose flags there are.
func TestCLI_Docs(t *testing.T) {
	b, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !bytes.Contains(b, []byte("`--"+f.Name)) {
				t.Errorf("%s --%s is not in docs/cli.md", c.CommandPath(), f.Name)
			}
			if strings.Contains(strings.ToLower(f.Name), "key") && f.Name != "idempotency-key" {
				t.Errorf("%s has --%s: everyone on a machine can read arguments", c.CommandPath(), f.Name)
			}
		})
		if !bytes.Contains(b, []byte("griot "+c.CommandPath())) {
			t.Errorf("griot %s is not in docs/cli.md", c.CommandPath())
		}
		if c.Example == "" {
			t.Errorf("the help of %s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			checkExample(t, line)
		}
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	commands := cli.Commands(&cli.Options{})
	if len(commands) != 12 {
		t.Errorf("%d commands, want 12", len(commands))
	}
	for _, c := range commands {
		visit(c)
	}
	for _, code := range []int{0, 1, exit.CodeUsage, exit.CodeFailed, exit.CodePending, exit.CodeInterrupted} {
		if !bytes.Contains(b, fmt.Appendf(nil, "| %d |", code)) {
			t.Errorf("exit code %d is not in docs/cli.md", code)
		}
	}
}

// checkExample fails when a line that a help shows is no command with flags that there are.
func checkExample(t *testing.T, line string) {
	t.Helper()
	line, _, _ = strings.Cut(strings.TrimSpace(line), " | ")
	words := regexp.MustCompile(`"[^"]*"|[^\s"]+`).FindAllString(line, -1)
	if i := slices.IndexFunc(words, func(w string) bool { return w == "<" || w == ">" }); i >= 0 {
		words = words[:i]
	}
	if len(words) < 2 || words[0] != "griot" {
		t.Errorf("%q is no command of griot", line)
		return
	}
	c, rest, err := root().Find(words[1:])
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err != nil {
		t.Errorf("%q: %v", line, err)
	}
}
