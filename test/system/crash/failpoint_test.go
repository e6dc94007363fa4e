package crash_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/test/system/systemtest"
)

// storyRequest is one request of the story below, repeated until there is a response.
type storyRequest struct {
	path, body string
	prepare    []string // "METHOD path body" of /dev/ calls before the first try
	wait       bool     // for its end before the next one, because they share the faults
}

// storyRequests returns requests that take the engine past every failpoint: an ordinary
// send, one that is retried, one that uses a second route, one whose response is lost, a
// batch, a canceled schedule, and one that stays with its route when the next one fails.
func storyRequests() []storyRequest {
	return []storyRequest{
		{path: "/api/send", body: `{"channel":"sms","to":"22376100001","message":"plain","idempotencyKey":"k1"}`},
		{path: "/api/send", body: `{"channel":"sms","to":"22376100002","message":"retried","retry":{"delayMs":100},"idempotencyKey":"k2"}`, prepare: []string{`PUT /dev/faults/sms {"outcome":"temporary","count":1}`}, wait: true},
		{path: "/api/send", body: `{"channel":"auto","to":"22376100003","message":"second way","idempotencyKey":"k3"}`, prepare: []string{`PUT /dev/faults/whatsapp {"outcome":"unreachable","count":1}`}},
		{path: "/api/send", body: `{"channel":"sms","to":"22376100004","message":"answer lost","idempotencyKey":"k4"}`, prepare: []string{`PUT /dev/phones-options {"receipts":false}`, `PUT /dev/faults/sms {"outcome":"lost_ack","count":1}`}},
		{path: "/api/send/batch", body: `{"messages":[{"channel":"sms","to":"22376100005","message":"one"},{"channel":"sms","to":"22376100006","message":"two"}],"idempotencyKey":"k6"}`},
		{path: "/api/send", body: `{"channel":"sms","to":"22376100007","message":"canceled","scheduledAt":"2026-12-31T00:00:00Z","idempotencyKey":"k7"}`},
		{path: "/api/send", body: `{"channel":"auto","to":"22376100008","message":"stays","fallbackAfter":1,"idempotencyKey":"k8"}`, prepare: []string{`PUT /dev/phones-options {"receipts":true}`, `PUT /dev/phones/22376100008 {"online":false}`, `PUT /dev/faults/sms {"outcome":"permanent","count":1}`}},
	}
}

// run makes a request. It returns nil if the process died during it.
func run(p *systemtest.Dev, t *testing.T, e storyRequest, first bool) *systemtest.Reply {
	t.Helper()
	if first {
		for _, c := range e.prepare {
			method, rest, _ := strings.Cut(c, " ")
			path, body, _ := strings.Cut(rest, " ")
			if r, err := systemtest.Call(method, p.BaseURL+path, body); err != nil || r.Status >= 300 {
				return nil
			}
		}
	}
	r, err := systemtest.Call("POST", p.BaseURL+e.path, e.body, "Authorization: Bearer "+p.Accounts.Unlimited.LiveKey)
	if err != nil {
		return nil
	}
	if r.Status >= 500 && r.Status != 502 {
		t.Errorf("%s: %d %s", e.body, r.Status, r.Raw)
	}
	return r
}

// Rules: M2.
func TestCrash_BetweenAnyTwoSteps(t *testing.T) {
	t.Parallel()
	program, err := systemtest.FailpointBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, point := range delivery.Failpoints() {
		for _, deduplicates := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s deduplicates=%v", point, deduplicates), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				p := startWith(t, program, dir, []string{"GRIOT_FAILPOINT=" + point, "GRIOT_UNKNOWN_WAIT=1s"})
				p.Call("PUT", p.BaseURL+"/dev/phones-options", fmt.Sprintf(`{"deduplicate":%v}`, deduplicates))
				for _, e := range storyRequests() {
					r := run(p, t, e, true)
					for r != nil && e.wait && r.Text("status") != "SENT" && r.Text("status") != "DELIVERED" {
						var gone error
						if r, gone = systemtest.Call("GET", p.BaseURL+"/api/status/"+r.Text("messageId"), "", "X-API-Key: "+p.Accounts.Unlimited.LiveKey); gone != nil {
							r = nil // it died
						}
					}
					if r != nil && strings.Contains(e.body, "canceled") {
						_, _ = systemtest.Call("POST", p.BaseURL+"/api/messages/"+r.Text("messageId")+"/cancel", "", "Authorization: Bearer "+p.Accounts.Unlimited.LiveKey)
					}
				}
				if !waitKilled(p, 20*time.Second) {
					t.Error("it never came to this point")
				}
				p = startWith(t, program, dir, []string{"GRIOT_UNKNOWN_WAIT=1s"})
				check(p, t, deduplicates)
			})
		}
	}
}

