package operate_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/seal"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// byName requests a URL with another Host, like a page whose own name points to this machine.
func byName(t *testing.T, url, host string) (status int, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	res, err := http.DefaultTransport.RoundTrip(r) // redirects are returned, too
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode, res.Header
}

// ended runs the program, which must exit on its own, and returns its output.
func ended(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	const most = 20 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	cmd := exec.CommandContext(ctx, systemtest.Binary, args...)
	cmd.Env = append(systemtest.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Errorf("griot %v went on for %v", args, most)
	}
	return string(out), err
}

func TestDev_AnswersToItsNamesOnly(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory", "--allow-host", "griot.test", "--allow-host", "phones.griot.test", "--allow-host", "Café.test")
	for _, url := range []string{p.BaseURL + "/healthz", p.BaseURL + "/dev/phones-list", p.BaseURL + "/openapi.yaml", p.AuthURL + "/healthz", p.AuthURL + "/openapi.yaml", p.InternalURL + "/readyz", p.InternalURL + "/debug/pprof/cmdline"} {
		port := url[strings.LastIndex(url, ":"):]
		port, _, _ = strings.Cut(port, "/")
		for host, want := range map[string]int{
			"127.0.0.1" + port: 200, "[::1]" + port: 200, "localhost" + port: 200, "griot.test" + port: 200, "phones.griot.test": 200, "xn--caf-dma.test": 200, "192.168.1.20": 200,
			"evil.example" + port: 421, "localhost.evil.example": 421,
		} {
			if got, _ := byName(t, url, host); got != want {
				t.Errorf("%s as %s: got %d, want %d", url, host, got, want)
			}
		}
	}
	if strings.Contains(p.Out.String(), "WARNING") {
		t.Errorf("it warns without a reason:\n%s", p.Out)
	}
}

// serve's internal listener refuses a page whose own name points to this machine. The public ones serve every name,
// because a proxy can change it. Log lines of the standard library have the log's format.
func TestServe_InternalListenerAnswersToAddressesOnly(t *testing.T) {
	s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "")
	for host, want := range map[string]int{"": 200, "127.0.0.1:1": 200, "[::1]": 200, "localhost:8082": 200, "evil.example": 421, "localhost.evil.example": 421, "griot.internal:8082": 421} {
		for _, path := range []string{"/readyz", "/metrics", "/debug/pprof/cmdline"} {
			if got, _ := byName(t, s.Internal+path, host); got != want {
				t.Errorf("%s as %q: got %d, want %d", path, host, got, want)
			}
		}
	}
	if got, _ := byName(t, s.Auth+"/healthz", "evil.example"); got != 200 {
		t.Errorf("a public listener: %d", got)
	}
}

// A gateway sends more than requested, and Go's HTTP client logs a warning with the standard logger.
func TestServe_TheStandardLoggerHasTheLogsFormat(t *testing.T) {
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				const info = `{"protocol":1,"deduplicates":true}`
				for r := bufio.NewReader(c); ; {
					if _, err := http.ReadRequest(r); err != nil {
						return
					}
					_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(info), info)
					time.Sleep(100 * time.Millisecond) // the connection is idle then
					_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\n\r\n")
				}
			}()
		}
	}()
	s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), fmt.Sprintf("gateways:\n  - {name: far, kind: remote, settings: {url: \"http://%s\", channels: [sms], keys: [{id: k1, secret: %s}]}}\n", l.Addr(), systemtest.RemoteSecret))
	waittest.Until(t, func() error {
		for line := range strings.Lines(s.Out.String()) {
			if strings.Contains(line, "Unsolicited response") {
				if !strings.HasPrefix(line, "{") {
					t.Errorf("the line %q", line)
				}
				return nil
			}
		}
		return systemtest.ErrNotYet
	})
}

func TestDev_AnswersStayOutOfCaches(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	for _, url := range []string{
		p.BaseURL + "/", p.BaseURL + "/dev/demo", p.BaseURL + "/dev/demo/start/0", p.BaseURL + "/dev/phones-list", p.BaseURL + "/dev/phones/22376000001/messages", p.BaseURL + "/dev/attempts/none",
		p.BaseURL + "/dev/none", p.BaseURL + "/gateways/none/x", p.BaseURL + "/gateways/phones/x", p.InternalURL + "/readyz", p.InternalURL + "/internal/verify", p.InternalURL + "/admin/none", p.InternalURL + "/debug/pprof/cmdline", p.InternalURL + "/none",
	} {
		if status, h := byName(t, url, ""); h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d with Cache-Control %q, want no-store", url, status, h.Get("Cache-Control"))
		}
	}
}

