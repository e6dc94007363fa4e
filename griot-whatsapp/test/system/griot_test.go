package system_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
)

// admin runs a verb of griot admin and returns a field of the response.
func (d *deployment) admin(member string, args ...string) string {
	d.t.Helper()
	value, _ := d.verb(args...)[member].(string)
	return value
}

// verb runs a verb of griot admin.
func (d *deployment) verb(args ...string) map[string]any {
	d.t.Helper()
	c := exec.CommandContext(d.t.Context(), griot, append([]string{"admin"}, append(args, "--json")...)...)
	c.Dir, c.Env = d.dir, environ()
	out, err := c.CombinedOutput()
	var answer map[string]any
	if err == nil {
		err = json.Unmarshal(out, &answer)
	}
	if err != nil {
		d.t.Fatalf("griot admin %v: %v\n%s", args, err, out)
	}
	return answer
}

// login is a login that waits for the message with its words.
type login struct {
	words, address, cookie string
	client, secret         string // the application's
}

const redirect = "https://app.example/cb"

// exchange exchanges a login's code for a token, like the application, and returns the person's profile.
func (d *deployment) exchange(l login) map[string]any {
	d.t.Helper()
	to, _ := l.poll(d.t)["redirectUrl"].(string)
	back, err := url.Parse(to)
	if err != nil {
		d.t.Fatal(err)
	}
	body := fmt.Sprintf(`{"grant_type":"authorization_code","code":%q,"redirect_uri":%q,"client_id":%q,"client_secret":%q}`, back.Query().Get("code"), redirect, l.client, l.secret)
	r, err := call(d.t, "POST", d.auth+"/oauth2/token", body)
	if err != nil || r.status != http.StatusOK {
		d.t.Fatalf("exchanging the code: %v, %+v", err, r)
	}
	profile, _ := r.body["profile"].(map[string]any)
	return profile
}

// login starts a login to a new application.
func (d *deployment) login() login {
	d.t.Helper()
	tenant := d.admin("id", "tenants", "create", "--name", "Marché")
	made := d.verb("clients", "create", "--tenant", tenant, "--type", "CONFIDENTIAL", "--mode", "LIVE", "--redirect", redirect)
	l := login{}
	l.client, _ = made["clientId"].(string)
	l.secret, _ = made["clientSecret"].(string)
	r, err := call(d.t, "GET", d.auth+"/authorize?"+url.Values{"client_id": {l.client}, "redirect_uri": {redirect}, "state": {"0123456789abcdef"}}.Encode(), "")
	if err != nil || r.status != http.StatusSeeOther {
		d.t.Fatalf("/authorize: %v, %+v", err, r)
	}
	to, err := url.Parse(r.header.Get("Location"))
	if err != nil {
		d.t.Fatal(err)
	}
	cookie, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
	l.address, l.cookie = d.auth+"/authorize/status?loginKeyId="+to.Query().Get("loginKeyId"), cookie
	l.words, _ = l.poll(d.t)["matchingWords"].(string)
	return l
}

func (l login) poll(t *testing.T) map[string]any {
	t.Helper()
	r, err := call(t, "GET", l.address, "", "Cookie: "+l.cookie)
	if err != nil || r.status != http.StatusOK {
		t.Fatalf("the login's status: %v, %+v", err, r)
	}
	return r.body
}

func (l login) status(t *testing.T) string {
	t.Helper()
	status, _ := l.poll(t)["status"].(string)
	return status
}
