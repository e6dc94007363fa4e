package operate_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/doctor"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// examined runs griot doctor as a server's operator.
func examined(s *systemtest.Server, t *testing.T) doctor.Report {
	t.Helper()
	c := s.Command("", "doctor", "--json")
	c.Path, c.Args[0] = s.Cmd.Path, s.Cmd.Path
	out, err := c.Output()
	var r doctor.Report
	if jsonErr := json.Unmarshal(out, &r); jsonErr != nil {
		t.Fatalf("griot doctor --json: %v, %v\n%s", err, jsonErr, out)
	}
	if exit, failed := errors.AsType[*exec.ExitError](err); failed == r.OK || failed && exit.ExitCode() != 1 {
		t.Errorf("griot doctor: %v, though ok is %v", err, r.OK)
	}
	if bytes.Contains(out, []byte(systemtest.RemoteSecret)) {
		t.Errorf("a secret is shown:\n%s", out)
	}
	return r
}

// finds checks that a check reports a finding, about a subject if there is one.
func finds(t *testing.T, r doctor.Report, check, subject string, status doctor.Status, text string) {
	t.Helper()
	var found []doctor.Finding
	for _, f := range r.Findings {
		if f.Check == check {
			found = append(found, f)
		}
		if f.Check == check && (subject == "" || f.Subject == subject) && f.Status == status && strings.Contains(f.Text, text) {
			if status == doctor.Failed && f.Hint == "" {
				t.Errorf("%s %s: %q, and no way to repair it", check, subject, f.Text)
			}
			return
		}
	}
	t.Errorf("%s %s: got %+v, want %s %q", check, subject, found, status, text)
}

// smallDisk returns a directory on a separate disk of a few MiB; ok is false if this system or user can't create one.
func smallDisk(t *testing.T) (folder string, ok bool) {
	t.Helper()
	folder = t.TempDir()
	if exec.CommandContext(context.Background(), "mount", "-t", "tmpfs", "-o", "size=96m,mode=700", "tmpfs", folder).Run() != nil {
		return t.TempDir(), false
	}
	t.Cleanup(func() { _ = exec.CommandContext(context.Background(), "umount", "-l", folder).Run() })
	return folder, true
}

