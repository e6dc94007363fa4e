package command_test

import (
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

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/test/system/systemtest"
)

func TestCLI_ExitCodesShowTheStatus(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	o := p.At(p.Accounts.Business.LiveKey)
	sms := []string{"send", "--to", "+22376000001", "--channel", "sms"}

	o.Run(exit.CodeUsage, "invalid_channel", "send", "--to", "+22376000001", "--channel", "pigeon", "x")
	o.Run(exit.CodeUsage, "invalid_preset", "send", "--to", "+22376000001", "--preset", "pigeon")
	o.Run(exit.CodeUsage, "invalid_request", "logs", "--status", "LOST")
	o.Run(exit.CodeUsage, "invalid_channel", "logs", "--channel", "pigeon")
	o.Run(exit.CodeUsage, "invalid_channel", "otp", "send", "--to", "+22376000001", "--app", "Shop", "--channel", "pigeon")
	systemtest.Must(t, os.WriteFile(filepath.Join(o.Dir, "people.csv"), []byte("to\n+22376000001\n"), 0o600))
	o.Run(exit.CodeUsage, "invalid_channel", "batch", "people.csv", "--message", "x", "--channel", "pigeon", "--yes")
	o.Run(1, "message_not_found", "status", "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D")
	p.At("svc_live_nobody").Run(1, "unauthorized", append(sms, "x")...)
	p.At(p.Accounts.Disconnected.LiveKey).Run(1, "gateway_not_connected", append(sms, "x")...)

	p.Call("PUT", p.BaseURL+"/dev/faults/sms", `{"outcome":"unreachable","count":2}`)
	id := messageIn(t, o.Run(exit.CodeFailed, "provider_error", append(sms, "x")...))
	if s := o.RunJSON(exit.CodeFailed, "the message has failed: virtual_unreachable", "status", id); s["status"] != "FAILED" {
		t.Errorf("got %v, want FAILED", s)
	}
	if s := o.RunJSON(exit.CodeFailed, "provider_error", append(sms, "--idempotency-key", "k", "x")...); s["status"] != "FAILED" || s["messageId"] == nil {
		t.Errorf("got %v, want FAILED, with the message's id", s)
	}
	o.Run(exit.CodeFailed, "message_failed", append(sms, "--idempotency-key", "k", "x")...)

	// No response: the message might have been sent, and a repeat with the same key sends it once.
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
	o.Run(1, "--idempotency-key griot-go-", append(sms, "--url", "http://"+l.Addr().String(), "x")...)
}

