package clients_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/griot/internal/npmtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/browsertest"
	"example.com/griot/test/system/systemtest"
)

const typescriptGuide = "../../../docs/typescript.md"

// The packed TypeScript client works as its guide describes, and compiles strictly, with nothing installed except its
// tarball. It takes more than 10 seconds, because it waits for npm and for the TypeScript compiler.
func TestClients_TypeScript(t *testing.T) {
	t.Parallel()
	dir := npmtest.Install(t, "../../..")
	hook := systemtest.FreeAddress(t)
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory", "--webhook-url", "http://"+hook+"/")
	env := append(systemtest.Environ(), "GRIOT_API_URL="+p.BaseURL, "GRIOT_API_KEY="+p.Accounts.Business.LiveKey, "WEBHOOK_SECRET="+p.Accounts.Business.WebhookSecret, "PORT="+hook[strings.LastIndex(hook, ":")+1:])
	text, err := os.ReadFile(typescriptGuide)
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?ms)^```js\n(.*?)^```$").FindAllStringSubmatch(string(text), -1)
	// program returns a program of the guide, by its position.
	program := func(n int, name string) *exec.Cmd {
		npmtest.Write(t, filepath.Join(dir, name), code[n][1])
		cmd := npmtest.Command(t, dir, "node", name)
		cmd.Env = env
		return cmd
	}
	for _, file := range []string{typescriptGuide, "../../../sdk/typescript/README.md", "../../../examples/express/README.md"} {
		text, err := os.ReadFile(file)
		systemtest.Must(t, err)
		install := regexp.MustCompile(`npm install .*?\./(griot-client\S+)`).FindSubmatch(text)
		for _, made := range []string{"griot-client-0.1.0.tgz", "griot-client-1.2.0-rc.1.tgz", "griot-client-0.0.0-gce3e0dcb.tgz"} { // from make dist
			if fits, err := filepath.Match(string(install[1]), made); err != nil || !fits {
				t.Errorf("%s installs %s, and make dist writes %s", file, install[1], made)
			}
		}
	}
	if len(code) != 7 {
		t.Fatalf("%s has %d programs, want 7: run each of them here", typescriptGuide, len(code))
	}

	t.Run("an application", func(t *testing.T) {
		source, err := os.ReadFile("../../../sdk/typescript/test/program.ts")
		if err != nil {
			t.Fatal(err)
		}
		npmtest.Write(t, filepath.Join(dir, "program.ts"), string(source))
		npmtest.Compile(t, "../../..", dir, "program.ts")
		cmd := npmtest.Command(t, dir, "node", "program.js")
		cmd.Env = env
		if out := npmtest.Run(t, cmd); !strings.HasPrefix(out, "ok msg_") {
			t.Errorf("got %q, want ok and a message's id", out)
		}
	})
	t.Run("messages", func(t *testing.T) {
		if out := npmtest.Run(t, program(0, "messages.js")); !regexp.MustCompile(`(?m)^(QUEUED|SENDING|SENT|DELIVERED)\n`).MatchString(out) {
			t.Errorf("got %q, want a status", out)
		}
		npmtest.Run(t, program(1, "options.js"))
		readme, err := os.ReadFile("../../../sdk/typescript/README.md")
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, regexp.MustCompile("(?ms)^```js\n(.*?)^```$").FindStringSubmatch(strings.Replace(string(readme), "http://127.0.0.1:8080", p.BaseURL, 1)))
		if out := npmtest.Run(t, program(len(code)-1, "readme.js")); !strings.HasPrefix(out, "msg_") {
			t.Errorf("the program of the README says %q, want a message's id", out)
		}
	})
	t.Run("webhooks", func(t *testing.T) {
		endpoint, listener := program(4, "webhook.js"), program(5, "listen.js")
		heard := map[*exec.Cmd]*systemtest.Buffer{}
		for _, cmd := range []*exec.Cmd{endpoint, listener} {
			out := &systemtest.Buffer{}
			cmd.Stdout, cmd.Stderr, heard[cmd] = out, out, out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		}
		waittest.Until(t, func() error {
			p.Send(p.Accounts.Business.LiveKey, systemtest.SmsToAwa)
			if at, by := heard[endpoint].String(), heard[listener].String(); !strings.Contains(at, "msg_") || !strings.Contains(by, "message.status") {
				return fmt.Errorf("the endpoint says %q, the listener %q", at, by)
			}
			return nil
		})
		res, err := http.Post("http://"+hook, "application/json", strings.NewReader(`{"event":"webhook.ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized {
			t.Errorf("a forged event: got %d, want 401", res.StatusCode)
		}
	})
	t.Run("a code", func(t *testing.T) {
		for typed, want := range map[string]string{"000000": "That is not the code.", "": "The number is theirs."} {
			answersCode(t, p, program(6, "code.js"), typed, want)
		}
	})
	t.Run("a server's login", func(t *testing.T) {
		program(2, "login.js")
		npmtest.Write(t, filepath.Join(dir, "application.js"), `import { createServer } from 'node:http'
import { callback, start } from './login.js'
const here = new URL(process.env.REDIRECT_URI)
createServer((q, r) => (q.url === '/login' ? start(q, r) : callback(q, r))).listen(here.port, here.hostname)
`)
		signInThrough(t, p, func() *exec.Cmd { return npmtest.Command(t, dir, "node", "application.js") })
	})
	expressExample(dir).run(t, p)
	t.Run("a page's login", func(t *testing.T) { signInThroughPage(t, p, dir, code[3][1]) })
}

// signInThroughPage serves the guide's page, and signs in through it with a browser.
func signInThroughPage(t *testing.T, p *systemtest.Dev, dir, script string) {
	t.Helper()
	for old, own := range map[string]string{
		"https://login.example.com": p.AuthURL, "cl_live_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D": p.Clients.TestPublic.ClientID, "location.origin + '/'": "location.origin + '/dev/demo/callback', mode: 'TEST'",
	} {
		if !strings.Contains(script, old) {
			t.Fatalf("the page of the guide has no %s", old)
		}
		script = strings.ReplaceAll(script, old, own)
	}
	page := `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title><button id="sign-in">Sign in</button><p id="name"></p>
<script type="importmap">{"imports": {"@griot/client/login": "/client/login.js"}}</script><script type="module">` + script + `</script></html>`
	mux := http.NewServeMux()
	mux.Handle("GET /client/", http.StripPrefix("/client/", http.FileServer(http.Dir(filepath.Join(dir, "node_modules/@griot/client/dist")))))
	mux.HandleFunc("GET /dev/demo/callback", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(page)) })
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	b := browsertest.NewWindow(t, "en", 390, 844)
	b.Do(b.Ctx,
		chromedp.Navigate(site.URL+"/dev/demo/callback"),
		chromedp.Click(chromedp.CSS(`#sign-in`)),
		chromedp.WaitVisible(chromedp.CSS(`#sandbox-send`)),
		chromedp.Click(chromedp.CSS(`#sandbox-send`)),
		chromedp.WaitVisible(chromedp.CSS(`#name:not(:empty)`)),
	)
	if name := b.Text(b.Ctx, "#name"); name != "Sandbox 1" {
		t.Errorf("the page shows %q, want Sandbox 1", name)
	}
	if at := browsertest.Get(b, b.Ctx, chromedp.Evaluate[string](`location.href`)); at != site.URL+"/dev/demo/callback" {
		t.Errorf("the page is at %s, want its address without the code", at)
	}
}

// answersCode runs a program that sends a code to Awa's phone and asks for it, types that code or another one, and
// checks the program's output.
func answersCode(t *testing.T, p *systemtest.Dev, program *exec.Cmd, typed, want string) {
	t.Helper()
	const awa = "22376000001"
	before := len(p.Phone(awa))
	out := &systemtest.Buffer{}
	program.Stdout, program.Stderr = out, out
	input, err := program.StdinPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, func() error {
		messages := p.Phone(awa)
		if len(messages) == before {
			return fmt.Errorf("no code has come, the program says %q: %w", out, systemtest.ErrNotYet)
		}
		if typed == "" {
			typed = regexp.MustCompile(`\b\d{6}\b`).FindString(messages[len(messages)-1].Text)
		}
		return nil
	})
	_, err = fmt.Fprintln(input, typed)
	if err == nil {
		err = program.Wait()
	}
	if err != nil || !strings.Contains(out.String(), want) {
		t.Errorf("got %v, %q; want %q", err, out, want)
	}
}
