package clients_test

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/test/system/systemtest"
)

// The lines that the tenants' dashboard shows for a client sign someone in on griot dev, exactly as printed.
func TestClients_SnippetsOfTheDashboard(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	owner := signInTenant(t, p)
	for name, c := range map[string]devfile.Client{"public": p.Clients.TestPublic, "confidential": p.Clients.TestConfidential} {
		page := clientPage(t, p, owner, c.ClientID)
		t.Run("openid-client/"+name, func(t *testing.T) {
			start, finish := cutAt(t, snippetOf(t, page, "snippet-js"), "// At the redirect address")
			program := filepath.Join(t.TempDir(), "login.mjs")
			browser, err := filepath.Abs(filepath.Join(npmFolder, "clients/browser.mjs"))
			systemtest.Must(t, err)
			modules, err := filepath.Abs(filepath.Join(npmFolder, "node_modules"))
			systemtest.Must(t, err)
			systemtest.Must(t, os.Symlink(modules, filepath.Join(filepath.Dir(program), "node_modules")))
			systemtest.WriteFile(t, program, "import { signIn } from '"+browser+"'\n"+start+"const currentUrl = await signIn(url)\n"+finish+"\nconsole.log(answer.token_type, answer.access_token.length > 100)\n")
			cmd := node(t, nil, program)
			cmd.Env = append(os.Environ(), "CLIENT_SECRET="+c.ClientSecret)
			out, err := cmd.Output()
			if err != nil || string(out) != "bearer true\n" {
				t.Errorf("the lines end with %v, %q\n%s", err, out, stderrOf(err))
			}
		})
		t.Run("curl/"+name, func(t *testing.T) {
			lines := snippetOf(t, page, "snippet-curl")
			script := filepath.Join(t.TempDir(), "login.sh")
			systemtest.WriteFile(t, script, "#!/bin/sh\n"+lines+"\n")
			if out, err := exec.CommandContext(t.Context(), "shellcheck", "--shell=sh", script).CombinedOutput(); err != nil {
				t.Errorf("shellcheck: %v\n%s", err, out)
			}
			start, exchange := cutAt(t, lines, "# 3.")
			sh := shellWith(t, "openssl", "tr", "curl")
			printed := strings.Fields(sh(start + "\necho \"$VERIFIER\"\n"))
			if len(printed) != 2 {
				t.Fatalf("the lines print %q, want an address", printed)
			}
			back := systemtest.NewPerson(t).SignInSandbox(printed[0])
			answer := sh(exchange, "CODE="+back.Query().Get("code"), "VERIFIER="+printed[1], "CLIENT_SECRET="+c.ClientSecret)
			if !strings.Contains(answer, `"access_token":"`) {
				t.Errorf("the exchange answers %s", answer)
			}
		})
	}
}

// signInTenant returns the browser of a person in the dashboard of griot dev's tenant.
func signInTenant(t *testing.T, p *systemtest.Dev) *systemtest.Person {
	t.Helper()
	owner := systemtest.NewPerson(t)
	form := url.Values{"tenantId": {p.Tenant.ID}, "key": {p.Tenant.InvitationKey}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.AuthURL+"/dashboard/sign-in", strings.NewReader(form.Encode()))
	systemtest.Must(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", p.AuthURL)
	if status, body, _ := owner.Do(req); status != http.StatusSeeOther {
		t.Fatalf("sign-in: %d %s", status, body)
	}
	return owner
}

// clientPage returns the page of the client with an id.
func clientPage(t *testing.T, p *systemtest.Dev, owner *systemtest.Person, clientID string) string {
	t.Helper()
	_, list, _ := owner.Get(p.AuthURL + "/dashboard/clients")
	for _, link := range regexp.MustCompile(`href="(/dashboard/clients/[^"/]+)"`).FindAllStringSubmatch(list, -1) {
		if _, page, _ := owner.Get(p.AuthURL + link[1]); strings.Contains(page, "client_id="+clientID) {
			return page
		}
	}
	t.Fatalf("no page of the client %s in %s", clientID, list)
	return ""
}

// snippetOf returns the lines that a page shows under an id.
func snippetOf(t *testing.T, page, id string) string {
	t.Helper()
	found := regexp.MustCompile(`(?s)id="` + id + `"[^>]*>(.*?)</`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("the page has no %s", id)
	}
	return html.UnescapeString(found[1])
}

func cutAt(t *testing.T, lines, where string) (before, after string) {
	t.Helper()
	before, after, found := strings.Cut(lines, where)
	if !found {
		t.Fatalf("the lines have no %q:\n%s", where, lines)
	}
	return before, where + after
}

// shellWith returns a function that runs lines with dash on a machine that only has these programs, and returns their
// output.
func shellWith(t *testing.T, programs ...string) func(lines string, variables ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		path, err := exec.LookPath(name)
		systemtest.Must(t, err)
		systemtest.Must(t, os.Symlink(path, filepath.Join(dir, name)))
	}
	return func(lines string, variables ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "dash", "-eu")
		cmd.Env, cmd.Stdin = append(variables, "PATH="+dir), strings.NewReader(lines)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s%s", err, out, stderrOf(err))
		}
		return string(out)
	}
}
