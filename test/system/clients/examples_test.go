package clients_test

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/internal/config"
	"example.com/griot/internal/npmtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

const examplesFolder = "../../../examples"

// An exampleSite is one of examples/, started as in its README. [TestStory_NewDeveloper] covers the one in Go.
type exampleSite struct {
	name     string
	callback string
	webhooks bool // it receives events
	command  func(t *testing.T, listens string) *exec.Cmd
}

func exampleSites() []exampleSite {
	return []exampleSite{
		{"php", "/callback", true, func(t *testing.T, listens string) *exec.Cmd {
			return exec.CommandContext(t.Context(), "php", "-S", listens, filepath.Join(examplesFolder, "php/index.php"))
		}},
		{"authjs", "/auth/callback/griot", false, func(t *testing.T, _ string) *exec.Cmd {
			return exampleNode(t, "authjs")
		}},
	}
}

// exampleNode returns the command of an example that runs on Node, with the packages of its lock file.
func exampleNode(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "app.mjs")
	cmd.Dir = filepath.Dir(examplePackages(t, name))
	return cmd
}

// expressExample is the one that also uses the TypeScript client. The client is installed in dir from its tarball, as
// in the README.
func expressExample(dir string) exampleSite {
	return exampleSite{"express", "/callback", true, func(t *testing.T, _ string) *exec.Cmd {
		t.Helper()
		packages := examplePackages(t, "express")
		entries, err := os.ReadDir(packages)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if err := os.Symlink(filepath.Join(packages, e.Name()), filepath.Join(dir, "node_modules", e.Name())); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Fatal(err)
			}
		}
		app, err := os.ReadFile(filepath.Join(filepath.Dir(packages), "app.mjs"))
		if err != nil {
			t.Fatal(err)
		}
		npmtest.Write(t, filepath.Join(dir, "app.mjs"), string(app))
		return npmtest.Command(t, dir, "node", "app.mjs")
	}}
}

// examplePackages returns the directory of an example's npm packages.
func examplePackages(t *testing.T, name string) string {
	t.Helper()
	packages, err := filepath.Abs(filepath.Join(examplesFolder, name, "node_modules"))
	if err == nil {
		_, err = os.Stat(packages)
	}
	if err != nil {
		t.Fatalf("the packages of the example are not there: run make setup (%v)", err)
	}
	return packages
}

func TestExamples(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	for _, e := range exampleSites() {
		e.run(t, p)
	}
}

// run checks that an example signs people in with words that a phone sends, refuses responses of other logins, accepts
// only signed events, and signs out.
func (e exampleSite) run(t *testing.T, p *systemtest.Dev) {
	t.Run("the example "+e.name, func(t *testing.T) {
		listens := systemtest.FreeAddress(t)
		site := "http://" + listens
		client := systemtest.RunJSON[authverbs.Client](p.Operator(), "clients", "create", "--tenant", p.Tenant.ID, "--type", "CONFIDENTIAL", "--mode", "LIVE", "--redirect", site+e.callback)
		_, port, _ := strings.Cut(listens, ":")
		out := startApplication(t, e.command(t, listens), listens, append(devVariables(t, p), "PORT="+port, // the last value of a name is used
			"GRIOT_CLIENT_ID="+client.ClientID, "GRIOT_CLIENT_SECRET="+client.ClientSecret, "GRIOT_REDIRECT_URI="+site+e.callback)...)
		signInToExample(t, p, site)
		if e.webhooks {
			takesWebhooks(t, p, site, out)
		}
	})
}

// devVariables returns the variables of dev.env, and checks that its client is one of a site at the port of the
// examples.
func devVariables(t *testing.T, p *systemtest.Dev) []string {
	t.Helper()
	file := filepath.Join(p.Dir, devfile.EnvName)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v; want only its owner to read it", file, info.Mode(), err)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", "set -a; . \"$1\"; env", "sh", file)
	shell.Env = []string{}
	out, err := shell.Output()
	if err != nil {
		t.Fatal(err)
	}
	var variables []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, config.Prefix) {
			variables = append(variables, line)
		}
	}
	if want := strings.Count(string(b), "\n"+config.Prefix); len(variables) != want || want != len(p.Environment()) {
		t.Errorf("a shell reads %d variables of\n%s\nwant %d", len(variables), b, len(p.Environment()))
	}
	for _, path := range []string{"/callback", "/auth/callback/griot"} {
		q := url.Values{"client_id": {p.Clients.LiveConfidential.ClientID}, "redirect_uri": {"http://127.0.0.1:3000" + path}, "state": {"sixteen-or-more-characters"}}
		if r := p.Call("GET", p.AuthURL+"/authorize?"+q.Encode(), ""); r.Status != http.StatusSeeOther {
			t.Errorf("the client of dev.env with %s: %d %s, want 303", path, r.Status, r.Raw)
		}
	}
	return variables
}

