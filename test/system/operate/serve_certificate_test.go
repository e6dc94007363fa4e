package operate_test

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
	"testing"
	"time"

	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// startWithCertificate starts griot serve with a certificate.
func startWithCertificate(t *testing.T, files certtest.Files) *systemtest.Server {
	t.Helper()
	dir, ports := t.TempDir(), []int{systemtest.FreePort(t), systemtest.FreePort(t), systemtest.FreePort(t)}
	s := &systemtest.Server{Out: &systemtest.Buffer{}, Api: fmt.Sprintf("https://127.0.0.1:%d", ports[0]), Auth: fmt.Sprintf("https://127.0.0.1:%d", ports[1]), Internal: fmt.Sprintf("http://127.0.0.1:%d", ports[2])}
	file := fmt.Sprintf("api: {url: %q, listen: \"127.0.0.1:%d\"}\nauth: {url: %q, listen: \"127.0.0.1:%d\"}\ninternal: {listen: \"127.0.0.1:%d\"}\ntls: {cert: %q, key: %q}\n", s.Api, ports[0], s.Auth, ports[1], ports[2], files.Cert, files.Key)
	if err := os.WriteFile(filepath.Join(dir, "griot.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Cmd = exec.CommandContext(context.Background(), systemtest.Binary, "serve")
	s.Cmd.Dir, s.Cmd.Stdout, s.Cmd.Stderr = dir, s.Out, s.Out
	s.Cmd.Env = append(systemtest.Environ(), "GRIOT_MASTER_KEY="+seal.NewMasterKey())
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
	return s
}

// A renewed certificate is used after SIGHUP. After half of a renewal, the previous one stays in use.
func TestServe_ReadsItsCertificateAgain(t *testing.T) {
	dir := t.TempDir()
	ends := time.Now().AddDate(0, 3, 0)
	old := certtest.Write(t, dir, ends)
	s := startWithCertificate(t, old)
	trusts := func(pool *x509.CertPool, want bool) {
		t.Helper()
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		for _, url := range []string{s.Auth + "/healthz", s.Api + "/healthz"} {
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
	if err := os.WriteFile(old.Key, key, 0o600); err != nil { // the renewal has written only one of two files
		t.Fatal(err)
	}
	s.HangUp(t, "the certificate stays as it was", 1)
	trusts(old.Pool, true)
	trusts(renewed.Pool, false)
	if err := os.WriteFile(old.Key, next, 0o600); err != nil {
		t.Fatal(err)
	}
	s.HangUp(t, "the certificate was read again", 1)
	trusts(renewed.Pool, true)
	if out := s.Out.String(); strings.Contains(out, "PRIVATE KEY") || strings.Contains(out, "expires within") {
		t.Errorf("logged:\n%s", out)
	}
	soon := time.Now().AddDate(0, 0, 5)
	expiring := certtest.Write(t, dir, soon)
	s.HangUp(t, "it expires within 14 days", 1)
	if got := systemtest.Metric(t, s.Internal, `griot_tls_certificate_expiry_timestamp_seconds{certificate="tls.cert"}`); got != float64(soon.Unix()) {
		t.Errorf("the metric says that it expires at %v, want %d", got, soon.Unix())
	}
	trusts(expiring.Pool, true)
}
