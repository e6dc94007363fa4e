package command_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/seal"
	"example.com/griot/internal/verb"
	"example.com/griot/test/system/systemtest"
)

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
	p := systemtest.StartDev(t, dir)
	auth := "Authorization: Bearer " + adminKey(t, filepath.Join(dir, "master.key"))
	at := p.InternalURL + verb.Path + "tenants.list"
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
		"the auth listener":   {p.AuthURL + verb.Path + "tenants.list", []string{auth}, 404},
		"the public listener": {p.BaseURL + verb.Path + "tenants.list", []string{auth}, 404},
	} {
		if r := p.Call("POST", tt.url, "{}", tt.headers...); r.Status != tt.status {
			t.Errorf("%s: %d %s", name, r.Status, r.Raw)
		}
	}

	// Someone with another master key finds the server through dev.json.
	other := t.TempDir()
	for name, text := range map[string]string{"master.key": seal.NewMasterKey(), devfile.Name: fmt.Sprintf(`{"internalUrl":%q}`, p.InternalURL)} {
		if err := os.WriteFile(filepath.Join(other, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outsider := &systemtest.Operator{T: t, Dir: other, Args: []string{"--data", other}}
	outsider.MustFail("the configured master key", "tenants", "list")
	p.Stop()
	outsider.Env = []string{"GRIOT_DATABASE=sqlite:" + filepath.Join(dir, "griot.db")}
	outsider.MustFail("the configured master key", "tenants", "list")
}

func TestAdmin_WithAConfiguration(t *testing.T) {
	database := "sqlite:" + filepath.Join(t.TempDir(), "griot.db")
	s := systemtest.StartServe(t, database, systemtest.FreePort(t))
	o := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: s.Cmd.Env}
	made := systemtest.RunJSON[authverbs.Tenant](o, "tenants", "create", "--name", "Banque")
	elsewhere := &systemtest.Operator{T: t, Dir: t.TempDir(), Env: s.Cmd.Env, Args: []string{"--config", filepath.Join(s.Cmd.Dir, "griot.yaml")}}
	if list := systemtest.RunJSON[[]authverbs.Tenant](elsewhere, "tenants", "list"); len(list) != 1 || list[0] != made {
		t.Errorf("tenants %+v", list)
	}
	lost := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: append(s.Cmd.Env, fmt.Sprintf("GRIOT_INTERNAL_LISTEN=127.0.0.1:%d", systemtest.FreePort(t)))}
	lost.MustFail("in use by a process that doesn't respond at http://127.0.0.1:", "tenants", "list")
	stray := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: append(s.Cmd.Env, "GRIOT_INTERNAL_LISTEN="+strings.TrimPrefix(s.Api, "http://"), "GRIOT_API_LISTEN=127.0.0.1:0")}
	stray.MustFail("isn't a Griot of this version", "tenants", "list")

	if err := s.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.Cmd.Wait()
	if list := systemtest.RunJSON[[]authverbs.Tenant](o, "tenants", "list"); len(list) != 1 || list[0] != made {
		t.Errorf("tenants, without a server: %+v", list)
	}
	if out := s.Out.String(); !strings.Contains(out, `"verb":"tenants.create"`) || strings.Contains(out, "Banque") {
		t.Errorf("logged:\n%s", out)
	}
	o.Env = append(s.Cmd.Env, "GRIOT_DATABASE=sqlite:nowhere.db")
	o.MustFail("the server isn't running, and the database doesn't exist yet", "tenants", "list")
	if _, err := os.Stat(filepath.Join(s.Cmd.Dir, "nowhere.db")); err == nil {
		t.Error("made a database")
	}
}

