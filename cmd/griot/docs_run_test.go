package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// reader does what a page says, in a folder of its own beside a running `griot dev`.
type reader struct {
	t       *testing.T
	dir     string
	env     []string
	port    string // of the application that a page starts, 3000 in the text
	replace *strings.Replacer
}

// newReader returns a reader whose own addresses stand for those in the text. Without a `griot dev` it serves by itself.
func newReader(t *testing.T, p *process) *reader {
	t.Helper()
	r := &reader{t: t, dir: t.TempDir()}
	ports := freePorts(t, 5)
	r.port = ports[0]
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GRIOT_") {
			r.env = append(r.env, v)
		}
	}
	r.env = append(r.env, "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	auth, api, internal := "127.0.0.1:"+ports[2], "127.0.0.1:"+ports[3], "127.0.0.1:"+ports[4]
	if p == nil {
		r.env = append(r.env, "GRIOT_AUTH_LISTEN="+auth, "GRIOT_API_LISTEN="+api, "GRIOT_INTERNAL_LISTEN="+internal)
	} else {
		auth, api, internal = strings.TrimPrefix(p.AuthURL, "http://"), strings.TrimPrefix(p.BaseURL, "http://"), strings.TrimPrefix(p.InternalURL, "http://")
		r.env = append(r.env, "GRIOT_API_URL="+p.BaseURL) // what is the default in the text
		r.link(p.dir, devFolder)
	}
	for _, name := range []string{"go.mod", "go.sum", "client", "deploy", "docs", "examples", "gateway", "internal"} { // a reader who is in the repository
		r.link(repository+name, name)
	}
	r.replace = strings.NewReplacer("127.0.0.1:8080", api, "127.0.0.1:8081", auth, "127.0.0.1:8082", internal, "127.0.0.1:9090", "127.0.0.1:"+ports[1],
		"127.0.0.1:3000", "127.0.0.1:"+ports[0], "localhost:3000", "127.0.0.1:"+ports[0], "listen(3000", "listen("+ports[0])
	return r
}

// link shows a file or folder in the reader's.
func (r *reader) link(target, name string) {
	r.t.Helper()
	path, err := filepath.Abs(target)
	if err == nil {
		err = os.Symlink(path, filepath.Join(r.dir, name))
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// freePorts returns ports of this machine that nobody listens at.
func freePorts(t *testing.T, n int) (ports []string) {
	t.Helper()
	for range n {
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports
}

// prelude makes the failure of any command one of the page, and an error that is answered one of curl.
const prelude = `set -eo pipefail
curl() { command curl --fail-with-body --max-time 20 "$@"; }
ready() { for _ in {1..600}; do "$@" && return; sleep 0.1; done; echo "not ready: $*"; exit 1; }
prints() { grep -qE -e "$1" .out* ./*.txt 2>/dev/null; }
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
`

// follow saves the files of a page and runs its commands, in one shell, in their order.
func (r *reader) follow(blocks []*block) {
	r.t.Helper()
	var script strings.Builder
	script.WriteString(prelude)
	for i, b := range blocks {
		code, out := r.replace.Replace(b.code), fmt.Sprintf(".out%d", i)
		if b.file != "" {
			if err := os.WriteFile(filepath.Join(r.dir, filepath.Base(b.file)), []byte(code), 0o600); err != nil {
				r.t.Fatal(err)
			}
			continue
		}
		fmt.Fprintf(&script, "echo '%s' > .at; echo %d > .number\n", b.at(), i)
		switch {
		case b.runs:
			fmt.Fprintf(&script, "(\n%s) > %s 2>&1 &\n", code, out)
			if b.ready == "" {
				fmt.Fprintf(&script, "ready listens %s\n", r.port)
			} else {
				fmt.Fprintf(&script, "ready prints '%s'\n", b.ready)
			}
		case b.fails != "":
			fmt.Fprintf(&script, "if (\n%s) > %s 2>&1; then echo 'it ends without an error' >> %s; exit 1; fi\n", code, out, out)
		default:
			fmt.Fprintf(&script, "{\n%s} > %s 2>&1\n", code, out)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script.String())
	cmd.Dir, cmd.Env, cmd.SysProcAttr = r.dir, r.env, &syscall.SysProcAttr{Setpgid: true}
	said, err := os.Create(filepath.Join(r.dir, ".said"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = said.Close() }()
	cmd.Stdout, cmd.Stderr = said, said // files: what runs in the background may keep them open
	err = cmd.Start()
	if err == nil {
		err = cmd.Wait()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if err != nil {
		r.t.Errorf("%s: %v\n%s%s", r.read(".at"), err, r.read(".said"), r.read(".out"+strings.TrimSpace(r.read(".number"))))
		return
	}
	for i, b := range blocks {
		if out := r.read(fmt.Sprintf(".out%d", i)); b.prints != nil && !b.prints.MatchString(out) {
			r.t.Errorf("%s printed what has no %s:\n%s", b.at(), b.prints, out)
		}
	}
}

func (r *reader) read(file string) string {
	b, _ := os.ReadFile(filepath.Join(r.dir, file))
	return string(b)
}

// Every page's commands do what it says, on a `griot dev` or, where the page serves itself, without.
func TestDocs_Commands(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir(), "--phones", "memory")
	notRun := 0
	for _, page := range markdownFiles(t) {
		if !strings.HasPrefix(page, "docs/start/") {
			continue
		}
		var follow []*block
		run, serves := 0, false
		for _, b := range blocksOf(t, page) {
			switch {
			case b.notRun != "":
				notRun++
				t.Logf("%s is not run: %s", b.at(), b.notRun)
			case b.file != "" || b.isShell():
				follow = append(follow, b)
				serves = serves || strings.Contains(b.code, "griot serve")
				if b.isShell() {
					run++
				}
			}
		}
		if run == 0 {
			continue
		}
		t.Run(page, func(t *testing.T) {
			if serves {
				newReader(t, nil).follow(follow)
			} else {
				newReader(t, p).follow(follow)
			}
		})
	}
	t.Logf("%d blocks are not run", notRun)
}
