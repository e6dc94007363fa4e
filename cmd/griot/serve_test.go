package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/account"
)

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	for range 1000 {
		port := int(nextPort.Add(1))
		if l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// nextPort is below the ports that a system gives out by itself, so that no listener or connection of another test gets a
// port between its choice and its use. Runs beside each other begin at different ports.
var nextPort = func() *atomic.Int32 {
	var n atomic.Int32
	n.Store(int32(11_000 + os.Getpid()%190*100)) // browsers refuse 10080
	return &n
}()

type server struct {
	cmd      *exec.Cmd
	out      *safeBuffer
	api      string
	auth     string
	internal string
}

var errPortTaken = errors.New("a port was taken meanwhile")

// startServe starts `griot serve` as an operator would: with a file, variables,
// and the master key in a file. A free port may be taken before it listens; then it is started again.
func startServe(t *testing.T, database string, smtpPort int) *server {
	t.Helper()
	return startServeWith(t, database, mailGateway(smtpPort)+"email: {gateway: mail, from: bonjour@griot.example}\n")
}

// mailGateway returns the part of a configuration that names a relay.
func mailGateway(smtpPort int) string {
	return fmt.Sprintf(`
gateways:
  - name: mail
    kind: smtp
    settings: {host: 127.0.0.1, port: %d, tls: none}
`, smtpPort)
}

func startServeWith(t *testing.T, database, settings string) *server {
	t.Helper()
	return startNode(t, database, settings, seal.NewMasterKey())
}

// startNode is startServeWith with the master key of a deployment.
func startNode(t *testing.T, database, settings, masterKey string) *server {
	t.Helper()
	for range 5 {
		s, err := tryServe(t, database, settings, masterKey)
		if err == nil {
			return s
		}
		if !errors.Is(err, errPortTaken) {
			t.Fatal(err)
		}
	}
	t.Fatal(errPortTaken)
	return nil
}

func tryServe(t *testing.T, database, settings, masterKey string) (*server, error) {
	t.Helper()
	dir := t.TempDir()
	ports := []int{freePort(t), freePort(t), freePort(t)}
	s := &server{
		out: &safeBuffer{}, api: fmt.Sprintf("http://127.0.0.1:%d", ports[0]), auth: fmt.Sprintf("http://127.0.0.1:%d", ports[1]), internal: fmt.Sprintf("http://127.0.0.1:%d", ports[2]),
	}
	file := fmt.Sprintf(`
api: {url: %q, listen: "127.0.0.1:%d"}
internal: {listen: "127.0.0.1:%d"}
auth:
  url: %q
  listen: "127.0.0.1:%d"
`, s.api, ports[0], ports[2], s.auth, ports[1]) + settings // which may begin with more of auth
	if !strings.Contains(settings, "rate_limits:") {
		file += "rate_limits: false\n"
	}
	for name, text := range map[string]string{"griot.yaml": file, "master.key": masterKey} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.cmd = exec.CommandContext(context.Background(), binary, "serve")
	s.cmd.Dir = dir
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	s.cmd.Env = append(environ(), "GRIOT_MASTER_KEY_FILE="+filepath.Join(dir, "master.key"), "GRIOT_DATABASE="+database)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	var taken error
	eventually(t, 20*time.Second, func() error {
		if strings.Contains(s.out.String(), "address already in use") {
			taken = errPortTaken
			return nil
		}
		for _, url := range []string{s.internal + "/readyz", s.auth + "/healthz", s.api + "/healthz"} {
			if r, err := call("GET", url, ""); err != nil || r.status != 200 {
				return fmt.Errorf("%s: %w\n%s", url, errors.Join(err, errNotYet), s.out)
			}
		}
		return nil
	})
	return s, taken
}

// withAccount makes an account in a database that nobody has open, and returns its key.
func withAccount(t *testing.T, url string) string {
	t.Helper()
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	directory := account.NewDirectory(d, clock.System)
	a, err := directory.Create(t.Context(), &account.Spec{Name: "Boutique", Email: "boutique@example.com", Plan: "free"})
	if err != nil {
		t.Fatal(err)
	}
	key, err := directory.CreateKey(t.Context(), a.ID, "", account.Live)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestServe_SendsEmailThroughARelay(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "griot.db") },
		"postgres": func() string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			r, port := startRelay(t)
			database := url()
			key := withAccount(t, database)
			s := startServe(t, database, port)
			sent, err := call("POST", s.api+"/api/send", `{"channel":"email","to":"awa@example.com","subject":"Commande n° 2041","message":"Elle est prête.","html":"<p>Elle est <b>prête</b>.</p>"}`, "Authorization: Bearer "+key)
			if err != nil || sent.status != 200 || sent.text("status") != "SENT" {
				t.Fatalf("%v, %+v\n%s", err, sent, s.out)
			}
			r.mu.Lock()
			if len(r.got) != 1 || !strings.Contains(r.got[0].Header.Get("Message-Id"), sent.text("messageId")) || r.got[0].Header.Get("From") == "" {
				t.Errorf("the relay has %+v", r.got)
			}
			r.mu.Unlock()
			refused, err := call("POST", s.api+"/api/send", `{"channel":"email","to":"awa@refused.example","message":"x"}`, "Authorization: Bearer "+key)
			if err != nil || refused.status != 502 || refused.body["messagesUsed"] != float64(1) {
				t.Errorf("%v, %+v", err, refused)
			}
			status, err := call("GET", s.api+"/api/status/"+refused.text("messageId"), "", "Authorization: Bearer "+key)
			if e, _ := status.body["error"].(map[string]any); err != nil || e["code"] != "recipient_refused" || e["providerCode"] != "550 5.1.1" {
				t.Errorf("%v, %s", err, status.raw)
			}
			none, err := call("POST", s.api+"/api/send", `{"channel":"sms","to":"22376000001","message":"x"}`, "Authorization: Bearer "+key)
			if err != nil || none.status != 409 {
				t.Errorf("SMS without a gateway: %v, %+v", err, none)
			}
			for _, source := range []string{"database", "queues", "senders", "webhooks"} {
				if got := sample(t, s.internal, `griot_measurement_success{source="`+source+`"}`); got != 1 {
					t.Errorf("metrics: measuring %s: %v, want 1", source, got)
				}
			}
			if got := sample(t, s.internal, `griot_clock_offset_seconds{source="database"}`); name == "postgres" && (got == -1 || got < -20 || got > 20) {
				t.Errorf("metrics: the database's clock, which is this machine's, is ahead by %v", got)
			}
			if phones, err := call("GET", s.api+"/dev/phones", ""); err != nil || phones.status != 404 {
				t.Errorf("serve has virtual phones: %v, %+v", err, phones)
			}
			if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := waitExit(s.cmd); err != nil {
				t.Errorf("it ended with %v\n%s", err, s.out)
			}
			if out := s.out.String(); strings.Contains(out, key) || strings.Contains(out, "awa@") || strings.Contains(out, "prête") || !strings.Contains(out, "griot is up") {
				t.Errorf("logged:\n%s", out)
			}
		})
	}
}