// waitKilled waits for the end of a process that kills itself.
func waitKilled(p *systemtest.Dev, most time.Duration) bool {
	dead := make(chan struct{})
	go func() {
		_ = p.Cmd.Wait()
		close(dead)
	}()
	select {
	case <-dead:
		return true
	case <-time.After(most):
		_ = p.Cmd.Process.Kill()
		<-dead
		return false
	}
}

// check sends everything again, waits until all messages are done, and counts them.
func check(p *systemtest.Dev, t *testing.T, deduplicates bool) {
	t.Helper()
	var ids []string
	for _, e := range storyRequests() {
		r := run(p, t, e, false)
		if r == nil {
			t.Fatalf("%s: no answer", e.body)
		}
		results, _ := r.Body["results"].([]any)
		if results == nil {
			results = []any{r.Body}
		}
		for _, item := range results {
			m, _ := item.(map[string]any)
			id, _ := m["messageId"].(string)
			if id == "" {
				t.Errorf("%s: %s", e.body, r.Raw)
			}
			ids = append(ids, id)
		}
		if strings.Contains(e.body, "canceled") {
			p.Call("POST", p.BaseURL+"/api/messages/"+ids[len(ids)-1]+"/cancel", "", "Authorization: Bearer "+p.Accounts.Unlimited.LiveKey)
		}
	}
	p.Call("PUT", p.BaseURL+"/dev/phones/22376100008", `{"online":true}`)
	charged := 0
	for n, id := range ids {
		status, code := finalStatus(p, t, id)
		var attempts struct {
			Attempts []struct{ Reference, Outcome string }
		}
		if err := json.Unmarshal([]byte(p.Call("GET", p.BaseURL+"/dev/attempts/"+id, "").Raw), &attempts); err != nil {
			t.Fatal(err)
		}
		handed := map[string]int{}
		for _, a := range attempts.Attempts {
			if a.Outcome == "delivered" || a.Outcome == "offline" || a.Outcome == "lost_ack" {
				handed[a.Reference]++
			}
		}
		held := map[string]int{}
		for _, m := range p.Phone(fmt.Sprintf("2237610%04d", n+1)) {
			held[m.Reference]++
		}
		for ref, n := range held {
			if n != 1 {
				t.Errorf("%s is on a phone %d times", ref, n)
			}
		}
		for ref, n := range handed {
			if n > 1 && !deduplicates {
				t.Errorf("%s was handed over %d times to phones that do not deduplicate", ref, n)
			}
		}
		switch status {
		case "CANCELED":
		case "FAILED":
			if code != "outcome_unknown" && len(held) > 0 {
				t.Errorf("%s failed with %s, but a phone has it", id, code)
			}
			if code == "outcome_unknown" {
				charged++
			}
			if deduplicates {
				t.Errorf("%s failed with %s: every request can succeed", id, code)
			}
		default:
			charged++
			if len(held) == 0 {
				t.Errorf("%s is %s, but no phone has it", id, status)
			}
		}
	}
	p.Stop()
	if n := systemtest.CountRows(t, p.Dir, `SELECT count(*) FROM messages`); n != len(ids) {
		t.Errorf("%d messages are stored, %d were asked for", n, len(ids))
	}
	if n := systemtest.CountRows(t, p.Dir, `SELECT COALESCE(SUM(used), 0) FROM quotas`); n != charged {
		t.Errorf("the quota counts %d, %d were handed over", n, charged)
	}
}

// finalStatus waits until a message is done, and returns its status and error code.
func finalStatus(p *systemtest.Dev, t *testing.T, id string) (status, code string) {
	t.Helper()
	waittest.Until(t, func() error {
		s := p.Call("GET", p.BaseURL+"/api/status/"+id, "", "X-API-Key: "+p.Accounts.Unlimited.LiveKey)
		status = s.Text("status")
		if e, ok := s.Body["error"].(map[string]any); ok {
			code, _ = e["code"].(string)
		}
		switch status {
		case "SENT", "DELIVERED", "READ", "FAILED", "EXPIRED", "CANCELED":
			return nil
		}
		return fmt.Errorf("%s: %s", id, s.Raw)
	})
	return status, code
}

// startWith starts a process like StartDev, with another program and additional variables.
func startWith(t *testing.T, program, dir string, env []string) *systemtest.Dev {
	t.Helper()
	return systemtest.StartDevWith(t, program, dir, append(systemtest.Environ(), env...))
}