// fill writes to a disk until it is full.
func fill(t *testing.T, folder string) {
	t.Helper()
	f, err := os.Create(filepath.Join(folder, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	block := make([]byte, 64<<10)
	for size := len(block); size > 0; {
		if _, err := f.Write(block[:size]); err != nil {
			size /= 2
		}
	}
}

// The story of a deployment with faults: each fault is named by griot doctor, by a line of the log, and by a metric.
// It takes more than 10 seconds, because it waits until the server has noticed each fault in its next measurement.
func TestDoctor_NamesEachFault(t *testing.T) {
	t.Parallel()
	program, err := systemtest.FailpointBinary()
	if err != nil {
		t.Fatal(err)
	}
	var status atomic.Int64
	status.Store(http.StatusOK)
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(int(status.Load()))
		var m struct{ Reference string }
		if r.URL.Path == "/info" {
			_, _ = fmt.Fprint(w, `{"protocol":1,"deduplicates":true,"states":[{"channel":"sms","from":"22370000001","state":"connected"}]}`)
			return
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		_, _ = fmt.Fprintf(w, `{"reference":%q,"providerId":"p"}`, m.Reference)
	}))
	defer far.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	folder, small := smallDisk(t)
	path := filepath.Join(folder, "griot.db")
	key := systemtest.WithSenders(t, "sqlite:"+path, "unlimited", map[gateway.Channel]string{gateway.SMS: "far"})
	dir, ports := t.TempDir(), []int{systemtest.FreePort(t), systemtest.FreePort(t), systemtest.FreePort(t)}
	cert := certtest.Write(t, dir, time.Now().AddDate(0, 0, -1))
	s := &systemtest.Server{Out: &systemtest.Buffer{}, Api: fmt.Sprintf("https://127.0.0.1:%d", ports[0]), Auth: fmt.Sprintf("https://127.0.0.1:%d", ports[1]), Internal: fmt.Sprintf("http://127.0.0.1:%d", ports[2])}
	remote := func(name, url, channel string) string {
		return fmt.Sprintf("  - {name: %s, kind: remote, settings: {url: %q, channels: [%s], keys: [{id: k1, secret: %s}]}}\n", name, url, channel, systemtest.RemoteSecret)
	}
	file := fmt.Sprintf("api: {url: %q, listen: \"127.0.0.1:%d\"}\nauth:\n  url: %q\n  listen: \"127.0.0.1:%d\"\n  receivers: [{phone_id: p1, number: \"+22370000099\", gateway: gone, secret: %s}]\ninternal: {listen: \"127.0.0.1:%d\"}\ntls: {cert: %q, key: %q}\nrate_limits: false\ngateways:\n",
		s.Api, ports[0], s.Auth, ports[1], strings.Repeat("a", 64), ports[2], cert.Cert, cert.Key) + remote("far", far.URL, "sms") + remote("gone", gone.URL, "whatsapp") +
		fmt.Sprintf("  - {name: old, kind: cloudapi, settings: {base_url: %q, api_version: v3.0, access_token: a, phone_numbers: [{id: \"1\", number: \"+22370000098\"}]}}\n", far.URL)
	if err := os.WriteFile(filepath.Join(dir, "griot.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Cmd = exec.CommandContext(context.Background(), program, "serve")
	s.Cmd.Dir = dir
	s.Cmd.Env = append(systemtest.Environ(), "GRIOT_MASTER_KEY="+seal.NewMasterKey(), "GRIOT_DATABASE=sqlite:"+path, "TEST_CLOCK_OFFSET=-10m")

	r := examined(s, t) // no server runs
	finds(t, r, "server", "", doctor.Unknown, "no server runs")
	finds(t, r, "database", "", doctor.OK, "sqlite")
	finds(t, r, "gateways", "far", doctor.OK, "accepts")
	finds(t, r, "lock", "", doctor.OK, "no program holds it")
	held, err := db.LockFile(path + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	finds(t, examined(s, t), "lock", "", doctor.Failed, "another process has the database open")
	systemtest.Must(t, held.Release())

	s.Cmd.Stdout, s.Cmd.Stderr = s.Out, s.Out
	if err := s.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Cmd.Process.Kill(); _ = s.Cmd.Wait() })
	waittest.Until(t, func() error {
		if r, err := systemtest.Call("GET", s.Internal+"/readyz", ""); err != nil || r.Status != 200 {
			return fmt.Errorf("%w\n%s", errors.Join(err, systemtest.ErrNotYet), s.Out)
		}
		return nil
	})
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: cert.Pool, MinVersion: tls.VersionTLS12, Time: func() time.Time { return time.Now().AddDate(0, 0, -2) }}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	send := func() error { // the result doesn't matter
		req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodPost, s.Api+"/api/send", strings.NewReader(`{"channel":"sms","to":"22376000001","message":"x","retry":{"maxAttempts":1}}`))
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+key)
		res, err := client.Do(req)
		if err == nil {
			err = res.Body.Close()
		}
		return err
	}
	says := func(line, metric string, fits func(float64) bool) {
		t.Helper()
		waittest.Until(t, func() error {
			if !strings.Contains(s.Out.String(), line) {
				return fmt.Errorf("%w: the log has no %q:\n%s", systemtest.ErrNotYet, line, s.Out)
			}
			if got := systemtest.Metric(t, s.Internal, metric); !fits(got) {
				return fmt.Errorf("%w: %s is %v", systemtest.ErrNotYet, metric, got)
			}
			return nil
		})
	}
	some := func(v float64) bool { return v > 0 }

	systemtest.Must(t, send())
	gone.Close()
	r = examined(s, t)
	finds(t, r, "server", "", doctor.OK, "responds")
	finds(t, r, "lock", "", doctor.OK, "the server has the database")
	finds(t, r, "gateways", "far", doctor.OK, "accepts")
	finds(t, r, "gateways", "gone", doctor.Failed, "doesn't respond")
	finds(t, r, "gateways", "old", doctor.OK, "accepts")
	finds(t, r, "gateways", "old", doctor.Failed, "version v3.0 of the Graph API")
	finds(t, r, "receivers", "p1", doctor.Failed, "no one can sign in")
	finds(t, r, "mail", "", doctor.Warning, "no email gateway")
	finds(t, r, "proxies", "auth.url", doctor.OK, "without a proxy")
	finds(t, r, "proxies", "api.url", doctor.OK, "without a proxy")
	finds(t, r, "certificate", "tls.cert", doctor.Failed, "expired")
	finds(t, r, "tls", "api.url", doctor.Failed, "expired")
	finds(t, r, "clock", "", doctor.Failed, "behind the gateways' clock")
	says("the certificate should be replaced", `griot_tls_certificate_expiry_timestamp_seconds{certificate="tls.cert"}`, func(v float64) bool { return v > 0 && v < float64(time.Now().Unix()) })
	says("a gateway stopped working", `griot_gateway_up{gateway="gone"}`, func(v float64) bool { return v == 0 })
	says("this machine's clock is off", `griot_clock_offset_seconds{source="gateway"}`, func(v float64) bool { return v > 590 && v < 610 })

	status.Store(http.StatusUnauthorized)
	systemtest.Must(t, send())
	finds(t, examined(s, t), "gateways", "far", doctor.Failed, "doesn't accept the configured credentials")
	says(`"code":"credentials_refused"`, `griot_gateway_up{gateway="far"}`, func(v float64) bool { return v == 0 })

	other, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	other.SetMaxOpenConns(1)
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() { sent <- send() }() // waits for the lock without success
	finds(t, examined(s, t), "lock", "", doctor.Failed, "another program holds SQLite's lock")
	says("database is locked", `griot_database_write_failures_total{reason="locked"}`, some)
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	systemtest.Must(t, <-sent)
	if !small { // this user can't create a disk that can be filled
		return
	}
	waittest.Until(t, func() error {
		if got := systemtest.Metric(t, s.Internal, "griot_database_up"); got != 1 {
			return systemtest.ErrNotYet
		}
		return nil
	})
	fill(t, folder)
	waittest.Until(t, func() error { // free space in the log's pages is used first
		if err := send(); err != nil {
			return err
		}
		if systemtest.Metric(t, s.Internal, `griot_database_write_failures_total{reason="disk_full"}`) < 1 {
			return systemtest.ErrNotYet
		}
		return nil
	})
	finds(t, examined(s, t), "disk", "", doctor.Failed, "full")
	says("disk is full", `griot_database_write_failures_total{reason="disk_full"}`, some)
}

// If the server has lost its database, the report names the database, and blames neither the address nor the key.
func TestDoctor_AServerWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	address := dbtest.PostgresURL(t)
	s := systemtest.StartNode(t, address, "", seal.NewMasterKey())
	admin, err := url.Parse(address)
	systemtest.Must(t, err)
	name := strings.TrimPrefix(admin.Path, "/")
	admin.Path = "/postgres"
	out, err := exec.CommandContext(t.Context(), dbtest.Tool(t, "psql"), admin.String(), "-c", "ALTER DATABASE "+name+" ALLOW_CONNECTIONS false",
		"-c", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+name+"'").CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
	r := examined(s, t)
	finds(t, r, "server", "", doctor.Failed, "database doesn't respond")
	for _, f := range r.Findings {
		if f.Check == "server" && (strings.Contains(f.Hint, "internal.listen") || strings.Contains(f.Hint, "master key")) {
			t.Errorf("the hint blames another setting: %+v", f)
		}
	}
}
