package command_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/systemtest"
)

// everyVerb runs every verb. With authURL, a server runs there, whose responses must change immediately. It returns the
// printed secrets and a client for sign-ins.
func everyVerb(o *systemtest.Operator, authURL string) (secrets []string, works authverbs.Client) {
	t := o.T
	signs := func(c *authverbs.Client, status int, code string) *systemtest.Reply {
		t.Helper()
		if authURL == "" {
			return nil
		}
		r := systemtest.SignIn(t, authURL, c)
		if r.Status != status || r.Text("error_code") != code {
			t.Errorf("signing in: %d %s, want %d %s", r.Status, r.Raw, status, code)
		}
		return r
	}

	made := systemtest.RunJSON[authverbs.Tenant](o, "tenants", "create", "--name", " Banque & fils ")
	if made.Name != "Banque & fils" || made.ID == "" {
		t.Errorf("tenant %+v", made)
	}
	if list := systemtest.RunJSON[[]authverbs.Tenant](o, "tenants", "list"); len(list) < 2 || list[len(list)-1] != made {
		t.Errorf("tenants %+v", list)
	}
	if s := o.Run("tenants", "list"); !strings.HasPrefix(s, "TENANT") || !strings.Contains(s, made.ID+"  Banque & fils") {
		t.Errorf("tenants:\n%s", s)
	}

	const redirect = "https://app.example/cb?from=griot&x=1"
	c := systemtest.RunJSON[authverbs.Client](o, "clients", "create", "--tenant", made.ID, "--type", "CONFIDENTIAL", "--mode", "TEST", "--redirect", redirect, "--redirect", "http://127.0.0.1/cb")
	old := c
	if len(c.RedirectURIs) != 2 || c.RedirectURIs[0] != redirect || !strings.HasPrefix(c.ClientSecret, "cs_") || !c.Active {
		t.Fatalf("client %+v", c)
	}
	signs(&c, 201, "")
	if off := systemtest.RunJSON[authverbs.Client](o, "clients", "deactivate", c.ClientID); off.Active || off.ClientSecret != "" {
		t.Errorf("deactivated %+v", off)
	}
	signs(&c, 400, "client_inactive")
	if on := systemtest.RunJSON[authverbs.Client](o, "clients", "activate", c.ClientID); !on.Active || len(on.RedirectURIs) != 2 {
		t.Errorf("activated %+v", on)
	}
	signs(&c, 201, "")
	moved := c
	moved.RedirectURIs = []string{"https://moved.example/cb", redirect}
	if set := systemtest.RunJSON[authverbs.Client](o, "clients", "set", c.ClientID, "--redirect", moved.RedirectURIs[0], "--redirect", redirect); strings.Join(set.RedirectURIs, " ") != strings.Join(moved.RedirectURIs, " ") || set.ClientSecret != "" || !set.Active {
		t.Errorf("with other redirect addresses: %+v", set)
	}
	signs(&moved, 201, "")
	o.MustFail("1 to 20 redirect addresses", "clients", "set", c.ClientID, "--redirect", "http://moved.example/cb")
	o.MustFail("The client doesn't exist.", "clients", "set", "cl_live_none", "--redirect", redirect)
	c.ClientSecret = systemtest.RunJSON[authverbs.Client](o, "clients", "rotate", c.ClientID).ClientSecret
	signs(&old, 401, "client_auth_failed")
	signs(&c, 201, "")

	s := o.Run("clients", "create", "--tenant", made.ID, "--type", "PUBLIC", "--mode", "LIVE", "--redirect", "com.example.app:/cb")
	if !strings.Contains(s, "cl_live_") || strings.Contains(s, "secret") {
		t.Errorf("a PUBLIC client:\n%s", s)
	}
	clients := systemtest.RunJSON[[]authverbs.Client](o, "clients", "list", "--tenant", made.ID)
	if len(clients) != 2 || clients[0].ClientID != c.ClientID || clients[0].ClientSecret != "" || clients[1].Type != "PUBLIC" {
		t.Fatalf("clients %+v", clients)
	}
	o.MustFail("A PUBLIC client has no secret.", "clients", "rotate", clients[1].ClientID)

	secrets = append(secrets, old.ClientSecret, c.ClientSecret)
	secrets = append(secrets, invitationVerbs(o, authURL, made.ID)...)
	keyVerbs(o, authURL, func() string {
		r := signs(&c, 201, "")
		return keyID(t, r.Text("access_token"))
	})

	events := systemtest.RunJSON[[]authverbs.Event](o, "events", "--tenant", made.ID)
	if table := o.Run("events", "--tenant", made.ID, "--limit", "1"); strings.Count(table, "\n") != 2 || !strings.Contains(table, events[0].Type) {
		t.Errorf("the last event:\n%s", table)
	}
	seen := map[string]int{}
	for _, e := range events {
		seen[e.Type]++
		if e.Phone != "" && e.Phone != "+223*****001" {
			t.Errorf("event %+v", e)
		}
	}
	want := map[string]int{"client.created": 2, "client.updated": 3, "client.secret_rotated": 1}
	if authURL != "" {
		want["token.issued"] = 5
	}
	for typ, n := range want {
		if seen[typ] != n {
			t.Errorf("%d events %s, want %d; %v", seen[typ], typ, n, seen)
		}
	}
	return secrets, c
}