func TestDev_SaysWhenItListensBeyondThisMachine(t *testing.T) {
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory", "--api-listen", "0.0.0.0:0") // the last one of a flag counts
	waittest.Until(t, func() error {                                                            // the banner is printed after dev.json is written
		if out := p.Out.String(); !strings.Contains(out, "WARNING: Griot listens beyond this machine") || !strings.Contains(out, "level=WARN") {
			return fmt.Errorf("%w: got no warning in the banner or in the log:\n%s", systemtest.ErrNotYet, out)
		}
		return nil
	})
	for _, address := range []string{"0.0.0.0:0", "[::]:0", ":0", "192.0.2.1:8082"} {
		out, err := ended(t, nil, "dev", "--data", t.TempDir(), "--api-listen", "127.0.0.1:0", "--auth-listen", "127.0.0.1:0", "--internal-listen", address)
		if err == nil || !strings.Contains(out, "--internal-listen must be a loopback address") {
			t.Errorf("--internal-listen %s: %v\n%s", address, err, out)
		}
	}
	if out, err := ended(t, nil, "dev", "--data", t.TempDir(), "--allow-host", "http://griot.test"); err == nil || !strings.Contains(out, "--allow-host must be a name") {
		t.Errorf("--allow-host with a scheme: %v\n%s", err, out)
	}
}

// Behind a proxy that terminates TLS, browsers are told to use https from then on (Strict-Transport-Security).
func TestServe_SaysThatItIsHttpsOnly(t *testing.T) {
	t.Setenv("GRIOT_API_URL", "https://api.example.com")
	t.Setenv("GRIOT_AUTH_URL", "https://login.example.com")
	s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "")
	for url, want := range map[string]string{
		s.Api + "/healthz": "max-age=31536000", s.Api + "/none": "max-age=31536000", s.Api + "/gateways/none/x": "max-age=31536000", s.Auth + "/healthz": "max-age=31536000", s.Internal + "/readyz": "",
	} {
		if _, h := byName(t, url, ""); h.Get("Strict-Transport-Security") != want {
			t.Errorf("%s: got %q, want %q", url, h.Get("Strict-Transport-Security"), want)
		}
	}
}

func TestServe_RefusesHttpBeyondThisMachineAndAnOpenKey(t *testing.T) {
	dir := t.TempDir()
	key := filepath.Join(dir, "master.key")
	if err := os.WriteFile(key, []byte(seal.NewMasterKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := func(env ...string) string {
		out, err := ended(t, append([]string{
			"GRIOT_MASTER_KEY_FILE=" + key, "GRIOT_AUTH_URL=https://login.example.com", "GRIOT_API_URL=https://api.example.com", "GRIOT_DATABASE=sqlite:" + filepath.Join(dir, "griot.db"),
		}, env...), "serve")
		if err == nil {
			t.Errorf("it served with %q", env)
		}
		return out
	}
	if out := serve("GRIOT_API_URL=http://api.example.com"); !strings.Contains(out, "api.url: must be https") {
		t.Errorf("http: %s", out)
	}
	if err := os.Chmod(key, 0o644); err != nil {
		t.Fatal(err)
	}
	if out := serve(); !strings.Contains(out, "other users can read it") {
		t.Errorf("an open key: %s", out)
	}
	// It fails only at its listeners, whose address this machine does not have.
	if out := serve("GRIOT_MASTER_KEY_ANY_MODE=true", "GRIOT_INSECURE=true", "GRIOT_API_URL=http://api.example.com", "GRIOT_API_LISTEN=192.0.2.1:8080", "GRIOT_AUTH_LISTEN=127.0.0.1:0", "GRIOT_INTERNAL_LISTEN=127.0.0.1:0"); !strings.Contains(out, "others on this machine can read the master key") ||
		!strings.Contains(out, "public addresses may be http") || strings.Contains(out, "must be https") {
		t.Errorf("both, on purpose: %s", out)
	}
}
