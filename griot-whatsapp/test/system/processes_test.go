package system_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/fakewhatsapp"
)

// patience is the time limit of every wait.
const patience = 60 * time.Second

// programs are both binaries: Griot, which also fetches attachments from this machine, and this gateway with a
// connection to the fake WhatsApp.
var griot, linked string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "griot-whatsapp-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	griot, linked = filepath.Join(dir, "griot"), filepath.Join(dir, "griot-whatsapp")
	other := os.Getenv("GRIOT_TEST_LINKED_PROGRAM") // an older one, to compare measurements
	if other != "" {
		linked = other
	}
	code := 1
	if build("../../..", griot, "-tags", "failpoints", "./cmd/griot") && (other != "" || build("../..", linked, "-tags", "fakewhatsapp", "./cmd/griot-whatsapp")) {
		code = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func build(dir, program string, args ...string) bool {
	c := exec.Command("go", append([]string{"build", "-o", program}, args...)...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building %s: %v\n%s", args, err, out)
		return false
	}
	return true
}

// output is the output of a process so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// environ returns the environment of the programs under test, without the variables that only tests have, because the
// programs refuse them.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GRIOT_TEST_") })
}

// process is a running program.
type process struct {
	cmd *exec.Cmd
	out *output
}

func start(t *testing.T, dir string, env []string, program string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(context.Background(), program, args...), out: &output{}}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = dir, append(environ(), env...), p.out, p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// kill kills the process, like kill -9.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// stop ends the process, like systemd.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
}

// eventually repeats a check until it returns no problem.
func eventually(t *testing.T, what string, check func() string) {
	t.Helper()
	within(t, patience, what, check)
}