// invitationVerbs returns the printed keys.
func invitationVerbs(o *systemtest.Operator, authURL, tenantID string) []string {
	t := o.T
	opens := func(key string, status int) {
		t.Helper()
		if authURL == "" {
			return
		}
		r, err := systemtest.Call("POST", authURL+"/manage/login", fmt.Sprintf(`{"tenantId":%q,"key":%q}`, tenantID, key), "Origin: "+authURL)
		if err != nil || r.Status != status {
			t.Errorf("the dashboard: %v, %+v, want %d", err, r, status)
		}
	}
	often := systemtest.RunJSON[authverbs.NewInvitation](o, "invitations", "create", "--tenant", tenantID)
	once := systemtest.RunJSON[authverbs.NewInvitation](o, "invitations", "create", "--tenant", tenantID, "--single-use", "--ttl", "90m")
	if often.TTLSeconds != 30*24*3600 || often.SingleUse || once.TTLSeconds != 90*60 || !once.SingleUse {
		t.Errorf("invitations %d %v, %d %v", often.TTLSeconds, often.SingleUse, once.TTLSeconds, once.SingleUse)
	}
	opens(often.Key, 200)
	opens(often.Key, 200)
	opens(once.Key, 200)
	opens(once.Key, 401)
	list := systemtest.RunJSON[[]authverbs.Invitation](o, "invitations", "list", "--tenant", tenantID)
	if len(list) != 2 || list[0].SingleUse || !list[1].SingleUse || list[0].RevokedAt != nil || (list[1].UsedAt != nil) != (authURL != "") {
		t.Fatalf("invitations %+v", list)
	}
	for range 2 { // repeating it is no error
		if s := o.Run("invitations", "revoke", list[0].ID); s != "revoked  "+list[0].ID+"\n" {
			t.Errorf("revoked: %q", s)
		}
	}
	opens(often.Key, 401)
	if list = systemtest.RunJSON[[]authverbs.Invitation](o, "invitations", "list", "--tenant", tenantID); list[0].RevokedAt == nil || list[1].RevokedAt != nil {
		t.Errorf("invitations %+v", list)
	}
	if s := o.Run("invitations", "list", "--tenant", tenantID); strings.Contains(s, "inv_") || strings.Count(s, "\n") != 3 {
		t.Errorf("invitations:\n%s", s)
	}
	return []string{often.Key, once.Key}
}

