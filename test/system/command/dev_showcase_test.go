package command_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/griot/internal/waittest"
	messagingverbs "example.com/griot/messaging/verbs"
	"example.com/griot/test/system/systemtest"
)

// summary returns the figures on the first page of the showcase.
func summary(p *systemtest.Dev, key string) map[string]any {
	p.T.Helper()
	auth := "X-API-Key: " + key
	analytics := p.Call("GET", p.BaseURL+"/api/svc-analytics", "", auth)
	if analytics.Status != 200 {
		p.T.Fatalf("analytics: %d %s", analytics.Status, analytics.Raw)
	}
	return analytics.Body
}

func length(p *systemtest.Dev, url, member, key string) int {
	p.T.Helper()
	r := p.Call("GET", url, "", "X-API-Key: "+key)
	list, ok := r.Body[member].([]any)
	if r.Status != 200 || !ok {
		p.T.Fatalf("%s: %d %s", url, r.Status, r.Raw)
	}
	return len(list)
}

// overview signs in to a tenant's dashboard, renames the tenant, which a restart must preserve, and returns the number
// of events and clients on the page.
func overview(p *systemtest.Dev, tenantID, key string) (events, clients int) {
	p.T.Helper()
	in := p.Call("POST", p.AuthURL+"/manage/login", fmt.Sprintf(`{"tenantId":%q,"key":%q}`, tenantID, key), "Origin: "+p.AuthURL)
	cookie, _, _ := strings.Cut(in.Header.Get("Set-Cookie"), ";")
	r := p.Call("GET", p.AuthURL+"/manage/overview", "", "Cookie: "+cookie)
	if named := p.Call("PATCH", p.AuthURL+"/manage/appearance", fmt.Sprintf(`{"name":"Renamed %s"}`, tenantID), "Cookie: "+cookie, "Origin: "+p.AuthURL); named.Status != 200 {
		p.T.Errorf("renaming the tenant: %d %s", named.Status, named.Raw)
	}
	if in.Status != http.StatusCreated && in.Status != http.StatusOK || r.Status != 200 {
		p.T.Fatalf("sign in: %d %s; overview: %d %s", in.Status, in.Raw, r.Status, r.Raw)
	}
	list, _ := r.Body["events"].([]any)
	apps, _ := r.Body["clients"].([]any)
	return len(list), len(apps)
}

func TestDev_ShowcaseHasAHistory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := systemtest.StartDev(t, dir, "--showcase")
	key := p.Accounts.Showcase.LiveKey
	if p.Accounts.Showcase.ID == "" || p.Accounts.Showcase.Email != "showcase@griot.example" || key == "" || p.Accounts.Showcase.TestKey == "" || len(p.Accounts.Showcase.Senders) != 3 {
		t.Errorf("dev.json: %+v", p.Accounts.Showcase)
	}
	waittest.Until(t, func() error { // on a slow machine, the history is stored after the start
		if length(p, p.BaseURL+"/api/svc-logs", "logs", key) == 0 {
			return systemtest.ErrNotYet
		}
		return nil
	})
	got := summary(p, key)
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
	if n := length(p, p.BaseURL+"/api/inbox/conversations", "conversations", key); n < 10 {
		t.Errorf("%d conversations in the inbox, want 10 at least", n)
	}
	if events, clients := overview(p, p.ShowcaseTenant.ID, p.ShowcaseTenant.InvitationKey); events < 20 || clients != 2 {
		t.Errorf("the tenant's overview has %d events and %d clients, want 20 at least and 2", events, clients)
	}
	for name, other := range map[string]string{"business": p.Accounts.Business.LiveKey, "free": p.Accounts.Free.LiveKey, "unlimited": p.Accounts.Unlimited.LiveKey} {
		if n := length(p, p.BaseURL+"/api/svc-logs", "logs", other); n != 0 {
			t.Errorf("%s starts with %d messages, want none", name, n)
		}
	}
	if events, _ := overview(p, p.Tenant.ID, p.Tenant.InvitationKey); events > 6 {
		t.Errorf("the other tenant's overview has %d events, want those of its clients and this sign-in", events)
	}
	if n := len(p.Phone("22376300017")); n != 0 {
		t.Errorf("a customer's phone has %d messages: the history reaches no gateway", n)
	}
	delivered := func(p *systemtest.Dev) {
		t.Helper()
		o, of := p.Operator(), []string{"--account", p.Accounts.Showcase.Email}
		if hook := systemtest.RunJSON[messagingverbs.Endpoint](o, append([]string{"webhooks", "show"}, of...)...); hook.URL != p.BaseURL+"/dev/webhook" {
			t.Errorf("the endpoint is %q, want one of this process", hook.URL)
		}
		if failed := systemtest.RunJSON[[]messagingverbs.Event](o, append([]string{"webhooks", "list", "--delivery", "failed"}, of...)...); len(failed) == 0 {
			t.Error("no event failed")
		}
		o.Run(append([]string{"webhooks", "ping"}, of...)...)
		waittest.Until(t, func() error {
			if list := systemtest.RunJSON[[]messagingverbs.Event](o, append([]string{"webhooks", "list", "--limit", "1"}, of...)...); len(list) != 1 || list[0].Delivery != "delivered" {
				return systemtest.ErrNotYet
			}
			return nil
		})
	}
	delivered(p)
	before, logs := p.State, p.Call("GET", p.BaseURL+"/api/svc-logs", "", "X-API-Key: "+key).Raw
	p.Stop()
	again := systemtest.StartDev(t, dir, "--showcase")
	if again.Accounts.Showcase.LiveKey != key || again.ShowcaseTenant != before.ShowcaseTenant {
		t.Error("a restart made other keys")
	}
	if after := again.Call("GET", again.BaseURL+"/api/svc-logs", "", "X-API-Key: "+key).Raw; after != logs {
		t.Errorf("a restart changed the history: got %s\nwant %s", after, logs)
	}
	delivered(again)
}
