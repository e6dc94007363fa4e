package command_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// The printed link opens the pages of the running server, once, and is in no log.
func TestAdmin_OpenPrintsALink(t *testing.T) {
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir, "--phones", "memory")
	if out := p.Out.String(); !strings.Contains(out, "griot admin open --data "+dir) {
		t.Errorf("the banner does not say how the operator's pages are opened:\n%s", out)
	}
	o := &systemtest.Operator{T: t, Dir: dir, Args: []string{"--data", dir}}
	link := systemtest.RunJSON[struct {
		URL     string
		Seconds int
	}](o, "open")
	page, token, _ := strings.Cut(link.URL, "#")
	if page != p.InternalURL+"/" || len(token) != 43 || link.Seconds != 60 {
		t.Fatalf("got %+v, want an address of %s with a token, for a minute", link, p.InternalURL)
	}
	if r := p.Call("GET", page, "", "Accept: text/html"); r.Status != http.StatusOK || !strings.Contains(r.Raw, "griot admin open") {
		t.Errorf("the link leads to %d %s", r.Status, r.Raw)
	}
	redeem := func() *systemtest.Reply {
		return p.Call("POST", p.InternalURL+"/operator/sign-in", url.Values{"token": {token}}.Encode(), "Content-Type: application/x-www-form-urlencoded", "Origin: "+p.InternalURL)
	}
	r := redeem()
	session, _, _ := strings.Cut(r.Header.Get("Set-Cookie"), ";")
	if r.Status != http.StatusSeeOther || session == "" {
		t.Fatalf("got %d %s, want a session", r.Status, r.Raw)
	}
	if again := redeem(); again.Status != http.StatusUnauthorized {
		t.Errorf("used again: %d, want 401", again.Status)
	}
	if health := p.Call("GET", p.InternalURL+"/operator", "", "Cookie: "+session, "Accept-Language: en"); health.Status != http.StatusOK || !strings.Contains(health.Raw, "<h1>Health</h1>") {
		t.Errorf("got %d %s, want how it does", health.Status, health.Raw)
	}
	for _, path := range []string{
		"/accounts", "/accounts/" + p.Accounts.Business.ID, "/plans", "/plans/free", "/gateways", "/do/gateways.add", "/gateways/" + "virtual", "/senders", "/senders/" + p.Accounts.Business.Senders[0].ID, "/webhooks", "/webhooks/" + p.Accounts.Business.ID,
		"/prefixes", "/tenants", "/tenants/" + p.Tenant.ID, "/signing-keys", "/audit", "/audit/logins", "/audit/logins?tenantId=" + p.Tenant.ID, "/messages",
	} {
		if page := p.Call("GET", p.InternalURL+"/operator"+path, "", "Cookie: "+session); page.Status != http.StatusOK || !strings.Contains(page.Raw, "<h1>") {
			t.Errorf("%s: %d %s", path, page.Status, page.Raw)
		}
	}
	sent := p.Send(p.Accounts.Business.LiveKey, `{"channel":"sms","to":"22376000001","message":"a private text"}`)
	found := p.Call("POST", p.InternalURL+"/operator/messages", url.Values{"id": {sent.Text("messageId")}}.Encode(), "Content-Type: application/x-www-form-urlencoded", "Origin: "+p.InternalURL, "Cookie: "+session)
	if found.Status != http.StatusOK || !strings.Contains(found.Raw, "223*****001") || strings.Contains(found.Raw, "private") || strings.Contains(found.Raw, "22376000001") {
		t.Errorf("a message: %d %s", found.Status, found.Raw)
	}
	for _, base := range []string{p.AuthURL, p.BaseURL} {
		if r := p.Call("GET", base+"/operator", "", "Cookie: "+session); r.Status != http.StatusNotFound {
			t.Errorf("%s/operator: %d, want 404", base, r.Status)
		}
	}
	_, value, _ := strings.Cut(session, "=")
	if out := p.Out.String(); strings.Contains(out, token) || strings.Contains(out, value) {
		t.Error("the log has the link's token, or the session's")
	}
	if h := systemtest.RunJSON[messagingverbs.Health](o, "health"); h.Database.Engine != "sqlite" || h.StartedAt == nil {
		t.Errorf("got %+v, want how the running server does", h)
	}
	p.Stop()
	o.MustFail("no server runs", "open")
	if h := systemtest.RunJSON[messagingverbs.Health](o, "health"); h.StartedAt != nil {
		t.Errorf("got %+v, want no server", h)
	}
}
