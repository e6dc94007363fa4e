package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// sendUntilKilled sends continuously until the process is killed, and returns the ids with a 200 or 202 response.
func sendUntilKilled(t *testing.T, p *systemtest.Dev, round int) []string {
	t.Helper()
	var mu sync.Mutex
	var accepted []string
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for s := range systemtest.CrashSender {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				body := fmt.Sprintf(`{"channel":"sms","to":"2237700%04d","message":"n %d %d %d"}`, s, round, s, n)
				r, err := systemtest.Call("POST", p.BaseURL+"/api/send", body, "Authorization: Bearer "+p.Accounts.Unlimited.LiveKey)
				if err != nil {
					continue // the process is gone, and the response never arrived
				}
				if r.Status != 200 && r.Status != 202 {
					t.Errorf("answered %d %s", r.Status, r.Raw)
				}
				mu.Lock()
				accepted = append(accepted, r.Text("messageId"))
				mu.Unlock()
			}
		})
	}
	time.Sleep(time.Duration(50+rand.IntN(250)) * time.Millisecond) // while requests are in flight
	p.Kill()
	cancel()
	wg.Wait()
	return accepted
}

// references counts the messages on the phones, by reference.
func references(p *systemtest.Dev) map[string]int {
	held := map[string]int{}
	for s := range systemtest.CrashSender {
		for _, m := range p.Phone(fmt.Sprintf("2237700%04d", s)) {
			held[m.Reference]++
		}
	}
	return held
}

// Rules: M2.
func TestCrash_NothingAcceptedIsLostAndNoPhoneHasItTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var accepted []string
	for round := range systemtest.Crashes {
		accepted = append(accepted, sendUntilKilled(t, systemtest.StartDev(t, dir), round)...)
	}
	p := systemtest.StartDev(t, dir)
	settle(t, p, dir, accepted)
	held := references(p)
	lost := 0
	for _, id := range accepted {
		if held[id] == 0 {
			lost++
		}
	}
	for id, n := range held {
		if n != 1 {
			t.Errorf("%s is on a phone %d times", id, n)
		}
	}
	if lost > 0 || len(accepted) < systemtest.Crashes {
		t.Errorf("%d of %d accepted messages are on no phone", lost, len(accepted))
	}
	p.Stop()
	stored := systemtest.CountRows(t, dir, `SELECT count(*) FROM messages`)
	t.Logf("%d crashes: %d answered, %d stored, %d on phones", systemtest.Crashes, len(accepted), stored, len(held))
	if used := systemtest.CountRows(t, dir, `SELECT used FROM quotas WHERE account_id = '`+p.Accounts.Unlimited.ID+`'`); used != len(held) {
		t.Errorf("the quota counts %d, the phones hold %d", used, len(held))
	}
}

// Rules: M2.
func TestCrash_NothingIsSilentlySentAgainToPhonesThatDoNotDeduplicate(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GRIOT_UNKNOWN_WAIT", "2s")
	p := systemtest.StartDev(t, dir)
	p.Call("PUT", p.BaseURL+"/dev/phones-options", `{"deduplicate":false}`)
	var accepted []string
	for round := range systemtest.Crashes {
		if round > 0 {
			p = systemtest.StartDev(t, dir)
		}
		accepted = append(accepted, sendUntilKilled(t, p, round)...)
	}
	p = systemtest.StartDev(t, dir)
	settle(t, p, dir, accepted)
	held := references(p)
	for id, n := range held {
		if n != 1 {
			t.Errorf("%s is on a phone %d times", id, n)
		}
	}
	asked := 0
	for _, id := range accepted {
		r := p.Call("GET", p.BaseURL+"/dev/attempts/"+id, "")
		var out struct{ Attempts []json.RawMessage }
		if err := json.Unmarshal([]byte(r.Raw), &out); err != nil {
			t.Fatal(err)
		}
		if len(out.Attempts) > 1 {
			t.Errorf("%s was handed over %d times", id, len(out.Attempts))
		}
		asked += len(out.Attempts)
		if held[id] == 0 { // it might have died before the call, and the status must show that
			s := p.Call("GET", p.BaseURL+"/api/status/"+id, "", "X-API-Key: "+p.Accounts.Unlimited.LiveKey)
			if e, _ := s.Body["error"].(map[string]any); s.Text("status") != "FAILED" || e["code"] != "outcome_unknown" {
				t.Errorf("%s is on no phone, and its status is %s", id, s.Raw)
			}
		}
	}
	p.Stop()
	t.Logf("%d crashes: %d answered, %d handed over, %d on phones, %d ended as outcome_unknown", systemtest.Crashes, len(accepted), asked, len(held),
		systemtest.CountRows(t, dir, `SELECT count(*) FROM messages WHERE failure LIKE '%outcome_unknown%'`))
}

// settle waits until no message is open.
func settle(t *testing.T, p *systemtest.Dev, _ string, accepted []string) {
	t.Helper()
	for _, id := range accepted {
		waittest.Until(t, func() error {
			s := p.Call("GET", p.BaseURL+"/api/status/"+id, "", "X-API-Key: "+p.Accounts.Unlimited.LiveKey)
			switch s.Text("status") {
			case "SENT", "DELIVERED", "READ", "FAILED":
				return nil
			}
			return fmt.Errorf("%s: %d %s", id, s.Status, s.Raw)
		})
	}
}
