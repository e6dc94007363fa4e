package operate_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/certificate/certtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

const (
	loginHost, apiHost = "localhost", "127.0.0.1" // names that resolve to this machine everywhere
	visitorAddress     = "127.0.5.1"              // not the proxy's own
	visitorNetwork     = "127.0.5.0/24"
)

// publicURLs returns the addresses of both services behind a proxy.
func publicURLs(port int) (login, api string) {
	return fmt.Sprintf("https://%s:%d", loginHost, port), fmt.Sprintf("https://%s:%d", apiHost, port)
}

// runProxy runs a proxy with the configuration that init has written, and returns a client of its public addresses,
// whose requests come from visitorAddress. Only the ports and the path of the certificate differ from those on a
// server.
func runProxy(t *testing.T, kind, written string, port int, files certtest.Files, authListen, apiListen string) *http.Client {
	t.Helper()
	dir, http80, https443 := t.TempDir(), fmt.Sprintf("127.0.0.1:%d", systemtest.FreePort(t)), fmt.Sprintf("127.0.0.1:%d", port)
	b, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	replace := []string{"127.0.0.1:8081", authListen, "127.0.0.1:8080", apiListen}
	for _, host := range []string{loginHost, apiHost} { // the paths of certbot
		live := "/etc/letsencrypt/live/" + host
		replace = append(replace, live+"/fullchain.pem", files.Cert, live+"/privkey.pem", files.Key)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var before string
	var args []string
	switch config := filepath.Join(dir, "proxy.conf"); kind {
	case "nginx":
		before = "daemon off;\npid " + dir + "/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"
		if os.Geteuid() == 0 {
			before = "user root;\n" + before // the test's directories belong to root
		}
		for _, of := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
			before += of + "_temp_path " + dir + "/" + of + ";\n"
		}
		b = append(b, "}\n"...)
		replace = append(replace, "    listen [::]:80;\n", "", "    listen [::]:443 ssl http2;\n", "", "listen 80;", "listen "+http80+";", "listen 443 ssl", "listen "+https443+" ssl")
		args = []string{"-p", dir, "-c", config}
	case "caddy":
		_, plain, _ := strings.Cut(http80, ":")
		_, secure, _ := strings.Cut(https443, ":")
		before = "{\nadmin off\ndefault_bind 127.0.0.1\nhttp_port " + plain + "\nhttps_port " + secure + "\n}\n"
		args = []string{"run", "--config", config, "--adapter", "caddyfile"}
	case "haproxy":
		before = "global\ndefaults\n\tmode http\n\ttimeout connect 5000\n\ttimeout client 50000\n\ttimeout server 50000\n" // like Debian's
		cert, err := os.ReadFile(files.Cert)
		key, errKey := os.ReadFile(files.Key)
		if err := errors.Join(err, errKey); err != nil {
			t.Fatal(err)
		}
		write("certs/griot.pem", string(cert)+string(key))
		replace = append(replace, ":::80 v4v6", http80, ":::443 v4v6", https443, "/etc/haproxy/certs/", dir+"/certs/")
		args = []string{"-db", "-f", config}
	}
	write("proxy.conf", before+strings.NewReplacer(replace...).Replace(string(b)))

	program, err := exec.LookPath(kind)
	if err != nil {
		program = "/usr/sbin/" + kind // it might not be in an account's PATH
	}
	out := &systemtest.Buffer{}
	cmd := exec.CommandContext(context.Background(), program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, out, out, append(systemtest.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: run make setup", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // with its workers
		_ = systemtest.WaitExit(cmd)
		if t.Failed() {
			t.Logf("%s:\n%s", kind, out)
		}
	})
	for _, address := range []string{http80, https443} {
		waittest.Until(t, func() error {
			c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
			if err == nil {
				err = c.Close()
			}
			return err
		})
	}
	transport := &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: files.Pool, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
			address := https443
			if strings.HasSuffix(to, ":80") {
				address = http80
			}
			return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(visitorAddress)}}).DialContext(ctx, network, address)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// ask sends a request to a proxy. The caller must close the response's body.
func ask(t *testing.T, c *http.Client, method, url string, body []byte, header http.Header) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if header != nil {
		req.Header = header
	}
	res, err := c.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return res
}

// answer sends a request like ask, and returns the status and the whole body.
func answer(t *testing.T, c *http.Client, method, url string, body []byte, header http.Header) (*http.Response, string) {
	t.Helper()
	res := ask(t, c, method, url, body, header)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return res, string(b)
}
