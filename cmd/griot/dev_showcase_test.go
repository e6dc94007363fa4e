package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// summary is what somebody who looks at the showcase sees first.
func (p *process) summary(key string) map[string]any {
	p.t.Helper()
	auth := "X-API-Key: " + key
	analytics := p.call("GET", p.BaseURL+"/api/svc-analytics", "", auth)
	if analytics.status != 200 {
		p.t.Fatalf("analytics: %d %s", analytics.status, analytics.raw)
	}
	return analytics.body
}

func (p *process) length(url, member, key string) int {
	p.t.Helper()
	r := p.call("GET", url, "", "X-API-Key: "+key)
	list, ok := r.body[member].([]any)
	if r.status != 200 || !ok {
		p.t.Fatalf("%s: %d %s", url, r.status, r.raw)
	}
	return len(list)
}

// overview signs in to a tenant's dashboard, gives the tenant another name, which a restart must survive, and returns how many events and clients it shows.
func (p *process) overview(tenantID, key string) (events, clients int) {
	p.t.Helper()
	in := p.call("POST", p.AuthURL+"/manage/login", fmt.Sprintf(`{"tenantId":%q,"key":%q}`, tenantID, key), "Origin: "+p.AuthURL)
	cookie, _, _ := strings.Cut(in.header.Get("Set-Cookie"), ";")
	r := p.call("GET", p.AuthURL+"/manage/overview", "", "Cookie: "+cookie)
	if named := p.call("PATCH", p.AuthURL+"/manage/appearance", fmt.Sprintf(`{"name":"Renamed %s"}`, tenantID), "Cookie: "+cookie, "Origin: "+p.AuthURL); named.status != 200 {
		p.t.Errorf("renaming the tenant: %d %s", named.status, named.raw)
	}
	if in.status != http.StatusCreated && in.status != http.StatusOK || r.status != 200 {
		p.t.Fatalf("sign in: %d %s; overview: %d %s", in.status, in.raw, r.status, r.raw)
	}
	list, _ := r.body["events"].([]any)
	apps, _ := r.body["clients"].([]any)
	return len(list), len(apps)
}

func TestDev_ShowcaseHasAHistory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startDev(t, dir, "--showcase")
	key := p.Accounts.Showcase.LiveKey
	if p.Accounts.Showcase.ID == "" || p.Accounts.Showcase.Email != "showcase@griot.example" || key == "" || p.Accounts.Showcase.TestKey == "" || len(p.Accounts.Showcase.Senders) != 3 {
		t.Errorf("dev.json: %+v", p.Accounts.Showcase)
	}
	eventually(t, 30*time.Second, func() error { // a slow machine stores it after the start
		if p.length(p.BaseURL+"/api/svc-logs", "logs", key) == 0 {
			return errNotYet
		}
		return nil
	})
	got := p.summary(key)
	if got["sampleSize"] != 200.0 {
		t.Errorf("analytics of %v messages, want all 200 that they count", got["sampleSize"])
	}
	for _, name := range []string{"failureRate", "fallbackRate", "readRate"} {
		if rate, _ := got[name].(float64); rate <= 0 || rate >= 1 {
			t.Errorf("%s %v, want more than none and less than all", name, got[name])
		}
	}
	if days, _ := got["byDay"].([]any); len(days) < 7 {
		t.Errorf("messages on %d days, want 7 at least", len(days))
	}
	if n := p.length(p.BaseURL+"/api/inbox/conversations", "conversations", key); n < 10 {
		t.Errorf("%d conversations in the inbox, want 10 at least", n)
	}
	if events, clients := p.overview(p.ShowcaseTenant.ID, p.ShowcaseTenant.InvitationKey); events < 20 || clients != 2 {
		t.Errorf("the tenant's overview has %d events and %d clients, want 20 at least and 2", events, clients)
	}
	for name, other := range map[string]string{"business": p.Accounts.Business.LiveKey, "free": p.Accounts.Free.LiveKey, "unlimited": p.Accounts.Unlimited.LiveKey} {
		if n := p.length(p.BaseURL+"/api/svc-logs", "logs", other); n != 0 {
			t.Errorf("%s starts with %d messages, want none", name, n)
		}
	}
	if events, _ := p.overview(p.Tenant.ID, p.Tenant.InvitationKey); events > 6 {
		t.Errorf("the other tenant's overview has %d events, want those of its clients and this sign-in", events)
	}
	if n := len(p.phone("22376300017")); n != 0 {
		t.Errorf("a customer's phone has %d messages: the history reaches no gateway", n)
	}
	before, logs := p.State, p.call("GET", p.BaseURL+"/api/svc-logs", "", "X-API-Key: "+key).raw
	p.stop()
	again := startDev(t, dir, "--showcase")
	if again.Accounts.Showcase.LiveKey != key || again.ShowcaseTenant != before.ShowcaseTenant {
		t.Error("a restart made other keys")
	}
	if after := again.call("GET", again.BaseURL+"/api/svc-logs", "", "X-API-Key: "+key).raw; after != logs {
		t.Errorf("a restart changed the history: got %s\nwant %s", after, logs)
	}
}
