package clients_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// pocketBase is a server of PocketBase, called as an application with its SDK does.
type pocketBase struct {
	*testing.T
	site  *partySite
	token string // of a superuser
}

// call makes a request with a JSON body, and decodes the response.
func (p *pocketBase) call(method, path, token string, body, answer any) (status int, text string) {
	p.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		p.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.Context(), method, "http://"+p.site.listens+path, bytes.NewReader(b))
	if err != nil {
		p.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.Fatal(err)
	}
	defer res.Body.Close()
	b, err = io.ReadAll(res.Body)
	if err != nil {
		p.Fatal(err)
	}
	if err := json.Unmarshal(b, answer); err != nil {
		p.Fatalf("%s: %v\n%s", path, err, b)
	}
	return res.StatusCode, string(b)
}

// must makes a request of a superuser.
func (p *pocketBase) must(method, path string, body, answer any) {
	p.Helper()
	if status, text := p.call(method, path, p.token, body, answer); status != http.StatusOK {
		p.Fatalf("%s %s: %d %s", method, path, status, text)
	}
}

// signIn signs a person in, as an application does, and returns the ID of their record, or the response with an error.
func (p *pocketBase) signIn(login partyLogin) (id string, status int, text string) {
	p.Helper()
	someone := p.site.issuer.person(p.T)
	var methods struct {
		OAuth2 struct {
			Providers []struct{ AuthURL, State, CodeVerifier string }
		}
	}
	p.must(http.MethodGet, "/api/collections/users/auth-methods", nil, &methods)
	provider, callback := methods.OAuth2.Providers[0], p.site.client.RedirectURIs[0]
	q := login(someone, provider.AuthURL+callback).Query()
	if q.Get("state") != provider.State {
		p.Errorf("the state is %s, want %s", q.Get("state"), provider.State)
	}
	var signedIn struct {
		Record struct{ ID, Name, Email string }
	}
	status, text = p.call(http.MethodPost, "/api/collections/users/auth-with-oauth2", "", map[string]string{
		"provider": "oidc", "code": q.Get("code"), "codeVerifier": provider.CodeVerifier, "redirectURL": callback,
	}, &signedIn)
	return signedIn.Record.ID, status, text
}

// PocketBase finds the record of a person by their sub, once its records don't need an email. It creates records for
// people only if its rule lets it.
func TestRelyingParties_PocketBase(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	p := &pocketBase{T: t, site: startPartyIssuer(t).site("CONFIDENTIAL", systemtest.FreeAddress(t), "/app")}
	program, dir := buildParty(t, "pocketbase", "github.com/pocketbase/pocketbase/examples/base"), t.TempDir()
	const email, password = "admin@people.example", "secret-secret"
	if out, err := exec.CommandContext(t.Context(), program, "superuser", "upsert", email, password, "--dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	startApplication(t, exec.CommandContext(t.Context(), program, "serve", "--http", p.site.listens, "--dir", dir), p.site.listens, p.site.issuer.variables()...)
	var superuser struct{ Token string }
	p.must(http.MethodPost, "/api/collections/_superusers/auth-with-password", map[string]string{"identity": email, "password": password}, &superuser)
	p.token = superuser.Token
	issuer := p.site.issuer.url
	p.must(http.MethodPatch, "/api/collections/users", map[string]any{"oauth2": map[string]any{"enabled": true, "providers": []map[string]any{{
		"name": "oidc", "displayName": "Griot", "clientId": p.site.client.ClientID, "clientSecret": p.site.client.ClientSecret,
		"authURL": issuer + "/authorize", "tokenURL": issuer + "/oauth2/token", "userInfoURL": issuer + "/userinfo",
	}}}}, &struct{}{})
	awa := p.site.issuer.phone(t, "22376000001")
	if id, status, text := p.signIn(awa); id != "" || status != http.StatusBadRequest || !strings.Contains(text, `"email":{"code":"validation_required"`) {
		t.Errorf("while people need an email, a person gets %d %s, want 400", status, text)
	}

	var users struct{ Fields []map[string]any }
	p.must(http.MethodGet, "/api/collections/users", nil, &users)
	for _, field := range users.Fields {
		if field["name"] == "email" {
			field["required"] = false
		}
	}
	p.must(http.MethodPatch, "/api/collections/users", map[string]any{"fields": users.Fields}, &struct{}{})
	p.site.issuer.tellsPeopleApart(t, func(login partyLogin) string {
		id, status, text := p.signIn(login)
		if status != http.StatusOK || !strings.Contains(text, `"name":"Awa"`) {
			t.Errorf("a person gets %d %s, want 200 with the name Awa", status, text)
		}
		return id
	})

	p.must(http.MethodPatch, "/api/collections/users", map[string]any{"createRule": nil}, &struct{}{}) // nobody signs up
	if id, status, text := p.signIn(awa); id == "" {
		t.Errorf("without new accounts, a person gets %d %s, want 200", status, text)
	}
	if id, status, text := p.signIn(p.site.issuer.phone(t, "22376000003")); id != "" || status != http.StatusForbidden {
		t.Errorf("without new accounts, a stranger gets %d %s, want 403", status, text)
	}
	if id, status, text := p.signIn(declined); id != "" || status != http.StatusBadRequest {
		t.Errorf("a person who declines gets %d %s, want 400", status, text)
	}
}