// Behind a proxy that is trusted each person has a limit of their own; without trust, what the header says counts for
// nothing, and the log says once why.
func TestServe_KnowsPeopleBehindItsProxies(t *testing.T) {
	for trusted, want := range map[string]int{"127.0.0.1": 202, "10.0.0.0/8": 429, "": 429} {
		_, port := startRelay(t)
		s := startServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), mailGateway(port)+"email: {gateway: mail, from: bonjour@griot.example}\nrate_limits: true\ntrusted_proxies: ["+trusted+"]\n")
		ask := func(n int, from string) int {
			a, err := call("POST", s.api+"/api/session", fmt.Sprintf(`{"email":"nobody-%d@example.com"}`, n), "Origin: "+s.api, "X-Forwarded-For: "+from)
			if err != nil {
				t.Fatal(err)
			}
			return a.status
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
		if _, err := call("GET", s.auth+"/healthz", "", "X-Forwarded-For: 203.0.113.1"); err != nil {
			t.Fatal(err)
		}
		warnings := 0
		if want == 429 {
			warnings = 1
		}
		if got := strings.Count(s.out.String(), "trusted_proxies"); got != warnings {
			t.Errorf("%q trusted: the log names trusted_proxies %d times, want %d", trusted, got, warnings)
		}
	}
}

// config check names every mistake, those that only a driver knows too, and serve refuses with the same words.
func TestServe_RefusesABadConfiguration(t *testing.T) {
	dir := t.TempDir()
	text := "databse: x\napi: {url: https://api.example.com}\nauth: {url: https://login.example.com}\ngateways:\n  - {name: a, kind: smpt}\n  - name: b\n    kind: smtp\n    settings:\n      host: localhost\n      port: 99999\n  - {name: c, kind: smtp, settings: {hots: SECRET}}\n"
	if err := os.WriteFile(filepath.Join(dir, "griot.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(wantCode int, args ...string) (stdout, stderr string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), binary, args...)
		var out, errs strings.Builder
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
		cmd.Env = append(environ(), "GRIOT_MASTER_KEY="+seal.NewMasterKey(), "GRIOT_SEND_WAITT=3s")
		if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != wantCode {
			t.Fatalf("%v: %v, want exit code %d\n%s%s", args, err, wantCode, out.String(), errs.String())
		}
		return out.String(), errs.String()
	}
	const want = `griot: the configuration has 5 mistakes:
  GRIOT_SEND_WAITT: there is no such variable (did you mean GRIOT_SEND_WAIT?)
  griot.yaml:1: databse: there is no such setting (did you mean database?)
  griot.yaml:5: gateways[0].kind: there is no such kind (there are cloudapi, httpmail, httpsms, remote, resend, smpp, smsgate, smtp, twilio)
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
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Dir = dir
		cmd.Env = append(environ(), "GRIOT_MASTER_KEY="+seal.NewMasterKey(), "GRIOT_AUTH_URL=https://login.example.com", "GRIOT_API_URL=https://api.example.com")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	files, err := filepath.Glob("../../internal/db/migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d migrations, %v", len(files), err)
	}
	files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, ".postgres.sql") }) // this one is on SQLite
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