func TestAdmin_RefusesClearly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir)
	none := &systemtest.Operator{T: t, Dir: t.TempDir()}
	none.MustFail("there is no griot.yaml here, and no GRIOT_ variable sets the configuration: create one with griot init, or name one with --config", "tenants", "list")
	none.MustEnd(exit.CodeUsage, "griot admin needs one of: tenants, clients, invitations, ")
	none.MustEnd(exit.CodeUsage, "griot admin clients needs one of: create, list, set, ", "clients", "drop")
	none.MustFail("this directory has no master.key", "tenants", "list", "--data", none.Dir)
	none.MustEnd(exit.CodeUsage, "but not both", "tenants", "list", "--data", dir, "--config", "griot.yaml")

	if err := os.CopyFS(filepath.Join(none.Dir, devfile.Folder), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	none.MustFail("(for the griot dev of this directory: --data griot-data)", "tenants", "list")

	check := func(o *systemtest.Operator) {
		o.T.Helper()
		tenantID := p.Tenant.ID
		create := func(flags ...string) []string { return append([]string{"clients", "create"}, flags...) }
		const kinds = "must be PUBLIC or CONFIDENTIAL, and the mode TEST or LIVE. A client needs 1 to 20 redirect addresses"
		for _, tt := range []struct {
			want string
			args []string
		}{
			{"1 to 100 visible characters", []string{"tenants", "create", "--name", " "}},
			{"1 to 100 visible characters", []string{"tenants", "create", "--name", strings.Repeat("é", 101)}},
			{"1 to 100 visible characters", []string{"tenants", "create", "--name", "a\x1b[2Jb"}},
			{"The tenant doesn't exist.", create("--tenant", "none", "--type", "PUBLIC", "--mode", "TEST", "--redirect", "https://a.example")},
			{kinds, create("--tenant", tenantID, "--type", "OTHER", "--mode", "TEST", "--redirect", "https://a.example")},
			{kinds, create("--tenant", tenantID, "--type", "PUBLIC", "--mode", "test", "--redirect", "https://a.example")},
			{kinds, create("--tenant", tenantID, "--type", "PUBLIC", "--mode", "TEST", "--redirect", "http://a.example")},
			{"The tenant doesn't exist.", []string{"clients", "list", "--tenant", "none"}},
			{"The client doesn't exist.", []string{"clients", "activate", "cl_test_none"}},
			{"The client doesn't exist.", []string{"clients", "rotate", "cl_test_none"}},
			{"The tenant doesn't exist.", []string{"invitations", "create", "--tenant", "none"}},
			{"for a minute to a year", []string{"invitations", "create", "--tenant", tenantID, "--ttl", "59s"}},
			{"for a minute to a year", []string{"invitations", "create", "--tenant", tenantID, "--ttl", "8785h"}},
			{"The tenant doesn't exist.", []string{"invitations", "list", "--tenant", "none"}},
			{"The invitation doesn't exist.", []string{"invitations", "revoke", "none"}},
			{"The tenant doesn't exist.", []string{"events", "--tenant", "none"}},
			{"1 to 1000", []string{"events", "--tenant", tenantID, "--limit", "0"}},
			{"1 to 1000", []string{"events", "--tenant", tenantID, "--limit", "1001"}},
		} {
			o.MustFail(tt.want, tt.args...)
		}
		o.MustEnd(exit.CodeUsage, `required flag(s) "name" not set`, "tenants", "create")
		o.MustEnd(exit.CodeUsage, "unknown flag: --nam", "tenants", "create", "--nam", "x")
		o.MustEnd(exit.CodeUsage, "unknown command", "tenants", "list", "all")
		o.MustEnd(exit.CodeUsage, `required flag(s) "mode", "redirect", "tenant", "type" not set`, create()...)
		o.MustEnd(exit.CodeUsage, "exactly one CLIENT", "clients", "deactivate")
		o.MustEnd(exit.CodeUsage, "exactly one INVITATION", "invitations", "revoke", "a", "b")
		o.MustEnd(exit.CodeUsage, "invalid argument", "invitations", "create", "--tenant", tenantID, "--ttl", "a month")
	}
	check(&systemtest.Operator{T: t, Dir: none.Dir, Args: []string{"--data", dir}})
	p.Stop()
	check(&systemtest.Operator{T: t, Dir: none.Dir, Args: []string{"--data", dir}})
}
