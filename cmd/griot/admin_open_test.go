package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	messagingadmin "example.com/griot/messaging/admin"
)

// The link that is printed opens the pages of the running server, once, and is in no log.
func TestAdmin_OpenPrintsALink(t *testing.T) {
	dir := t.TempDir()
	p := startDev(t, dir, "--phones", "memory")
	if out := p.out.String(); !strings.Contains(out, "griot admin open --data "+dir) {
		t.Errorf("the banner does not say how the operator's pages are opened:\n%s", out)
	}
	o := &operator{t: t, dir: dir, args: []string{"--data", dir}}
	link := runJSON[struct {
		URL     string
		Seconds int
	}](o, "open")
	page, token, _ := strings.Cut(link.URL, "#")
	if page != p.InternalURL+"/" || len(token) != 43 || link.Seconds != 60 {
		t.Fatalf("got %+v, want an address of %s with a token, for a minute", link, p.InternalURL)
	}
	if r := p.call("GET", page, "", "Accept: text/html"); r.status != http.StatusOK || !strings.Contains(r.raw, "griot admin open") {
		t.Errorf("the link leads to %d %s", r.status, r.raw)
	}
	redeem := func() *reply {
		return p.call("POST", p.InternalURL+"/operator/sign-in", url.Values{"token": {token}}.Encode(), "Content-Type: application/x-www-form-urlencoded", "Origin: "+p.InternalURL)
	}
	r := redeem()
	session, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
	if r.status != http.StatusSeeOther || session == "" {
		t.Fatalf("got %d %s, want a session", r.status, r.raw)
	}
	if again := redeem(); again.status != http.StatusUnauthorized {
		t.Errorf("used again: %d, want 401", again.status)
	}
	if health := p.call("GET", p.InternalURL+"/operator", "", "Cookie: "+session, "Accept-Language: en"); health.status != http.StatusOK || !strings.Contains(health.raw, "<h1>Health</h1>") {
		t.Errorf("got %d %s, want how it does", health.status, health.raw)
	}
	for _, path := range []string{
		"/accounts", "/accounts/" + p.Accounts.Business.ID, "/plans", "/plans/free", "/gateways", "/do/gateways.add", "/gateways/" + "virtual", "/senders", "/senders/" + p.Accounts.Business.Senders[0].ID, "/webhooks", "/webhooks/" + p.Accounts.Business.ID,
		"/prefixes", "/tenants", "/tenants/" + p.Tenant.ID, "/signing-keys", "/audit", "/audit/logins", "/audit/logins?tenantId=" + p.Tenant.ID, "/messages",
	} {
		if page := p.call("GET", p.InternalURL+"/operator"+path, "", "Cookie: "+session); page.status != http.StatusOK || !strings.Contains(page.raw, "<h1>") {
			t.Errorf("%s: %d %s", path, page.status, page.raw)
		}
	}
	sent := p.send(p.Accounts.Business.LiveKey, `{"channel":"sms","to":"22376000001","message":"a private text"}`)
	found := p.call("POST", p.InternalURL+"/operator/messages", url.Values{"id": {sent.text("messageId")}}.Encode(), "Content-Type: application/x-www-form-urlencoded", "Origin: "+p.InternalURL, "Cookie: "+session)
	if found.status != http.StatusOK || !strings.Contains(found.raw, "223*****001") || strings.Contains(found.raw, "private") || strings.Contains(found.raw, "22376000001") {
		t.Errorf("a message: %d %s", found.status, found.raw)
	}
	for _, base := range []string{p.AuthURL, p.BaseURL} {
		if r := p.call("GET", base+"/operator", "", "Cookie: "+session); r.status != http.StatusNotFound {
			t.Errorf("%s/operator: %d, want 404", base, r.status)
		}
	}
	_, value, _ := strings.Cut(session, "=")
	if out := p.out.String(); strings.Contains(out, token) || strings.Contains(out, value) {
		t.Error("the log has the link's token, or the session's")
	}
	if h := runJSON[messagingadmin.Health](o, "health"); h.Database.Engine != "sqlite" || h.StartedAt == nil {
		t.Errorf("got %+v, want how the running server does", h)
	}
	p.stop()
	o.mustFail("no server runs", "open")
	if h := runJSON[messagingadmin.Health](o, "health"); h.StartedAt != nil {
		t.Errorf("got %+v, want no server", h)
	}
}