func TestCLI_UsageErrors(t *testing.T) {
	o := &systemtest.Terminal{T: t, Dir: t.TempDir(), Env: []string{"GRIOT_API_KEY=svc_live_x", "GRIOT_API_URL=http://127.0.0.1:9"}}
	to := func(args ...string) []string { return append([]string{"send", "--to", "+22376000001"}, args...) }
	for want, args := range map[string][]string{
		"--to is missing":                   {"send", "x"},
		"the message has no text":           to(),
		"one text":                          to("a", "b"),
		"unknown flag: --bogus\n":           to("--bogus", "x"),
		"did you mean --metadata?":          to("--metdata", "order=1", "x"),
		"did you mean --message?":           {"batch", "none.csv", "--mesage=x"},
		"did you mean --config?":            {"config", "check", "--confg", "x"},
		"did you mean --json?":              {"admin", "accounts", "list", "--jsn"},
		"invalid argument":                  to("--wait=soon", "x"),
		"--schedule must be a time":         to("--schedule", "tomorrow", "x"),
		"--expires must be a time":          to("--expires", "-2h", "x"),
		"--retry must be the total":         to("--retry=0", "x"),
		"--var must be NAME=VALUE":          to("--preset", "otp", "--var", "code"),
		"--metadata must be NAME=VALUE":     to("--metadata", "order", "x"),
		"only one argument can be -":        to("--preset", "otp", "--var", "code=-", "-"),
		"--html-file: open":                 to("--html-file", "none.html", "x"),
		"whole seconds":                     to("--fallback-after", "1500ms", "x"),
		"exactly one MESSAGE":               {"status"},
		"takes only flags":                  {"logs", "x"},
		"--limit must be at least 1":        {"logs", "--limit", "0"},
		"--since must be a time":            {"logs", "--since", "x"},
		"omit --url":                        {"logs", "--data", "d", "--url", "http://127.0.0.1:9"},
		"--to has no +":                     {"send", "--to", "76000001", "x"},
		"--to ends with something":          {"otp", "send", "--to", "+22376000001.0"},
		"no country's code":                 {"send", "--to", "+12", "x"},
		"must be a country code":            {"send", "--to", "76000001", "--country", "XX", "x"},
		"isn't a number of the country":     {"send", "--to", "7600", "--country", "ML", "x"},
		"create it with griot confi":        {"logs", "--profile", "none"},
		"only letters, digits":              {"logs", "--profile", "../none"},
		"a CHALLENGE (otp_...)":             {"otp", "verify"},
		"one of: send, verify":              {"otp"},
		"standard input contains no code":   {"otp", "verify", "otp_x"},
		"exactly one CONVERSATION":          {"inbox", "show"},
		"has no page":                       {"open", "garden"},
		"bash, zsh, fish":                   {"completion", "csh"},
		"exactly one FILE":                  {"batch"},
		"use --message or":                  {"batch", "none.csv"},
		"no such file":                      {"batch", "none.csv", "--message", "x"},
		"--url is missing":                  {"configure"},
		"starts with http:// or":            {"listen", "--forward-to", "localhost:3000"},
		"whether griot dev has run with it": {"logs", "--data", "d"},
		"the base URL must be":              {"logs", "--url", "ftp://x"},
	} {
		o.Run(exit.CodeUsage, want, args...)
	}
	o.Env = []string{"GRIOT_API_KEY=a b"}
	o.Run(exit.CodeUsage, "the key is empty, or holds characters", "logs")
	o.Env = []string{"GRIOT_API_KEY_FILE=" + filepath.Join(o.Dir, "none")}
	o.Run(exit.CodeUsage, "GRIOT_API_KEY_FILE", "logs")
	o.Env = []string{"GRIOT_API_KEY=svc_live_x", "GRIOT_PROFILE=shop"}
	o.Run(exit.CodeUsage, "are both set", "logs")
	o.Env = nil
	o.Run(exit.CodeUsage, "no API key: run griot configure", "logs")
	if err := os.MkdirAll(filepath.Join(o.Dir, devfile.Folder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Dir, devfile.Folder, devfile.Name), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Run(exit.CodeUsage, "--data griot-data", "logs")
}

// The fields of a send, and the sources of the key and the address.
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
	o := &systemtest.Terminal{T: t, Dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(o.Dir, "key"), []byte(" svc_live_file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Env = []string{"GRIOT_API_KEY_FILE=" + filepath.Join(o.Dir, "key")}
	dry := o.Run(0, "", "send", "--url", service.URL, "--to", "+22376000001", "--email", "awa@example.com", "--fallback-after", "30s", "--retry", "--dry-run", "--media", "https://files.example.com/a.png", "--json",
		"--caption", "Une image", "--group", "1@g.us", "--schedule", "2026-03-01T08:00:00+01:00")
	want := `Bearer svc_live_file {"to":"+22376000001","channel":"auto","mediaUrl":"https://files.example.com/a.png","caption":"Une image","groupId":"1@g.us",` +
		`"scheduledAt":"2026-03-01T07:00:00Z","email":"awa@example.com","fallbackAfter":30,"retry":true,"dryRun":true}`
	if got() != want || !strings.Contains(dry, `"segments": 1`) {
		t.Errorf("%s\nwant %s\n%s", got(), want, dry)
	}
	forms := filepath.Join(o.Dir, "forms.json")
	withForms := func(code int, stderr, text string) {
		if err := os.WriteFile(forms, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o.Run(code, stderr, "send", "--url", service.URL, "--to", "+22376000001", "--dry-run", "--whatsapp-file", forms, "x")
	}
	withForms(2, "--whatsapp-file", `{"buttons":[]}`)
	withForms(2, "--whatsapp-file", `{`)
	withForms(0, "", `{"interactive":{"link":{"title":"Suivre","url":"https://example.com"}}}`)
	if want := `"message":"x","whatsapp":{"interactive":{"link":{"title":"Suivre","url":"https://example.com"}}},"dryRun":true}`; !strings.HasSuffix(got(), want) {
		t.Errorf("%s\nwant …%s", got(), want)
	}
	o.Run(2, "whatsapp-file", "send", "--url", service.URL, "--to", "+22376000001", "--whatsapp-file", filepath.Join(o.Dir, "none"), "x")
	answers(`{"success":true,"messageId":"msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D","status":"SENT"}`)
	o.Env = append(o.Env, "GRIOT_API_KEY=svc_live_env", "GRIOT_API_URL="+service.URL)
	o.Run(1, "knows no dry runs", "send", "--to", "+22376000001", "--channel", "sms", "--dry-run", "x")
	o.Run(0, "", "send", "--to", "+22376000001", "--channel", "sms", "--retry=5", "x")
	if want := `Bearer svc_live_env {"to":"+22376000001","channel":"sms","message":"x","retry":{"maxAttempts":5}}`; got() != want {
		t.Errorf("%s\nwant %s", got(), want)
	}
	o.Run(0, "griot: note: everyone on this machine can read arguments", "send", "--to", "+22376000001", "--channel", "sms", "--sensitive", "x")
	o.Run(0, "griot: note: everyone on this machine can read arguments", "send", "--to", "+22376000001", "--channel", "sms", "--preset", "otp", "--var", "code=123456")
	o.In = "secret"
	o.Run(0, "", "send", "--to", "+22376000001", "--channel", "sms", "--sensitive", "-")
	if !strings.Contains(got(), `"message":"secret","sensitive":true`) {
		t.Errorf("got %s, want the text of standard input, sensitive", got())
	}
}
