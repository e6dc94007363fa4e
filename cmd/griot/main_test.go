package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/web/webtest"
)

// binary is the program under test, built once: these tests are about the real one.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "griot-test-")
	if err == nil {
		binary = filepath.Join(dir, "griot")
		var out []byte
		if out, err = exec.CommandContext(context.Background(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(runTests(m, dir))
}

func runTests(m *testing.M, dir string) int {
	defer func() { _ = os.RemoveAll(dir) }()
	defer dbtest.Stop()
	defer webtest.Stop()
	flag.Parse()
	if p := flag.Lookup("test.parallel"); p.Value.String() == p.DefValue {
		_ = flag.Set(p.Name, "3") // these tests wait for processes and browsers: two at once would leave two cores idle, and more end at their time limits
	}
	return m.Run()
}

// environ is the environment of the programs under test: without the variables that only tests have, which they refuse.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GRIOT_TEST_") })
}

// process is a running `griot dev`.
type process struct {
	devfile.State
	t   *testing.T
	cmd *exec.Cmd
	out *safeBuffer // everything that it printed
	dir string
}

// startDev starts `griot dev` on a folder and returns once it says that it is ready.
func startDev(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return start(t, binary, dir, environ(), args...)
}

func start(t *testing.T, program, dir string, env []string, args ...string) *process {
	t.Helper()
	state := filepath.Join(dir, devfile.Name)
	before, _ := os.Stat(state)
	p := &process{t: t, out: &safeBuffer{}, dir: dir}
	p.cmd = exec.CommandContext(context.Background(), program, append([]string{
		"dev", "--data", dir, "--api-listen", "127.0.0.1:0", "--auth-listen", "127.0.0.1:0", "--internal-listen", "127.0.0.1:0",
	}, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	p.cmd.Env = append(env, "GRIOT_LOG_LEVEL=debug", "GRIOT_SHOWCASE=false") // --showcase overrides it
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	deadline := time.Now().Add(30 * time.Second)
	for {
		now, err := os.Stat(state)
		if err == nil && (before == nil || !os.SameFile(before, now)) {
			break
		}
		if time.Now().After(deadline) || p.cmd.ProcessState != nil {
			t.Fatalf("griot dev did not start:\n%s", p.out)
		}
		time.Sleep(2 * time.Millisecond) // the file says that it is ready
	}
	b, err := os.ReadFile(state)
	if err == nil {
		err = json.Unmarshal(b, &p.State)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// stop sends SIGTERM, and fails unless the process ends with success.
func (p *process) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Error(err)
	}
	if err := waitExit(p.cmd); err != nil {
		p.t.Errorf("it ended with %v:\n%s", err, p.out)
	}
}

// exitTime is the most that a process may take to end: its drain, and more for a slow machine.
const exitTime = time.Minute

// waitExit waits for the end of a process. It kills one that takes too long, and then returns an error.
func waitExit(cmd *exec.Cmd) error {
	timeout := time.AfterFunc(exitTime, func() { _ = cmd.Process.Kill() })
	defer timeout.Stop()
	return cmd.Wait()
}

type reply struct {
	status int
	header http.Header
	body   map[string]any
	raw    string
}

func (r *reply) text(member string) string {
	s, _ := r.body[member].(string)
	return s
}

// call makes a request and reads its JSON answer; headers are "Name: value".
func call(method, url, body string, headers ...string) (*reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	r := &reply{status: res.StatusCode, header: res.Header, raw: string(b)}
	_ = json.Unmarshal(b, &r.body)
	return r, nil
}

func (p *process) call(method, url, body string, headers ...string) *reply {
	p.t.Helper()
	r, err := call(method, url, body, headers...)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, url, err)
	}
	return r
}

func (p *process) send(key, body string) *reply {
	p.t.Helper()
	return p.call("POST", p.BaseURL+"/api/send", body, "Authorization: Bearer "+key)
}

type phoneMessage struct {
	ID, Direction, Channel, From, To, Text, HTML, Subject, Reference, ReplyTo, Status string
}

// phone returns the messages of a virtual phone.
func (p *process) phone(address string) []phoneMessage {
	p.t.Helper()
	r := p.call("GET", p.BaseURL+"/dev/phones/"+address+"/messages", "")
	var out struct{ Messages []phoneMessage }
	if err := json.Unmarshal([]byte(r.raw), &out); err != nil {
		p.t.Fatalf("%s: %v", r.raw, err)
	}
	return out.Messages
}

// safeBuffer holds a process's output.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

var errNotYet = errors.New("not yet")

// eventually tries until check returns nil: what it waits for happens in another process.
func eventually(t *testing.T, within time.Duration, check func() error) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
