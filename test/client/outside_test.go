package client_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/griot/auth/authtest"
	"example.com/griot/auth/tenant"
	"example.com/griot/client/login"
	"example.com/griot/client/webhook"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/servicetest"
)

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// outside is a folder outside the repository, in which the go command finds modules in a folder and nowhere else.
type outside struct {
	t   *testing.T
	dir string
	env []string
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	o := &outside{t: t, dir: t.TempDir()}
	proxy := t.TempDir()
	pack := exec.CommandContext(t.Context(), "go", "run", "./goproxy/pack", "../../client", "v0.0.0-test", proxy)
	pack.Dir = "../../tools/dist"
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o.env = append(os.Environ(), "GOPROXY=file://"+proxy, "GONOSUMDB=*", "GOSUMDB=off", "GOFLAGS=-mod=mod -modcacherw", "GOWORK=off", "GOMODCACHE="+t.TempDir())
	o.run("mod", "init", "shop")
	o.run("mod", "edit", "-go=1.24.0")
	o.run("get", "example.com/griot/client@latest")
	return o
}

func (o *outside) run(args ...string) {
	o.t.Helper()
	c := exec.CommandContext(o.t.Context(), "go", args...)
	c.Dir, c.Env = o.dir, o.env
	if out, err := c.CombinedOutput(); err != nil {
		o.t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// build builds a program of the documentation.
func (o *outside) build(name, source string) string {
	o.t.Helper()
	folder := filepath.Join(o.dir, name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(source), 0o600); err != nil {
		o.t.Fatal(err)
	}
	o.run("vet", "./"+name)
	o.run("build", "-o", name+".program", "./"+name)
	return filepath.Join(o.dir, name+".program")
}

// start starts a program that listens.
func (o *outside) start(program, address string, env ...string) (output *bufio.Scanner) {
	o.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, program)
	c.Env = append(os.Environ(), env...)
	out, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		cancel()
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { cancel(); _ = c.Wait() })
	dialer := net.Dialer{}
	for deadline := time.Now().Add(10 * time.Second); ; {
		conn, err := dialer.DialContext(o.t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
			return bufio.NewScanner(out)
		}
		if time.Now().After(deadline) {
			o.t.Fatalf("%s does not listen: %v", program, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The programs of docs/go.md are built outside the repository, of a module archive alone, and do what the page says.
func TestOutside_TheProgramsOfTheGuide(t *testing.T) {
	guide, err := os.ReadFile("../../docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	var programs []string
	o := newOutside(t)
	for _, block := range goBlock.FindAllStringSubmatch(string(guide), -1) {
		if strings.HasPrefix(block[1], "package main\n") {
			programs = append(programs, block[1])
			continue
		}
		part := "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"time\"\n\n\tgriot \"example.com/griot/client\"\n)\n\nfunc main() {}\n\n" +
			"func part(ctx context.Context, c *griot.Client, yesterday time.Time) error {\n" + block[1] + "return nil\n}\n"
		o.build("part", part)
	}
	if len(programs) != 3 {
		t.Fatalf("got %d programs in docs/go.md, want three: sending, webhooks, a login", len(programs))
	}

	s := newService(t, dbtest.SQLite(t))
	send := exec.CommandContext(t.Context(), o.build("send", programs[0]))
	send.Env = append(os.Environ(), "GRIOT_API_URL="+s.url, "GRIOT_API_KEY="+s.LiveKey)
	if out, err := send.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "msg_") || !strings.HasSuffix(string(out), " SENT\n") || len(s.Gateway.Calls()) != 1 {
		t.Errorf("the first program: got %s, %v, sent %d times, want a message's id and SENT", out, err, len(s.Gateway.Calls()))
	}

	const secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `{"event":"message.status","eventId":"evt_1","messageId":"msg_1","status":"delivered","sequence":3,"timestamp":"2026-03-01T12:00:00.480Z"}`
	address := freeAddress(t)
	lines := o.start(o.build("hooks", programs[1]), address, "LISTEN="+address, "WEBHOOK_SECRET="+secret)
	for want, sign := range map[int]string{http.StatusNoContent: secret, http.StatusUnauthorized: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/hooks/griot", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if err := webhook.Sign(r.Header, sign, "evt_1", time.Now(), []byte(body)); err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != want {
			t.Errorf("an event: got %s, want %d", res.Status, want)
		}
	}
	if !lines.Scan() || !strings.Contains(lines.Text(), "msg_1 is delivered (step 3)") {
		t.Errorf("the second program: got %q, want the event", lines.Text())
	}
	o.signIn(programs[2])
}

// signIn signs a person in to the website of the guide.
func (o *outside) signIn(program string) {
	o.t.Helper()
	w := &loginWorld{World: authtest.New(o.t, dbtest.SQLite(o.t))}
	w.Clock.Advance(time.Since(authtest.Start)) // the program has the machine's clock
	w.script = servicetest.Auth(o.t, w.World)
	address := freeAddress(o.t)
	to := "http://" + address + "/callback"
	w.app = w.NewClient(o.t, tenant.Confidential, tenant.Test, to)
	o.start(o.build("website", program), address, "ISSUER="+w.script.URL, "CLIENT_ID="+w.app.ClientID, "CLIENT_SECRET="+w.app.Secret, "REDIRECT_URI="+to, "MODE="+login.Test)
	jar, err := cookiejar.New(nil)
	if err != nil {
		o.t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	location, _ := o.fetch(browser, "http://"+address+"/login")
	back, err := servicetest.SignIn(o.t.Context(), location, sandboxOne)
	if err != nil {
		o.t.Fatal(err)
	}
	if _, text := o.fetch(browser, back.String()); !strings.HasSuffix(text, " signed in with +"+sandboxOne+"\n") {
		o.t.Errorf("the third program: got %q, want who has signed in", text)
	}
}

// fetch returns where an address leads, or what it shows.
func (o *outside) fetch(browser *http.Client, address string) (location, text string) {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	res, err := browser.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer res.Body.Close()
	var b strings.Builder
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		b.WriteString(lines.Text() + "\n")
	}
	return res.Header.Get("Location"), b.String()
}