// within is like eventually, with its own time limit.
func within(t *testing.T, patience time.Duration, what string, check func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		complaint := check()
		if complaint == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: still not after %v: %s", what, patience, complaint)
		}
		<-tick.C
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	for range 1000 {
		port := int(nextPort.Add(1))
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// nextPort is below the ports that a system assigns automatically, so that no listener or connection of another test
// gets a port between its choice and its use. Concurrent runs start at different ports.
var nextPort = func() *atomic.Int32 {
	var n atomic.Int32
	n.Store(int32(6_000 + os.Getpid()%20*200))
	return &n
}()

type reply struct {
	status int
	raw    string
	header http.Header
	body   map[string]any
}

var noRedirects = &http.Client{Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func call(t *testing.T, method, url, body string, headers ...string) (*reply, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := noRedirects.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	got := &reply{status: answer.StatusCode, raw: string(raw), header: answer.Header}
	_ = json.Unmarshal(raw, &got.body) // if it is JSON
	return got, err
}

// deployment is a directory with the settings of both programs.
type deployment struct {
	t             *testing.T
	whatsApp      *fakewhatsapp.Server
	dir           string
	env           []string
	api, auth     string
	internal      string
	gateway       string // the address at which Griot finds griot-whatsapp
	probes        string // of griot-whatsapp
	griot, linked *process
}

const secret = "a-secret-of-at-least-32-characters"

func deploy(t *testing.T, s *fakewhatsapp.Server, receiver string) *deployment {
	t.Helper()
	url := func(port int) string { return fmt.Sprintf("http://127.0.0.1:%d", port) }
	ports := []int{freePort(t), freePort(t), freePort(t), freePort(t), freePort(t)}
	root := fakewhatsapp.Root()
	d := &deployment{
		t: t, whatsApp: s, dir: t.TempDir(), api: url(ports[0]), auth: url(ports[1]), internal: url(ports[2]), gateway: url(ports[3]), probes: fmt.Sprintf("127.0.0.1:%d", ports[4]),
		env: []string{"GRIOT_WHATSAPP_FAKE=" + s.Addr + "," + hex.EncodeToString(root[:]), "GRIOT_WHATSAPP_CONFIG=griot-whatsapp.yaml"},
	}
	for name, text := range map[string]string{
		"griot.key": "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\n",
		"griot.yaml": fmt.Sprintf(`
database: sqlite:griot.db
master_key_file: griot.key
api: {url: %q, listen: "127.0.0.1:%d"}
internal: {listen: "127.0.0.1:%d"}
auth: {url: %q, listen: "127.0.0.1:%d", receivers: [{phone_id: p1, number: %q, gateway: linked, secret: %s}]}
gateways:
  - name: linked
    kind: remote
    settings: {url: %q, channels: [whatsapp], info_interval: 1, keys: [{id: k1, secret: %s}]}
plans: off
rate_limits: false
`, d.api, ports[0], ports[2], d.auth, ports[1], receiver, secret, url(ports[3]), secret),
		"griot-whatsapp.yaml": fmt.Sprintf(`
listen: 127.0.0.1:%d
griot: %s/gateways/linked
keys: [{id: k1, secret: %s}]
pace: {sender: 0, pair: 0}
metrics: {listen: %s}
`, ports[3], d.api, secret, d.probes),
	} {
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *deployment) startGriot() {
	d.t.Helper()
	d.griot = start(d.t, d.dir, []string{"GRIOT_FETCH_FROM_HERE=1"}, griot, "serve")
	eventually(d.t, "griot serve", func() string {
		if r, err := call(d.t, "GET", d.internal+"/readyz", ""); err != nil || r.status != http.StatusOK {
			return fmt.Sprintf("%v\n%s", err, d.griot.out)
		}
		return ""
	})
}

// startLinked starts this gateway and returns when it can be called and its numbers are connected.
func (d *deployment) startLinked(numbers int) {
	d.t.Helper()
	d.linked = start(d.t, d.dir, d.env, linked, "serve")
	eventually(d.t, "griot-whatsapp serve", func() string {
		_, err := call(d.t, "GET", d.gateway, "")
		if text := d.linked.out.String(); err != nil || strings.Count(text, "state=connected") < numbers {
			return fmt.Sprintf("%v\n%s", err, text)
		}
		return ""
	})
}

// pair links a number, with a QR code or a pairing code.
func (d *deployment) pair(number string, byCode bool) {
	d.t.Helper()
	args := []string{"pair", "--number", number, "--text"}
	if byCode {
		args = append(args, "--phone-code")
	}
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, linked, args...)
	c.Dir, c.Env = d.dir, append(environ(), d.env...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	lines, done := bufio.NewScanner(out), false
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "https://wa.me/"):
			err = d.whatsApp.ScanQR(line, number)
		case strings.Contains(line, "and type: "):
			err = d.whatsApp.EnterCode(line[strings.LastIndex(line, " ")+1:], number)
		case strings.Contains(line, "is linked"):
			done = true
		}
		if err != nil {
			d.t.Error(err)
		}
	}
	if err := c.Wait(); err != nil || !done {
		d.t.Fatalf("pairing %s: %v, %s, want it linked", number, err, errs.String())
	}
}

// pairByGriot links a sender's number with griot admin, and returns when the account sees it connected.
func (d *deployment) pairByGriot(sender, number, key string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, griot, "admin", "senders", "pair", sender, "--json")
	c.Dir, c.Env = d.dir, environ()
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var now struct{ QR string }
		err := json.Unmarshal(lines.Bytes(), &now)
		if err == nil && now.QR != "" {
			err = d.whatsApp.ScanQR(now.QR, number)
		}
		if err != nil {
			d.t.Error(err)
		}
	}
	if err := c.Wait(); err != nil {
		d.t.Fatalf("pairing %s: %v, %s\n%s", number, err, errs.String(), d.linked.out)
	}
	eventually(d.t, "the number that Griot has linked", func() string {
		r, err := call(d.t, "GET", d.api+"/api/senders/"+sender, "", key)
		if err != nil || !strings.Contains(r.raw, `"state":"connected"`) {
			return fmt.Sprintf("got %+v, %v, want it connected\n%s", r, err, d.linked.out)
		}
		return ""
	})
}
