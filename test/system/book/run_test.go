package book_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// reader follows a page in its own directory next to a running `griot dev`.
type reader struct {
	t    *testing.T
	dir  string
	env  []string
	port string   // of the application that a page starts; 3000 in the text
	here []string // pairs of a text on the page and its replacement here
	// atEnd is called after the last command, while background programs still run. It can be nil.
	atEnd func()
}

// newReader returns a reader whose addresses and directories replace those in the text. Without a `griot dev`, it
// starts its own server.
func newReader(t *testing.T, p *systemtest.Dev) *reader {
	t.Helper()
	r := &reader{t: t, dir: t.TempDir()}
	ports := freePorts(t, 5)
	r.port = ports[0]
	for _, v := range systemtest.Environ() {
		if !strings.HasPrefix(v, "GRIOT_") {
			r.env = append(r.env, v)
		}
	}
	r.env = append(r.env, "PATH="+filepath.Dir(systemtest.Binary)+":"+os.Getenv("PATH"), "HOME="+r.dir, "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	auth, api, internal := "127.0.0.1:"+ports[2], "127.0.0.1:"+ports[3], "127.0.0.1:"+ports[4]
	if p == nil {
		r.env = append(r.env, "GRIOT_AUTH_LISTEN="+auth, "GRIOT_API_LISTEN="+api, "GRIOT_INTERNAL_LISTEN="+internal)
	} else {
		r.env = append(r.env, "GRIOT_INTERNAL_LISTEN="+internal)   // for commands without a server, because the default port might be another griot dev's
		r.port = portOf(t, p.Clients.LiveConfidential.RedirectURI) // for pages on which developers have their own site
		auth, api, internal = strings.TrimPrefix(p.AuthURL, "http://"), strings.TrimPrefix(p.BaseURL, "http://"), strings.TrimPrefix(p.InternalURL, "http://")
		key := p.Accounts.Business.LiveKey
		r.env = append(r.env, "GRIOT_API_URL="+p.BaseURL, "GRIOT_API_KEY="+key, "URL="+p.BaseURL, "KEY="+key, "LIVE_KEY="+key, "GRIOT_KEY="+key, "MCP_URL="+p.MCPURL) // in the pages' variables
		r.link(p.Dir, devfile.Folder)
		r.here = append(r.here, "https://api.example.com", p.BaseURL, "https://login.example.com", p.AuthURL, "svc_live_...", key)
	}
	r.here = append(r.here, "127.0.0.1:8080", api, "127.0.0.1:8081", auth, "127.0.0.1:8082", internal, "127.0.0.1:9090", "127.0.0.1:"+ports[1],
		"127.0.0.1:3000", "127.0.0.1:"+r.port, "localhost:3000", "127.0.0.1:"+r.port, "127.0.0.1:3001", "127.0.0.1:"+ports[0], "listen(3001", "listen("+ports[0],
		"/etc/griot", filepath.Join(r.dir, "etc"), "/var/lib/griot", filepath.Join(r.dir, "lib"), "/var/backups", filepath.Join(r.dir, "backups"), "go run ./cmd/griot", "griot", "make run", "griot dev")
	for _, name := range []string{"go.mod", "go.sum", "client", "deploy", "docs", "examples", "gateway", "internal"} { // for a reader who is in the repository
		r.link(systemtest.Root+name, name)
	}
	return r
}

// makeDeployment creates the initial state of pages for operators: /etc/griot, with a tenant, a client, and an account.
// Its server is not running, so commands work on its database.
const makeDeployment = `{
mkdir backups backups/griot
griot init etc --auth-url https://login.example.com --api-url https://api.example.com --database sqlite:griot.db --proxy none --mail-host smtp.example.com --mail-from bonjour@example.com
griot migrate --config etc/griot.yaml
ln -s etc/griot.yaml griot.yaml
TENANT=$(griot admin --json tenants create --name "Boutique" | jq -r .id)
for name in awa@example.com you@shop.example; do griot admin accounts create --name "Boutique" --email $name; done
} > .out 2>&1
`

// forOperators matches commands for a deployment.
var forOperators = regexp.MustCompile(`/etc/griot|griot (admin|backup|restore) (?:--c|[a-z-])`)

// placeholders are texts that readers replace with their own values.
var placeholders = []string{"01K…", "$TENANT", "--tenant TENANT_ID", "--tenant $TENANT", "--tenant TENANT", "--tenant $TENANT", "ACCOUNT", "awa@example.com"}

// portOf returns the port of a URL.
func portOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// goEnv returns a directory of the go command, which depends on the home directory that the reader doesn't have.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// link creates a link to a file or directory in the reader's directory.
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

// freePorts returns free ports of this machine.
func freePorts(t *testing.T, n int) (ports []string) {
	t.Helper()
	for range n {
		ports = append(ports, strconv.Itoa(systemtest.FreePort(t)))
	}
	return ports
}

// prelude makes the failure of any command a failure of the page, and makes curl fail on error responses.
const prelude = `set -eo pipefail
curl() { command curl --fail-with-body --max-time 20 "$@"; }
ready() { for _ in {1..600}; do "$@" && return; sleep 0.1; done; echo "not ready: $*"; exit 1; }
prints() { grep -qE -e "$1" .out* ./*.txt 2>/dev/null; }
for refused in apt apt-get docker dpkg kubectl make npm npx podman sudo systemctl useradd; do
  eval "$refused() { echo 'a test must not run $refused: say so above the block'; exit 1; }"
done
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
`

// follow saves the files of a page and runs its commands in order, in one shell.
func (r *reader) follow(blocks []*systemtest.Block) {
	r.t.Helper()
	var script strings.Builder
	script.WriteString(prelude)
	if slices.ContainsFunc(blocks, func(b *systemtest.Block) bool { return forOperators.MatchString(b.Code) }) && !slices.ContainsFunc(blocks, func(b *systemtest.Block) bool { return strings.Contains(b.Code, "griot init") }) {
		script.WriteString(makeDeployment)
	}
	here := strings.NewReplacer(append(slices.Clone(placeholders), r.here...)...)
	for i, b := range blocks {
		code, out := here.Replace(b.Code), fmt.Sprintf(".out%d", i)
		if b.File != "" {
			if err := os.WriteFile(filepath.Join(r.dir, filepath.Base(b.File)), []byte(code), 0o600); err != nil {
				r.t.Fatal(err)
			}
			continue
		}
		fmt.Fprintf(&script, "echo '%s' > .at; echo %d > .number\n", b.At(), i)
		switch {
		case b.Runs:
			fmt.Fprintf(&script, "(\n%s) > %s 2>&1 &\n", code, out)
			if b.Ready == "" {
				fmt.Fprintf(&script, "ready listens %s\n", r.port)
			} else {
				fmt.Fprintf(&script, "ready prints '%s'\n", b.Ready)
			}
		case b.Fails != "":
			fmt.Fprintf(&script, "if (\n%s) > %s 2>&1; then echo 'it ends without an error' >> %s; exit 1; fi\n", code, out, out)
		default:
			fmt.Fprintf(&script, "{\n%s} > %s 2>&1\n", code, out)
		}
	}
	if r.atEnd != nil {
		script.WriteString("touch .done; ready test -e .checked\n")
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
	cmd.Stdout, cmd.Stderr = said, said // files, because background programs might keep them open
	err = cmd.Start()
	if err == nil {
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		err = r.await(ended)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if err != nil {
		r.t.Errorf("%s: %v\n%s%s", r.read(".at"), err, r.read(".said"), r.read(".out"+strings.TrimSpace(r.read(".number"))))
		return
	}
	for i, b := range blocks {
		if out := r.read(fmt.Sprintf(".out%d", i)); b.Prints != nil && !b.Prints.MatchString(out) {
			r.t.Errorf("%s printed what has no %s:\n%s", b.At(), b.Prints, out)
		}
	}
}

// await waits for the end of the commands, and calls atEnd when they wait for it.
func (r *reader) await(ended <-chan error) error {
	for r.atEnd != nil {
		select {
		case err := <-ended:
			return err
		case <-time.After(20 * time.Millisecond):
		}
		if _, err := os.Stat(filepath.Join(r.dir, ".done")); err == nil {
			r.atEnd()
			if err := os.WriteFile(filepath.Join(r.dir, ".checked"), nil, 0o600); err != nil {
				return err
			}
			break
		}
	}
	return <-ended
}

func (r *reader) read(file string) string {
	b, _ := os.ReadFile(filepath.Join(r.dir, file))
	return string(b)
}

const readme = "README.md"

// The README's commands, on their own and in order in an empty directory, start Griot, sign someone in, and send a
// message.
func TestReadme(t *testing.T) {
	t.Parallel()
	r := newReader(t, nil)
	r.env = append(r.env, "GRIOT_SITE_URL=http://127.0.0.1:"+r.port)
	var blocks []*systemtest.Block
	for _, b := range systemtest.BlocksOf(t, readme) {
		if b.NotRun == "" && b.IsShell() {
			blocks = append(blocks, b)
		}
	}
	r.atEnd = func() {
		state, err := devfile.Load(filepath.Join(r.dir, devfile.Folder, devfile.Name))
		if err != nil {
			t.Error(err)
			return
		}
		site, someone := "http://127.0.0.1:"+r.port, systemtest.NewPerson(t)
		_, _, toGriot := someone.Get(site + "/login")
		_, _, home := someone.Get(someone.SendWords(state.BaseURL, toGriot.String()).String())
		if _, page, _ := someone.Get(home.String()); !strings.Contains(page, "Signed in with ") {
			t.Errorf("the site shows %s, want who has signed in", page)
		}
		waittest.Until(t, func() error {
			messages, err := systemtest.Call("GET", state.BaseURL+"/dev/phones/22376000001/messages", "")
			if err != nil || strings.Count(messages.Raw, "Bonjour Awa !") != 1 {
				return fmt.Errorf("Awa's phone has %+v, %w, want the message once", messages, err)
			}
			return nil
		})
	}
	r.follow(blocks)
	if t.Failed() {
		t.Logf("%s", r.read(".out0"))
	}
}

// Every page's commands have the described results, on a `griot dev` or, if the page starts a server,
// without one. The test takes more than 10 seconds, because it runs the commands of all pages, one
// page after the other.
func TestDocs_Commands(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory", "--site-url", "http://"+systemtest.FreeAddress(t))
	notRun := 0
	for _, page := range systemtest.MarkdownFiles(t) {
		if page == readme {
			continue // TestReadme
		}
		var blocks []*systemtest.Block
		runs, serves := false, false
		for _, b := range systemtest.BlocksOf(t, page) {
			switch {
			case b.NotRun != "":
				notRun++
				t.Logf("%s is not run: %s", b.At(), b.NotRun)
			case b.RunBy == "" && (b.File != "" || b.IsShell()):
				blocks = append(blocks, b)
				runs = runs || b.IsShell()
				serves = serves || strings.Contains(b.Code, "griot serve")
			}
		}
		if !runs {
			continue
		}
		t.Run(page, func(t *testing.T) {
			if serves {
				newReader(t, nil).follow(blocks)
				return
			}
			newReader(t, p).follow(blocks)
			for _, channel := range []string{"whatsapp", "sms", "email"} { // faults that the page has made
				p.Call("PUT", p.BaseURL+"/dev/faults/"+channel, `{"outcome":"temporary","count":0}`)
			}
		})
	}
	t.Logf("%d blocks are not run", notRun)
}
