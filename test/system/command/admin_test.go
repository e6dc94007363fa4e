package command_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authadmin "example.com/griot/auth/admin"
	"example.com/griot/cmd/griot/devfile"
	"example.com/griot/cmd/griot/exit"
	"example.com/griot/internal/admin"
	"example.com/griot/internal/seal"
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
	made := systemtest.RunJSON[authadmin.Tenant](o, "tenants", "create", "--name", "Banque")
	elsewhere := &systemtest.Operator{T: t, Dir: t.TempDir(), Env: s.Cmd.Env, Args: []string{"--config", filepath.Join(s.Cmd.Dir, "griot.yaml")}}
	if list := systemtest.RunJSON[[]authadmin.Tenant](elsewhere, "tenants", "list"); len(list) != 1 || list[0] != made {
		t.Errorf("tenants %+v", list)
	}
	lost := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: append(s.Cmd.Env, fmt.Sprintf("GRIOT_INTERNAL_LISTEN=127.0.0.1:%d", systemtest.FreePort(t)))}
	lost.MustFail("in use by a process that does not answer at http://127.0.0.1:", "tenants", "list")
	stray := &systemtest.Operator{T: t, Dir: s.Cmd.Dir, Env: append(s.Cmd.Env, "GRIOT_INTERNAL_LISTEN="+strings.TrimPrefix(s.Api, "http://"), "GRIOT_API_LISTEN=127.0.0.1:0")}
	stray.MustFail("is not a Griot of this version", "tenants", "list")

	if err := s.Cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.Cmd.Wait()
	if list := systemtest.RunJSON[[]authadmin.Tenant](o, "tenants", "list"); len(list) != 1 || list[0] != made {
		t.Errorf("tenants, without a server: %+v", list)
	}
	if out := s.Out.String(); !strings.Contains(out, `"verb":"tenants.create"`) || strings.Contains(out, "Banque") {
		t.Errorf("logged:\n%s", out)
	}
	o.Env = append(s.Cmd.Env, "GRIOT_DATABASE=sqlite:nowhere.db")
	o.MustFail("there is no server and no database yet", "tenants", "list")
	if _, err := os.Stat(filepath.Join(s.Cmd.Dir, "nowhere.db")); err == nil {
		t.Error("made a database")
	}
}

func TestAdmin_RefusesClearly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir)
	none := &systemtest.Operator{T: t, Dir: t.TempDir()}
	none.MustFail("there is no griot.yaml here, and no GRIOT_ variable says otherwise: griot init makes one, --config names one", "tenants", "list")
	none.MustEnd(exit.CodeUsage, "griot admin needs one of: tenants, clients, invitations, ")
	none.MustEnd(exit.CodeUsage, "griot admin clients needs one of: create, list, set, ", "clients", "drop")
	none.MustFail("there is no master.key in this folder", "tenants", "list", "--data", none.Dir)
	none.MustEnd(exit.CodeUsage, "give one of them", "tenants", "list", "--data", dir, "--config", "griot.yaml")

	if err := os.CopyFS(filepath.Join(none.Dir, devfile.Folder), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	none.MustFail("(for the griot dev of this folder: --data griot-data)", "tenants", "list")

	check := func(o *systemtest.Operator) {
		o.T.Helper()
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