func keyVerbs(o *systemtest.Operator, authURL string, signs func() string) {
	t := o.T
	published := func(want ...string) {
		t.Helper()
		if authURL == "" {
			return
		}
		r, err := systemtest.Call("GET", authURL+"/.well-known/jwks.json", "")
		var set struct{ Keys []struct{ Kid string } }
		if err != nil || json.Unmarshal([]byte(r.Raw), &set) != nil || len(set.Keys) != len(want) {
			t.Fatalf("JWKS: %v %+v, want %d keys", err, r, len(want))
		}
		for _, k := range want {
			if !strings.Contains(r.Raw, k) {
				t.Errorf("%s is not in the JWKS", k)
			}
		}
	}
	before := systemtest.RunJSON[[]authverbs.Key](o, "keys", "list")
	if len(before) != 1 || before[0].Status != "active" {
		t.Fatalf("keys %+v", before)
	}
	next := systemtest.RunJSON[authverbs.Key](o, "keys", "rotate")
	if next.Status != "next" || next.Kid == before[0].Kid || !next.SignsAt.After(next.PublishedAt) {
		t.Errorf("next key %+v", next)
	}
	published(before[0].Kid, next.Kid)
	if again := systemtest.RunJSON[authverbs.Key](o, "keys", "rotate"); again != next {
		t.Errorf("rotated again: %+v", again)
	}
	now := systemtest.RunJSON[authverbs.Key](o, "keys", "rotate", "--emergency")
	if now.Status != "active" || now.Kid == next.Kid || now.Kid == before[0].Kid {
		t.Errorf("in an emergency: %+v", now)
	}
	published(now.Kid)
	if authURL != "" && signs() != now.Kid {
		t.Error("a new token has the old key")
	}
	if s := o.Run("keys", "list"); !strings.Contains(s, now.Kid+"  active") || strings.Count(s, "\n") != 2 {
		t.Errorf("keys:\n%s", s)
	}
	if s := o.Run("events"); !strings.Contains(s, "key.published") || !strings.Contains(s, "key.revoked") {
		t.Errorf("events of the keys:\n%s", s)
	}
}

// keyID returns the id of the key that signed a token.
func keyID(t *testing.T, token string) string {
	t.Helper()
	head, _, _ := strings.Cut(token, ".")
	b, err := base64.RawURLEncoding.DecodeString(head)
	var h struct{ Kid string }
	if err != nil || json.Unmarshal(b, &h) != nil || h.Kid == "" {
		t.Fatalf("token's header %q: %v", b, err)
	}
	return h.Kid
}

// detached detaches a person from their number. With authURL, a server runs there: the owner of the number is a
// different person immediately.
func detached(o *systemtest.Operator, authURL string, c *authverbs.Client, subject string) (next string) {
	o.T.Helper()
	if d := systemtest.RunJSON[authverbs.DetachedPerson](o, "people", "detach", subject, "--tenant", c.TenantID); d.ID != subject || d.Tokens < 1 {
		o.T.Errorf("detached %+v, want %s with its tokens", d, subject)
	}
	o.MustFail("The tenant doesn't have this person, or their number is already detached.", "people", "detach", subject, "--tenant", c.TenantID)
	o.MustFail("The tenant doesn't exist.", "people", "detach", subject, "--tenant", subject)
	if authURL != "" {
		if next = systemtest.SignIn(o.T, authURL, c).Text("subject"); next == subject || next == "" {
			o.T.Errorf("the number's next owner is %q, want another than %q", next, subject)
		}
	}
	return next
}

func TestAdmin_EveryVerb(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func() string{
		"sqlite":   func() string { return "" },
		"postgres": func() string { return dbtest.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, url := t.TempDir(), database()
			o := &systemtest.Operator{T: t, Dir: t.TempDir(), Args: []string{"--data", dir}}
			var args []string
			if url != "" {
				o.Env, args = []string{"GRIOT_DATABASE=" + url}, []string{"--database", url}
			}
			p := systemtest.StartDev(t, dir, args...)
			secrets, c := everyVerb(o, p.AuthURL)
			person := detached(o, p.AuthURL, &c, systemtest.SignIn(t, p.AuthURL, &c).Text("subject"))
			p.Stop()
			for _, s := range append(secrets, adminKey(t, filepath.Join(dir, "master.key"))) {
				if s == "" || strings.Contains(p.Out.String(), s) {
					t.Error("the server logged a secret")
				}
			}
			if out := p.Out.String(); !strings.Contains(out, "msg=admin verb=clients.rotate") {
				t.Errorf("logged:\n%s", out)
			}
			_, direct := everyVerb(o, "")
			detached(o, "", &c, person)
			p = systemtest.StartDev(t, dir, args...)
			for _, c := range []*authverbs.Client{&c, &direct} {
				if r := systemtest.SignIn(t, p.AuthURL, c); r.Status != 201 || r.Text("subject") == person {
					t.Errorf("signing in after a restart: %s", r.Raw)
				}
			}
			p.Stop()
		})
	}
}
