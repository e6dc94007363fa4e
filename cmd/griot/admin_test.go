package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/admin"
	"example.com/griot/internal/seal"
)

// operator runs `griot admin` as somebody at a terminal would.
type operator struct {
	t    *testing.T
	dir  string   // where they are
	env  []string // beside the environment
	args []string // behind every command
}

func (o *operator) try(args ...string) (stdout, stderr string, code int) {
	o.t.Helper()
	cmd := exec.CommandContext(context.Background(), binary, append(append([]string{"admin"}, args...), o.args...)...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = o.dir, &out, &errs, append(environ(), o.env...)
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		o.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// run runs a command that must succeed, and returns its output.
func (o *operator) run(args ...string) string {
	o.t.Helper()
	stdout, stderr, code := o.try(args...)
	if code != 0 || stderr != "" {
		o.t.Fatalf("%v: exit %d, %q", args, code, stderr)
	}
	return stdout
}

// mustFail runs a command that must fail with one line that has want.
func (o *operator) mustFail(want string, args ...string) {
	o.t.Helper()
	o.mustEnd(1, want, args...)
}

// mustEnd runs a command that must end with a code and one line that has want.
func (o *operator) mustEnd(wantCode int, want string, args ...string) {
	o.t.Helper()
	stdout, stderr, code := o.try(args...)
	if code != wantCode || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "griot: ") || !strings.Contains(stderr, want) {
		o.t.Errorf("%v: exit %d, stdout %q, stderr %q; want %d and %q", args, code, stdout, stderr, wantCode, want)
	}
}

// runJSON is run with --json, and decodes the output.
func runJSON[Out any](o *operator, args ...string) Out {
	o.t.Helper()
	var out Out
	s := o.run(append(args, "--json")...)
	if err := json.Unmarshal([]byte(s), &out); err != nil {
		o.t.Fatalf("%v: %v\n%s", args, err, s)
	}
	return out
}

// signIn signs a TEST client's sandbox number in, and returns the answer of /token.
func signIn(t *testing.T, authURL string, c *authadmin.Client) *reply {
	t.Helper()
	r, err := trySignIn(authURL, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// trySignIn is signIn with a server that may be killed at any moment. It returns the first answer that is not as expected.
func trySignIn(authURL string, c *authadmin.Client) (*reply, error) {
	const verifier = "a-verifier-of-forty-three-characters-or-more-x"
	sum := sha256.Sum256([]byte(verifier))
	redirect := c.RedirectURIs[0]
	r, err := call("GET", authURL+"/authorize?"+url.Values{
		"client_id": {c.ClientID}, "redirect_uri": {redirect}, "state": {"0123456789abcdef"}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])},
	}.Encode(), "")
	if err != nil || r.status != 303 {
		return r, err
	}
	page, err := url.Parse(r.header.Get("Location"))
	if err != nil {
		return nil, err
	}
	cookie, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
	login := page.Query().Get("loginKeyId")
	r, err = call("POST", authURL+"/authorize/sandbox", fmt.Sprintf(`{"loginKeyId":%q,"phoneE164":"22300000001"}`, login), "Cookie: "+cookie, "Origin: "+authURL)
	if err != nil || r.status != 201 {
		return r, err
	}
	if r, err = call("GET", authURL+"/authorize/status?loginKeyId="+login, "", "Cookie: "+cookie); err != nil {
		return nil, err
	}
	back, err := url.Parse(r.text("redirectUrl"))
	if err != nil || !strings.HasPrefix(r.text("redirectUrl"), redirect) {
		return nil, fmt.Errorf("no way back: %w %s", err, r.raw)
	}
	in := map[string]string{
		"grant_type": "authorization_code", "code": back.Query().Get("code"), "redirect_uri": redirect, "client_id": c.ClientID, "code_verifier": verifier,
	}
	if c.ClientSecret != "" {
		in["client_secret"] = c.ClientSecret
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	return call("POST", authURL+"/token", string(body))
}

// adminKey returns the credential that griot admin sends to the server.
func adminKey(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	k, err := seal.ParseKey(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(k.Derive("admin"))
}

func TestAdmin_OnlyForWhoHasTheMasterKeyOnThisMachine(t *testing.T) {
	dir := t.TempDir()
	p := startDev(t, dir)
	auth := "Authorization: Bearer " + adminKey(t, filepath.Join(dir, "master.key"))
	at := p.InternalURL + admin.Path + "tenants.list"
	for name, tt := range map[string]struct {
		url     string
		headers []string
		status  int
	}{
		"right":               {at, []string{auth}, 200},
		"no key":              {at, nil, 401},
		"another key":         {at, []string{auth + "x"}, 401},
		"through a proxy":     {at, []string{auth, "X-Forwarded-For: 127.0.0.1"}, 403},
		"from a page":         {at, []string{auth, "Origin: " + p.AuthURL}, 403},
		"the auth listener":   {p.AuthURL + admin.Path + "tenants.list", []string{auth}, 404},
		"the public listener": {p.BaseURL + admin.Path + "tenants.list", []string{auth}, 404},
	} {
		if r := p.call("POST", tt.url, "{}", tt.headers...); r.status != tt.status {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}

	// Somebody with another master key finds the server by dev.json.
	other := t.TempDir()
	for name, text := range map[string]string{"master.key": seal.NewMasterKey(), devfile.Name: fmt.Sprintf(`{"internalUrl":%q}`, p.InternalURL)} {
		if err := os.WriteFile(filepath.Join(other, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outsider := &operator{t: t, dir: other, args: []string{"--data", other}}
	outsider.mustFail("the configured master key", "tenants", "list")
	p.stop()
	outsider.env = []string{"GRIOT_DATABASE=sqlite:" + filepath.Join(dir, "griot.db")}
	outsider.mustFail("the configured master key", "tenants", "list")
}

func TestAdmin_WithAConfiguration(t *testing.T) {
	database := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
	s := startServe(t, database, freePort(t))
	o := &operator{t: t, dir: s.cmd.Dir, env: s.cmd.Env}
	made := runJSON[authadmin.Tenant](o, "tenants", "create", "--name", "Banque")
	elsewhere := &operator{t: t, dir: t.TempDir(), env: s.cmd.Env, args: []string{"--config", filepath.Join(s.cmd.Dir, "griot.yaml")}}
	if list := runJSON[[]authadmin.Tenant](elsewhere, "tenants", "list"); len(list) != 1 || list[0] != made {
		t.Errorf("tenants %+v", list)
	}
	lost := &operator{t: t, dir: s.cmd.Dir, env: append(s.cmd.Env, fmt.Sprintf("GRIOT_INTERNAL_LISTEN=127.0.0.1:%d", freePort(t)))}
	lost.mustFail("in use by a process that does not answer at http://127.0.0.1:", "tenants", "list")
	stray := &operator{t: t, dir: s.cmd.Dir, env: append(s.cmd.Env, "GRIOT_INTERNAL_LISTEN="+strings.TrimPrefix(s.api, "http://"), "GRIOT_API_LISTEN=127.0.0.1:0")}
	stray.mustFail("is not a Griot of this version", "tenants", "list")

	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	if list := runJSON[[]authadmin.Tenant](o, "tenants", "list"); len(list) != 1 || list[0] != made {
		t.Errorf("tenants, without a server: %+v", list)
	}
	if out := s.out.String(); !strings.Contains(out, `"verb":"tenants.create"`) || strings.Contains(out, "Banque") {
		t.Errorf("logged:\n%s", out)
	}
	o.env = append(s.cmd.Env, "GRIOT_DATABASE=sqlite:nowhere.db")
	o.mustFail("there is no server and no database yet", "tenants", "list")
	if _, err := os.Stat(filepath.Join(s.cmd.Dir, "nowhere.db")); err == nil {
		t.Error("made a database")
	}
}

func TestAdmin_RefusesClearly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startDev(t, dir)
	none := &operator{t: t, dir: t.TempDir()}
	none.mustFail("there is no griot.yaml here, and no GRIOT_ variable says otherwise: griot init makes one, --config names one", "tenants", "list")
	none.mustEnd(exit.CodeUsage, "griot admin needs one of: tenants, clients, invitations, ")
	none.mustEnd(exit.CodeUsage, "griot admin clients needs one of: create, list, set, ", "clients", "drop")
	none.mustFail("there is no master.key in this folder", "tenants", "list", "--data", none.dir)
	none.mustEnd(exit.CodeUsage, "give one of them", "tenants", "list", "--data", dir, "--config", "griot.yaml")

	if err := os.CopyFS(filepath.Join(none.dir, devfile.Folder), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	none.mustFail("(for the griot dev of this folder: --data griot-data)", "tenants", "list")

	check := func(o *operator) {
		o.t.Helper()
		tenantID := p.Tenant.ID
		create := func(flags ...string) []string { return append([]string{"clients", "create"}, flags...) }
		const kinds = "PUBLIC or CONFIDENTIAL, the mode TEST or LIVE, and 1 to 20 redirect addresses"
		for _, tt := range []struct {
			want string
			args []string
		}{
			{"1 to 100 characters", []string{"tenants", "create", "--name", " "}},
			{"1 to 100 characters", []string{"tenants", "create", "--name", strings.Repeat("é", 101)}},
			{"1 to 100 characters", []string{"tenants", "create", "--name", "a\x1b[2Jb"}},
			{"no such tenant", create("--tenant", "none", "--type", "PUBLIC", "--mode", "TEST", "--redirect", "https://a.example")},
			{kinds, create("--tenant", tenantID, "--type", "OTHER", "--mode", "TEST", "--redirect", "https://a.example")},
			{kinds, create("--tenant", tenantID, "--type", "PUBLIC", "--mode", "test", "--redirect", "https://a.example")},
			{kinds, create("--tenant", tenantID, "--type", "PUBLIC", "--mode", "TEST", "--redirect", "http://a.example")},
			{"no such tenant", []string{"clients", "list", "--tenant", "none"}},
			{"no such client", []string{"clients", "activate", "cl_test_none"}},
			{"no such client", []string{"clients", "rotate", "cl_test_none"}},
			{"no such tenant", []string{"invitations", "create", "--tenant", "none"}},
			{"from a minute to a year", []string{"invitations", "create", "--tenant", tenantID, "--ttl", "59s"}},
			{"from a minute to a year", []string{"invitations", "create", "--tenant", tenantID, "--ttl", "8785h"}},
			{"no such tenant", []string{"invitations", "list", "--tenant", "none"}},
			{"no such invitation", []string{"invitations", "revoke", "none"}},
			{"no such tenant", []string{"events", "--tenant", "none"}},
			{"1 to 1000", []string{"events", "--tenant", tenantID, "--limit", "0"}},
			{"1 to 1000", []string{"events", "--tenant", tenantID, "--limit", "1001"}},
		} {
			o.mustFail(tt.want, tt.args...)
		}
		o.mustEnd(exit.CodeUsage, `required flag(s) "name" not set`, "tenants", "create")
		o.mustEnd(exit.CodeUsage, "unknown flag: --nam", "tenants", "create", "--nam", "x")
		o.mustEnd(exit.CodeUsage, "unknown command", "tenants", "list", "all")
		o.mustEnd(exit.CodeUsage, `required flag(s) "mode", "redirect", "tenant", "type" not set`, create()...)
		o.mustEnd(exit.CodeUsage, "exactly one CLIENT", "clients", "deactivate")
		o.mustEnd(exit.CodeUsage, "exactly one INVITATION", "invitations", "revoke", "a", "b")
		o.mustEnd(exit.CodeUsage, "invalid argument", "invitations", "create", "--tenant", tenantID, "--ttl", "a month")
	}
	check(&operator{t: t, dir: none.dir, args: []string{"--data", dir}})
	p.stop()
	check(&operator{t: t, dir: none.dir, args: []string{"--data", dir}})
}
