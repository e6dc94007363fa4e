package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"example.com/griot/cmd/griot/cli"
	"example.com/griot/cmd/griot/exit"
)

// service is a messaging API that records requests.
type service struct {
	sent  []map[string]any // bodies of POST
	since string           // of the latest GET /api/logs
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := `{"kind": "live", "usage": {"messagesUsed": 1}}`
	body := map[string]any{}
	_ = json.NewDecoder(r.Body).Decode(&body)
	switch r.URL.Path {
	case "/api/send":
		answer = `{"messageId": "msg_1", "channel": "sms", "to": "+22376000001", "status": "SCHEDULED"}`
		if body["dryRun"] == true {
			answer = `{"dryRun": true, "channel": "sms", "to": "+22376000001", "characters": 1, "route": []}`
			break
		}
		s.sent = append(s.sent, body)
	case "/api/send/batch":
		list, _ := body["messages"].([]any)
		row, _ := list[0].(map[string]any)
		if row["to"] == "" { // asks for a message of an earlier version
			answer = `{"results": [{"index": 0, "httpStatus": 400, "code": "invalid_request", "field": "to"}]}`
			break
		}
		s.sent = append(s.sent, row)
		answer = `{"results": [{"index": 0, "success": true, "httpStatus": 202, "messageId": "msg_1", "status": "SCHEDULED"}]}`
	case "/api/svc-logs":
		s.since = r.URL.Query().Get("since")
		answer = `{"logs": [{"messageId": "msg_1", "createdAt": "2026-11-28T12:00:00.123Z", "to": "+22376000001", "status": "SENT"}], "nextCursor": null}`
	}
	_, _ = io.WriteString(w, answer)
}

// run runs a command without a terminal, in New York, with the service.
func run(t *testing.T, s *service, args ...string) (code int, out, errs string) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	t.Setenv("GRIOT_API_URL", server.URL)
	t.Setenv("GRIOT_API_KEY", "svc_live_x")
	root := &cobra.Command{Use: "griot", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(cli.Commands(&cli.Options{})...)
	var stdout, stderr bytes.Buffer
	root.SetArgs(args)
	root.SetIn(strings.NewReader(""))
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	if err := root.ExecuteContext(t.Context()); err != nil {
		code = exit.CodeOf(err)
		stderr.WriteString(err.Error())
	}
	return code, stdout.String(), stderr.String()
}

// Addresses are read as people paste them. An invisible character within one is refused before anything is sent.
func TestPastedAddresses(t *testing.T) {
	s := &service{}
	if code, _, errs := run(t, s, "send", "--to", "\u00a0awa@example.org\u200b", "--channel", "email", "--subject", "x", "Bonjour"); code != 0 || len(s.sent) != 1 || s.sent[0]["to"] != "awa@example.org" {
		t.Errorf("code %d, sent %v, %s", code, s.sent, errs)
	}
	if code, _, errs := run(t, s, "send", "--to", "a\u200bwa@example.org", "--channel", "email", "--subject", "x", "Bonjour"); code != exit.CodeUsage || len(s.sent) != 1 || !strings.Contains(errs, "invisible") {
		t.Errorf("code %d, sent %v, %s", code, s.sent, errs)
	}
	if code, _, errs := run(t, s, "configure", "--url", "https://api\u200b.example.com"); code != exit.CodeUsage || !strings.Contains(errs, "invisible") {
		t.Errorf("code %d, %s", code, errs)
	}
}

