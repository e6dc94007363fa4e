package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
)

const (
	startTime = time.Minute // maximum time until a node is ready on a loaded machine
	exitTime  = time.Minute
)

// node is one process of the deployment. It keeps its directory and ports when it is restarted.
type node struct {
	name                string
	program, dir        string
	env                 []string
	api, auth, internal string // addresses
	cmd                 *exec.Cmd
	exited              chan struct{} // closed after the process has ended
	avoidUntil          atomic.Int64  // in the time of the history
}

// nextPort is below the ports that a system assigns automatically. Concurrent runs start at different ports.
var nextPort = func() *atomic.Int32 {
	var n atomic.Int32
	n.Store(int32(30_100 + os.Getpid()%20*100))
	return &n
}()

func freePort(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := int(nextPort.Add(1))
		var l net.ListenConfig
		if socket, err := l.Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			_ = socket.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// newNode creates a node's directory. All nodes have the same public address of the login service, as behind a load
// balancer.
func newNode(t testing.TB, n int, o *Options, authURL, settings, masterKey string) *node {
	t.Helper()
	d := &node{name: fmt.Sprint(n), program: o.Program, dir: filepath.Join(t.TempDir(), fmt.Sprint("node", n))}
	d.api, d.auth, d.internal = address(t), address(t), address(t)
	if authURL == "" {
		authURL = d.auth
	}
	file := fmt.Sprintf("api: {url: %q, listen: %q}\ninternal: {listen: %q}\nauth: {url: %q, listen: %q}\n", d.api, listener(d.api), listener(d.internal), authURL, listener(d.auth)) + settings
	err := os.MkdirAll(d.dir, 0o700)
	for name, text := range map[string]string{"griot.yaml": file, "master.key": masterKey} {
		err = errors.Join(err, os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	environ := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GRIOT_TEST_") })
	d.env = append(environ, append([]string{"GRIOT_MASTER_KEY_FILE=" + filepath.Join(d.dir, "master.key"), "GRIOT_DATABASE=" + o.Database}, o.Environment...)...)
	t.Cleanup(d.kill)
	return d
}

func address(t testing.TB) string { return fmt.Sprintf("http://127.0.0.1:%d", freePort(t)) }

func listener(address string) string { return strings.TrimPrefix(address, "http://") }

// start starts the process, which writes to a log in its directory, and returns after it is ready.
func (d *node) start(t testing.TB) {
	t.Helper()
	d.launch(t)
	for end := time.Now().Add(startTime); !d.ready(); {
		select {
		case <-d.exited:
			t.Fatalf("node %s ended:\n%s", d.name, d.log())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatalf("node %s is not ready after %s:\n%s", d.name, startTime, d.log())
		}
	}
}

// launch starts the process.
func (d *node) launch(t testing.TB) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(d.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), d.program, "serve")
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = d.dir, d.env, log, log
	err = cmd.Start()
	_ = log.Close()
	if err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	d.cmd, d.exited = cmd, exited
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
}

func (d *node) ready() bool {
	for _, url := range []string{d.internal + "/readyz", d.auth + "/healthz", d.api + "/healthz"} {
		if r, err := request(http.MethodGet, url, nil, time.Second); err != nil || r.status != http.StatusOK {
			return false
		}
	}
	return true
}

// log returns the end of the process's output.
func (d *node) log() string {
	b, err := os.ReadFile(filepath.Join(d.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4000):])
}

// signal sends a signal to the process.
func (d *node) signal(s syscall.Signal) {
	if d.cmd != nil {
		_ = d.cmd.Process.Signal(s)
	}
}

// kill kills the process with SIGKILL. It returns after the process has ended.
func (d *node) kill() {
	if d.cmd != nil {
		d.signal(syscall.SIGKILL)
		<-d.exited
	}
}

// term ends the process with SIGTERM.
func (d *node) term(t testing.TB) {
	t.Helper()
	d.signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(exitTime):
		t.Errorf("node %s did not end within %s of SIGTERM:\n%s", d.name, exitTime, d.log())
		d.kill()
	}
}

// admin runs griot admin for the node, and decodes its output into out.
func (d *node) admin(out any, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.program, append(append([]string{"admin"}, args...), "--json")...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = d.dir, d.env, &stdout, &stderr
	err := cmd.Run()
	if err == nil && out != nil {
		err = json.Unmarshal(stdout.Bytes(), out)
	}
	if err != nil {
		return fmt.Errorf("%v: %w: %s", args[:2], err, stderr.String())
	}
	return nil
}

// reply is the response to a request.
type reply struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

func (r *reply) text(field string) string {
	s, _ := r.body[field].(string)
	return s
}

var browser = sync.OnceValue(func() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: 5 * time.Second},
	}
})

// request makes a request and reads its JSON response. Headers are names and values in turn.
func request(method, url string, body any, within time.Duration, headers ...string) (*reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	text := []byte{}
	if b, raw := body.([]byte); raw {
		text = b
	} else if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return send(req)
}

func send(req *http.Request) (*reply, error) {
	res, err := browser().Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	r := &reply{status: res.StatusCode, header: res.Header}
	var b bytes.Buffer
	if _, err := b.ReadFrom(res.Body); err != nil {
		return nil, err
	}
	r.raw = b.Bytes()
	_ = json.Unmarshal(r.raw, &r.body) // not every response is JSON
	return r, nil
}