const (
	exampleButton = `<a class="griot-button" href="/login"></a>`
	exampleDone   = "Signed in with +22376000001."
)

func signInToExample(t *testing.T, p *systemtest.Dev, site string) {
	t.Helper()
	someone := systemtest.NewPerson(t)
	shows := func(who *systemtest.Person, want string) {
		t.Helper()
		status, body, _ := who.Get(site + "/")
		if status != http.StatusOK || !strings.Contains(html.UnescapeString(body), want) {
			t.Errorf("the site shows %d\n%s\nwant %s", status, body, want)
		}
	}
	shows(someone, exampleButton)
	_, home, _ := someone.Get(site + "/")
	for _, name := range []string{"button.css", "button.js"} {
		file := regexp.MustCompile(`http[^"]+/` + name).FindString(home)
		if status, body, _ := someone.Get(file); status != http.StatusOK || body == "" {
			t.Errorf("the site's %s is %q, which answers %d", name, file, status)
		}
	}
	back := loginToExample(t, p, someone, site)
	for _, change := range []func(url.Values){
		func(q url.Values) { q.Set("iss", "https://attacker.example") },
		func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") },
	} {
		refused := systemtest.NewPerson(t)
		wrong := *loginToExample(t, p, refused, site)
		q := wrong.Query()
		change(q)
		wrong.RawQuery = q.Encode()
		refused.Get(wrong.String())
		shows(refused, exampleButton)
	}
	other := systemtest.NewPerson(t)
	other.Get(back.String()) // it has started no login
	shows(other, exampleButton)

	if status, body, leads := someone.Get(back.String()); leads == nil || status < 300 || status > 399 {
		t.Fatalf("the way back answers %d %s, want a redirect", status, body)
	}
	shows(someone, exampleDone)
	shows(other, exampleButton)
	if status, _, _ := someone.Get(back.String()); status == http.StatusOK {
		t.Error("the same way back twice is answered with 200")
	}
	shows(someone, exampleDone)

	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site+"/logout", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if status, body, _ := someone.Do(request); status != http.StatusSeeOther {
		t.Errorf("signing out answers %d %s, want 303", status, body)
	}
	shows(someone, exampleButton)
}

// loginToExample signs someone in with their phone, and returns the address of the return to the site.
func loginToExample(t *testing.T, p *systemtest.Dev, someone *systemtest.Person, site string) *url.URL {
	t.Helper()
	status, body, authorize := someone.Get(site + "/login")
	if authorize == nil || !strings.HasPrefix(authorize.String(), p.AuthURL+"/authorize?") {
		t.Fatalf("/login answers %d and leads to %v\n%s", status, authorize, body)
	}
	return someone.SendWords(p.BaseURL, authorize.String())
}

// takesWebhooks checks that the site accepts an event of Griot, and no other.
func takesWebhooks(t *testing.T, p *systemtest.Dev, site string, out *systemtest.Buffer) {
	t.Helper()
	p.Operator().Run("webhooks", "set", "--account", "business@griot.example", "--url", site+"/webhook")
	if r := p.Call("POST", p.BaseURL+"/api/webhooks/ping", "", "X-API-Key: "+p.Accounts.Business.LiveKey); r.Status/100 != 2 {
		t.Fatalf("ping: %d %s, want success", r.Status, r.Raw)
	}
	waittest.Until(t, func() error {
		if !strings.Contains(out.String(), "webhook webhook.ping evt_") {
			return fmt.Errorf("the site has not logged the event: %w", systemtest.ErrNotYet)
		}
		return nil
	})
	refusesForgedEvent(t, site+"/webhook", out)
}

// refusesForgedEvent checks that an endpoint responds with 401 to an event that Griot has not signed, and does not
// log it.
func refusesForgedEvent(t *testing.T, address string, out *systemtest.Buffer) {
	t.Helper()
	r, err := systemtest.Call("POST", address, `{"event":"message.status","eventId":"evt_forged","messageId":"msg_forged"}`, "webhook-id: evt_forged",
		fmt.Sprintf("webhook-timestamp: %d", time.Now().Unix()), "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	if err != nil {
		t.Fatal(err)
	}
	if log := out.String(); r.Status != http.StatusUnauthorized || strings.Contains(log, "msg_forged") || strings.Contains(log, "webhook message.status evt_forged") {
		t.Errorf("a forged event: %d %s, want 401", r.Status, r.Raw)
	}
}
