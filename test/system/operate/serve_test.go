package operate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/test/system/systemtest"
)

func TestServe_SendsEmailThroughARelay(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") },
		"postgres": func() string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			r, port := systemtest.StartRelay(t)
			database := url()
			key := systemtest.WithAccount(t, database)
			s := systemtest.StartServe(t, database, port)
			sent, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"email","to":"awa@example.com","subject":"Commande n° 2041","message":"Elle est prête.","html":"<p>Elle est <b>prête</b>.</p>"}`, "Authorization: Bearer "+key)
			if err != nil || sent.Status != 200 || sent.Text("status") != "SENT" {
				t.Fatalf("%v, %+v\n%s", err, sent, s.Out)
			}
			r.Mu.Lock()
			if len(r.Received) != 1 || !strings.Contains(r.Received[0].Header.Get("Message-Id"), sent.Text("messageId")) || r.Received[0].Header.Get("From") == "" {
				t.Errorf("the relay has %+v", r.Received)
			}
			r.Mu.Unlock()
			refused, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"email","to":"awa@refused.example","message":"x"}`, "Authorization: Bearer "+key)
			if err != nil || refused.Status != 502 || refused.Body["messagesUsed"] != float64(1) {
				t.Errorf("%v, %+v", err, refused)
			}
			status, err := systemtest.Call("GET", s.Api+"/api/status/"+refused.Text("messageId"), "", "Authorization: Bearer "+key)
			if e, _ := status.Body["error"].(map[string]any); err != nil || e["code"] != "recipient_refused" || e["providerCode"] != "550 5.1.1" {
				t.Errorf("%v, %s", err, status.Raw)
			}
			none, err := systemtest.Call("POST", s.Api+"/api/send", `{"channel":"sms","to":"22376000001","message":"x"}`, "Authorization: Bearer "+key)
			if err != nil || none.Status != 409 {
				t.Errorf("SMS without a gateway: %v, %+v", err, none)
			}
			for _, source := range []string{"database", "queues", "senders", "webhooks"} {
				if got := systemtest.Metric(t, s.Internal, `griot_measurement_success{source="`+source+`"}`); got != 1 {
					t.Errorf("metrics: measuring %s: %v, want 1", source, got)
				}
			}
			if got := systemtest.Metric(t, s.Internal, `griot_clock_offset_seconds{source="database"}`); name == "postgres" && (got == -1 || got < -20 || got > 20) {
				t.Errorf("metrics: the database's clock, which is this machine's, is ahead by %v", got)
			}
			if phones, err := systemtest.Call("GET", s.Api+"/dev/phones", ""); err != nil || phones.Status != 404 {
				t.Errorf("serve has virtual phones: %v, %+v", err, phones)
			}
			if err := s.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := systemtest.WaitExit(s.Cmd); err != nil {
				t.Errorf("it ended with %v\n%s", err, s.Out)
			}
			if out := s.Out.String(); strings.Contains(out, key) || strings.Contains(out, "awa@") || strings.Contains(out, "prête") || !strings.Contains(out, "griot is up") {
				t.Errorf("logged:\n%s", out)
			}
		})
	}
}

// Behind a trusted proxy, each person has a separate limit. Without trust, the header is ignored. The log states the
// reason once, and also once that an entry is not an address.
func TestServe_KnowsPeopleBehindItsProxies(t *testing.T) {
	for trusted, want := range map[string]int{"127.0.0.1": 202, "10.0.0.0/8": 429, "": 429} {
		_, port := systemtest.StartRelay(t)
		s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), systemtest.MailGateway(port)+"email: {gateway: mail, from: bonjour@griot.example}\nrate_limits: true\ntrusted_proxies: ["+trusted+"]\n")
		ask := func(n int, from string) int {
			a, err := systemtest.Call("POST", s.Api+"/api/session", fmt.Sprintf(`{"email":"nobody-%d@example.com"}`, n), "Origin: "+s.Api, "X-Forwarded-For: "+from)
			if err != nil {
				t.Fatal(err)
			}
			return a.Status
		}
		n := 0
		for n = range 20 {
			if ask(n, "203.0.113.1") == 429 {
				break
			}
		}
		if got := ask(100, "203.0.113.2"); n == 0 || n == 19 || got != want {
			t.Errorf("%s: after %d requests of another person: %d, want %d", trusted, n, got, want)
		}
		for _, forwarded := range []string{"203.0.113.1", "unknown", "[2001:db8::1]", "SECRET, unknown"} {
			if _, err := systemtest.Call("GET", s.Auth+"/healthz", "", "X-Forwarded-For: "+forwarded); err != nil {
				t.Fatal(err)
			}
		}
		warnings := 0
		if want == 429 {
			warnings = 1
		}
		if got := strings.Count(s.Out.String(), "trusted_proxies"); got != warnings {
			t.Errorf("%q trusted: the log names trusted_proxies %d times, want %d", trusted, got, warnings)
		}
		if got := strings.Count(s.Out.String(), "an entry that is no address"); got != 1-warnings || strings.Contains(s.Out.String(), "SECRET") {
			t.Errorf("%q trusted: the log names the entry %d times, want %d:\n%s", trusted, got, 1-warnings, s.Out.String())
		}
	}
}