// The profile has the address without what copying has added around it.
func TestConfigure_PastedURL(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	root := &cobra.Command{Use: "griot", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(cli.Commands(&cli.Options{})...)
	var stdout bytes.Buffer
	root.SetArgs([]string{"configure", "--json", "--no-check", "--url", " https://api.example.com\u00a0\u200b"})
	root.SetIn(strings.NewReader("svc_live_x\n"))
	root.SetOut(&stdout)
	root.SetErr(&stdout)
	if err := root.ExecuteContext(t.Context()); err != nil || !strings.Contains(stdout.String(), `"url":"https://api.example.com"`) {
		t.Errorf("%v, %s", err, stdout.String())
	}
}

func inNewYork(t *testing.T) {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	local := time.Local //nolint:gosmopolitan // it is what is tested
	time.Local = zone
	t.Cleanup(func() { time.Local = local })
}

// A time without a zone is in this machine's zone, and the answer and the preview name it.
func TestSend_ScheduleInTheMachinesZone(t *testing.T) {
	inNewYork(t)
	const typed, want, shown = "2127-06-16T10:00", "2127-06-16T14:00:00Z", "2127-06-16 10:00:00.000 EDT"
	people := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(people, []byte("to\n+22376000001\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	send, batch := []string{"send", "--to", "+22376000001", "Bonjour"}, []string{"batch", people, "--channel", "sms", "--message", "Bonjour"}
	for name, tt := range map[string]struct {
		args []string
		sent int
	}{
		"send": {send, 1}, "send as JSON": {append(send, "--json"), 1}, "send's preview": {append(send, "--dry-run"), 0}, "send's preview as JSON": {append(send, "--dry-run", "--json"), 0},
		"batch": {append(batch, "--yes"), 1}, "batch's preview": {append(batch, "--dry-run"), 0},
	} {
		s := &service{}
		code, out, errs := run(t, s, append(tt.args, "--schedule", typed)...)
		if code != 0 || len(s.sent) != tt.sent || !strings.Contains(out+errs, shown) {
			t.Errorf("%s: code %d, sent %v, %s %s, want the time %s", name, code, s.sent, out, errs, shown)
		}
		for _, body := range s.sent {
			if body["scheduledAt"] != want {
				t.Errorf("%s: sent %v, want %s", name, body, want)
			}
		}
	}
	s := &service{}
	if _, out, errs := run(t, s, append(batch, "--dry-run", "--json", "--schedule", typed)...); !strings.Contains(out, `"scheduledAt": "2127-06-16T10:00:00-04:00"`) {
		t.Errorf("got %s %s, want the time in the plan", out, errs)
	}
	if code, _, errs := run(t, s, append(send, "--schedule", "2127-03-09T02:30")...); code != exit.CodeUsage || !strings.Contains(errs, "skip") || len(s.sent) > 0 {
		t.Errorf("a time that doesn't exist: code %d, %s, want a refusal", code, errs)
	}
}

// A time that has passed must be confirmed, because the service sends the message at once.
func TestSend_SchedulePassed(t *testing.T) {
	inNewYork(t)
	people := filepath.Join(t.TempDir(), "people.csv")
	if err := os.WriteFile(people, []byte("to\n+22376000001\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"send", "--to", "+22376000001", "Bonjour"}, {"batch", people, "--channel", "sms", "--message", "Bonjour"}} {
		s := &service{}
		args = append(args, "--schedule", "2026-06-16T10:00")
		if code, out, errs := run(t, s, args...); code != exit.CodeUsage || len(s.sent) > 0 || !strings.Contains(out+errs, "2026-06-16 10:00:00.000 EDT") || !strings.Contains(out+errs, "has passed") || !strings.Contains(errs, "--yes") {
			t.Errorf("%v: code %d, sent %v, %s %s, want a refusal that names the time", args, code, s.sent, out, errs)
		}
		if code, out, errs := run(t, s, append(args, "--dry-run")...); code != 0 || !strings.Contains(out, "2026-06-16 10:00:00.000 EDT, which has passed") {
			t.Errorf("%v --dry-run: code %d, %s %s, want the preview to say that the time has passed", args, code, out, errs)
		}
		if code, out, errs := run(t, s, append(args, "--yes")...); code != 0 || len(s.sent) != 1 {
			t.Errorf("%v --yes: code %d, sent %v, %s %s, want it sent", args, code, s.sent, out, errs)
		}
	}
}

// logs --since takes each form in which a time is printed.
func TestLogs_SinceTakesPrintedTimes(t *testing.T) {
	inNewYork(t)
	s := &service{}
	_, out, _ := run(t, s, "logs")
	printed := strings.Fields(strings.Split(out, "\n")[1])[0]
	for typed, want := range map[string]string{
		printed: "2026-11-28T12:00:00.123Z", "2026-11-28 07:00:00.123 EST": "2026-11-28T12:00:00.123Z", "2025-11-28": "2025-11-28T05:00:00Z", "2026-11-28 07:00": "2026-11-28T12:00:00Z",
	} {
		if code, _, errs := run(t, s, "logs", "--since", typed); code != 0 || s.since != want {
			t.Errorf("--since %q: code %d, since %s, %s, want %s", typed, code, s.since, errs, want)
		}
	}
	for _, typed := range []string{"00:00:00", "00:00", "01-02 15:04"} {
		code, _, errs := run(t, s, "logs", "--since", typed)
		if at, err := time.Parse(time.RFC3339, s.since); code != 0 || err != nil || at.After(time.Now()) {
			t.Errorf("--since %q: code %d, since %s, %s, want the latest such time that has passed", typed, code, s.since, errs)
		}
	}
}
