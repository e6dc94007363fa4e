package login_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// The process is killed at random moments while people sign in, and the endpoint fails at random. Every step of a login
// has an event that arrives with one id and one body.
// Rules: L180.
func TestCrash_EveryLoginHasItsEvent(t *testing.T) {
	t.Parallel()
	h := systemtest.NewWebhookServer(t, func(int, *http.Request) int {
		if rand.IntN(5) == 0 {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	dir := t.TempDir()
	var signedIn atomic.Int64
	for round := range systemtest.Crashes / 2 {
		p := systemtest.StartDev(t, dir)
		if round == 0 {
			o := p.Operator()
			if set := systemtest.RunJSON[authverbs.Webhook](o, "tenants", "webhook", "set", "--tenant", p.Tenant.ID, "--url", h.Url); set.Secret == "" || !set.Enabled {
				t.Fatalf("set: %v, a secret: %v", set.Enabled, set.Secret != "")
			}
			o.MustFail("The tenant doesn't exist", "tenants", "webhook", "show", "--tenant", "01J9ZK3V8Q5W6X7Y8Z9A0B1C2D")
			o.MustFail("can't be used", "tenants", "webhook", "set", "--tenant", p.Tenant.ID, "--url", "http://10.0.0.1/hook")
		}
		c := &authverbs.Client{ClientID: p.Clients.TestPublic.ClientID, RedirectURIs: []string{p.Clients.TestPublic.RedirectURI}}
		ctx, cancel := context.WithCancel(t.Context())
		var people sync.WaitGroup
		for range 4 {
			people.Go(func() {
				for ctx.Err() == nil {
					if r, err := systemtest.TrySignIn(p.AuthURL, c); err == nil && r.Status == http.StatusCreated {
						signedIn.Add(1)
					}
				}
			})
		}
		time.Sleep(time.Duration(100+rand.IntN(400)) * time.Millisecond) // while logins are in progress
		p.Kill()
		cancel()
		people.Wait()
	}
	p := systemtest.StartDev(t, dir)
	o := p.Operator()
	waittest.Until(t, func() error {
		if rest := systemtest.RunJSON[authverbs.Webhook](o, "tenants", "webhook", "show", "--tenant", p.Tenant.ID).Pending; rest > 0 {
			return fmt.Errorf("%d events are pending", rest)
		}
		return nil
	})
	p.Stop()
	got := map[string]string{}
	deliveries := h.Received()
	for _, d := range deliveries {
		id := d.Header.Get("webhook-id")
		if before, known := got[id]; known && before != d.Body {
			t.Errorf("%s came with two bodies", id)
		}
		got[id] = d.Body
	}
	stored := map[string]string{}
	systemtest.EachRow(t, dir, `SELECT id, body FROM tenant_hook_events`, func(id, body string) {
		stored[id] = body
		if got[id] != body {
			t.Errorf("%s arrived as %q", id, got[id])
		}
	})
	for id := range got {
		if stored[id] == "" {
			t.Errorf("the event of %s came, and it is not stored", id)
		}
	}
	steps := 0
	systemtest.EachRow(t, dir, `SELECT id, type FROM audit_events WHERE type IN ('login.verified', 'token.issued')`, func(id, typ string) {
		steps++
		if got["evt_"+id] == "" {
			t.Errorf("no event came of %s %s", typ, id)
		}
	})
	t.Logf("%d crashes: %d signed in, %d steps, %d events, %d deliveries", systemtest.Crashes/2, signedIn.Load(), steps, len(stored), len(deliveries))
	if signedIn.Load() == 0 || steps != len(stored) {
		t.Errorf("%d signed in; %d steps, %d events", signedIn.Load(), steps, len(stored))
	}
}