// config check names every error, including those that only a driver knows, and serve refuses with the same text.
func TestServe_RefusesABadConfiguration(t *testing.T) {
	dir := t.TempDir()
	text := "databse: x\napi: {url: https://api.example.com}\nauth: {url: https://login.example.com}\ngateways:\n  - {name: a, kind: smpt}\n  - name: b\n    kind: smtp\n    settings:\n      host: localhost\n      port: 99999\n  - {name: c, kind: smtp, settings: {hots: SECRET}}\n"
	if err := os.WriteFile(filepath.Join(dir, "griot.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(wantCode int, args ...string) (stdout, stderr string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), systemtest.Binary, args...)
		var out, errs strings.Builder
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
		cmd.Env = append(systemtest.Environ(), "GRIOT_MASTER_KEY="+seal.NewMasterKey(), "GRIOT_SEND_WAITT=3s")
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != wantCode {
			t.Fatalf("%v: %v, want exit code %d\n%s%s", args, err, wantCode, out.String(), errs.String())
		}
		return out.String(), errs.String()
	}
	const want = `griot: the configuration has 5 errors:
  GRIOT_SEND_WAITT: isn't a known variable (did you mean GRIOT_SEND_WAIT?)
  griot.yaml:1: databse: isn't a known setting (did you mean database?)
  griot.yaml:5: gateways[0].kind: isn't a known kind (use one of cloudapi, httpmail, httpsms, remote, resend, smpp, smsgate, smtp, twilio)
  griot.yaml:10: gateways[1].settings.port: port must be from 1 to 65535
  griot.yaml:11: gateways[2].settings.hots: hots is no setting of this kind
`
	if _, got := run(1, "config", "check"); got != want {
		t.Errorf("config check: got\n%swant\n%s", got, want)
	}
	if _, got := run(exit.CodeConfig, "serve"); got != want {
		t.Errorf("serve: got\n%swant\n%s", got, want)
	}
	run(exit.CodeConfig, "serve", "--config", "none.yaml")
	stdout, stderr := run(1, "config", "check", "--json")
	var got struct {
		OK       bool
		Mistakes []struct {
			File, Setting, Text string
			Line                int
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.OK || len(got.Mistakes) != 5 || got.Mistakes[3].Line != 10 || got.Mistakes[3].Setting != "gateways[1].settings.port" || stderr != "" {
		t.Errorf("as JSON: %v\n%s%s", err, stdout, stderr)
	}
	run(exit.CodeUsage, "config", "check", "griot.yaml")
	run(exit.CodeUsage, "serve", "--roles", "auth,cook")
	run(exit.CodeUsage, "cook")
	if out, _ := run(0, "--version"); !strings.HasPrefix(out, "griot ") || strings.Count(out, "\n") != 1 {
		t.Errorf("--version: %q", out)
	}
}

func TestMigrateAndVersion(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), systemtest.Binary, args...)
		cmd.Dir = dir
		cmd.Env = append(systemtest.Environ(), "GRIOT_MASTER_KEY="+seal.NewMasterKey(), "GRIOT_AUTH_URL=https://login.example.com", "GRIOT_API_URL=https://api.example.com")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	files, err := filepath.Glob("../../../internal/db/migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d migrations, %v", len(files), err)
	}
	files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, ".postgres.sql") }) // this deployment is on SQLite
	if out := run("migrate"); !strings.HasPrefix(out, fmt.Sprintf("%d migrations applied", len(files))) {
		t.Errorf("migrate: %s", out)
	}
	if out := run("migrate"); !strings.HasPrefix(out, "0 migrations applied") {
		t.Errorf("migrate again: %s", out)
	}
	if out := run("version"); !strings.HasPrefix(out, "griot ") {
		t.Errorf("version: %s", out)
	}
}

// A PostgreSQL database that isn't UTF8 is named, with the way to one that is, by every command that opens it.
func TestServe_NamesTheEncodingOfItsDatabase(t *testing.T) {
	t.Parallel()
	database := dbtest.PostgresIn(t, "LATIN1")
	dir := t.TempDir()
	systemtest.Must(t, os.WriteFile(filepath.Join(dir, "master.key"), []byte(seal.NewMasterKey()), 0o600))
	for name, args := range map[string][]string{
		"serve": {"serve"}, "migrate": {"migrate"}, "doctor": {"doctor"}, "dev": {"dev", "--database", database, "--data", filepath.Join(dir, "dev")},
	} {
		c := exec.CommandContext(t.Context(), systemtest.Binary, args...)
		c.Dir = dir
		c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GRIOT_DATABASE=" + database, "GRIOT_MASTER_KEY_FILE=master.key", "GRIOT_API_URL=http://127.0.0.1:1", "GRIOT_AUTH_URL=http://127.0.0.1:2"}
		out, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "the encoding LATIN1, and Griot needs UTF8") || !strings.Contains(string(out), "ENCODING 'UTF8'") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if want := exit.CodeConfig; name == "serve" && c.ProcessState.ExitCode() != want {
			t.Errorf("serve ends with %d, want %d", c.ProcessState.ExitCode(), want)
		}
	}
}
