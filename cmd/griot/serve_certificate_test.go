package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/seal"
)

// startWithCertificate starts griot serve with a certificate of its own.
func startWithCertificate(t *testing.T, files certtest.Files) *server {
	t.Helper()
	dir, ports := t.TempDir(), []int{freePort(t), freePort(t), freePort(t)}
	s := &server{out: &safeBuffer{}, api: fmt.Sprintf("https://127.0.0.1:%d", ports[0]), auth: fmt.Sprintf("https://127.0.0.1:%d", ports[1]), internal: fmt.Sprintf("http://127.0.0.1:%d", ports[2])}
	file := fmt.Sprintf("api: {url: %q, listen: \"127.0.0.1:%d\"}\nauth: {url: %q, listen: \"127.0.0.1:%d\"}\ninternal: {listen: \"127.0.0.1:%d\"}\ntls: {cert: %q, key: %q}\n", s.api, ports[0], s.auth, ports[1], ports[2], files.Cert, files.Key)
	if err := os.WriteFile(filepath.Join(dir, "griot.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.CommandContext(context.Background(), binary, "serve")
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = dir, s.out, s.out
	s.cmd.Env = append(environ(), "GRIOT_MASTER_KEY="+seal.NewMasterKey())
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	eventually(t, 20*time.Second, func() error {
		if r, err := call("GET", s.internal+"/readyz", ""); err != nil || r.status != 200 {
			return fmt.Errorf("%w\n%s", errors.Join(err, errNotYet), s.out)
		}
		return nil
	})
	return s
}

// hangUp sends SIGHUP, and waits until the log has a line n times.
func (s *server) hangUp(t *testing.T, line string, n int) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, func() error {
		if got := strings.Count(s.out.String(), line); got != n {
			return fmt.Errorf("the log has %q %d times, want %d:\n%s", line, got, n, s.out)
		}
		return nil
	})
}

// A certificate that was renewed is there after SIGHUP; half of a renewal leaves the one that was there.
func TestServe_ReadsItsCertificateAgain(t *testing.T) {
	dir := t.TempDir()
	ends := time.Now().AddDate(0, 3, 0)
	old := certtest.Write(t, dir, ends)
	s := startWithCertificate(t, old)
	trusts := func(pool *x509.CertPool, want bool) {
		t.Helper()
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		for _, url := range []string{s.auth + "/healthz", s.api + "/healthz"} {
			res, err := (&http.Client{Transport: transport, Timeout: 20 * time.Second}).Get(url)
			if err == nil {
				_ = res.Body.Close()
			}
			if (err == nil) != want || want && (res.StatusCode != http.StatusOK || res.ProtoMajor != 2) {
				t.Errorf("%s: got %+v, %v; want it trusted: %v", url, res, err, want)
			}
		}
	}
	trusts(old.Pool, true)

	key, err := os.ReadFile(old.Key)
	if err != nil {
		t.Fatal(err)
	}
	renewed := certtest.Write(t, dir, ends)
	next, err := os.ReadFile(renewed.Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old.Key, key, 0o600); err != nil { // the renewal has written one of two files
		t.Fatal(err)
	}
	s.hangUp(t, "the certificate stays as it was", 1)
	trusts(old.Pool, true)
	trusts(renewed.Pool, false)
	if err := os.WriteFile(old.Key, next, 0o600); err != nil {
		t.Fatal(err)
	}
	s.hangUp(t, "the certificate was read again", 1)
	trusts(renewed.Pool, true)
	if out := s.out.String(); strings.Contains(out, "PRIVATE KEY") || strings.Contains(out, "expires within") {
		t.Errorf("logged:\n%s", out)
	}
	soon := time.Now().AddDate(0, 0, 5)
	expiring := certtest.Write(t, dir, soon)
	s.hangUp(t, "it expires within 14 days", 1)
	if got := sample(t, s.internal, `griot_tls_certificate_expiry_timestamp_seconds{certificate="tls.cert"}`); got != float64(soon.Unix()) {
		t.Errorf("the metric says that it expires at %v, want %d", got, soon.Unix())
	}
	trusts(expiring.Pool, true)
}
