package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/db"
)

const (
	crashes     = 12
	crashSender = 12
)

// sendUntilKilled sends without pause until the process is killed, and
// returns the ids that were answered 200 or 202.
func sendUntilKilled(t *testing.T, p *process, round int) []string {
	t.Helper()
	var mu sync.Mutex
	var accepted []string
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for s := range crashSender {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				body := fmt.Sprintf(`{"channel":"sms","to":"2237700%04d","message":"n %d %d %d"}`, s, round, s, n)
				r, err := call("POST", p.BaseURL+"/api/send", body, "Authorization: Bearer "+p.Accounts.Unlimited.LiveKey)
				if err != nil {
					continue // it is gone: the answer never came
				}
				if r.status != 200 && r.status != 202 {
					t.Errorf("answered %d %s", r.status, r.raw)
				}
				mu.Lock()
				accepted = append(accepted, r.text("messageId"))
				mu.Unlock()
			}
		})
	}
	time.Sleep(time.Duration(50+rand.IntN(250)) * time.Millisecond) // while requests are in flight
	p.kill()
	cancel()
	wg.Wait()
	return accepted
}

// references counts the messages on the phones, by reference.
func references(p *process) map[string]int {
	held := map[string]int{}
	for s := range crashSender {
		for _, m := range p.phone(fmt.Sprintf("2237700%04d", s)) {
			held[m.Reference]++
		}
	}
	return held
}

func TestCrash_NothingAcceptedIsLostAndNoPhoneHasItTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var accepted []string
	for round := range crashes {
		accepted = append(accepted, sendUntilKilled(t, startDev(t, dir), round)...)
	}
	p := startDev(t, dir)
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
	if lost > 0 || len(accepted) < crashes {
		t.Errorf("%d of %d accepted messages are on no phone", lost, len(accepted))
	}
	p.stop()
	stored := countRows(t, dir, `SELECT count(*) FROM messages`)
	t.Logf("%d crashes: %d answered, %d stored, %d on phones", crashes, len(accepted), stored, len(held))
	if used := countRows(t, dir, `SELECT used FROM quotas WHERE account_id = '`+p.Accounts.Unlimited.ID+`'`); used != len(held) {
		t.Errorf("the quota counts %d, the phones hold %d", used, len(held))
	}
}

func TestCrash_NothingIsSilentlySentAgainToPhonesThatDoNotDeduplicate(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GRIOT_UNKNOWN_WAIT", "2s")
	p := startDev(t, dir)
	p.call("PUT", p.BaseURL+"/dev/phones-options", `{"deduplicate":false}`)
	var accepted []string
	for round := range crashes {
		if round > 0 {
			p = startDev(t, dir)
		}
		accepted = append(accepted, sendUntilKilled(t, p, round)...)
	}
	p = startDev(t, dir)
	settle(t, p, dir, accepted)
	held := references(p)
	for id, n := range held {
		if n != 1 {
			t.Errorf("%s is on a phone %d times", id, n)
		}
	}
	asked := 0
	for _, id := range accepted {
		r := p.call("GET", p.BaseURL+"/dev/attempts/"+id, "")
		var out struct{ Attempts []json.RawMessage }
		if err := json.Unmarshal([]byte(r.raw), &out); err != nil {
			t.Fatal(err)
		}
		if len(out.Attempts) > 1 {
			t.Errorf("%s was handed over %d times", id, len(out.Attempts))
		}
		asked += len(out.Attempts)
		if held[id] == 0 { // it may have died before the call; then the status says so
			s := p.call("GET", p.BaseURL+"/api/status/"+id, "", "X-API-Key: "+p.Accounts.Unlimited.LiveKey)
			if e, _ := s.body["error"].(map[string]any); s.text("status") != "FAILED" || e["code"] != "outcome_unknown" {
				t.Errorf("%s is on no phone, and its status is %s", id, s.raw)
			}
		}
	}
	p.stop()
	t.Logf("%d crashes: %d answered, %d handed over, %d on phones, %d ended as outcome_unknown", crashes, len(accepted), asked, len(held),
		countRows(t, dir, `SELECT count(*) FROM messages WHERE failure LIKE '%outcome_unknown%'`))
}

// settle waits until no message is open.
func settle(t *testing.T, p *process, _ string, accepted []string) {
	t.Helper()
	for _, id := range accepted {
		eventually(t, 30*time.Second, func() error {
			s := p.call("GET", p.BaseURL+"/api/status/"+id, "", "X-API-Key: "+p.Accounts.Unlimited.LiveKey)
			switch s.text("status") {
			case "SENT", "DELIVERED", "READ", "FAILED":
				return nil
			}
			return fmt.Errorf("%s: %d %s", id, s.status, s.raw)
		})
	}
}

// countRows reads a number from the database of a process that has ended.
func countRows(t *testing.T, dir, query string) int {
	t.Helper()
	d := openDatabase(t, dir)
	defer func() { _ = d.Close() }()
	var n int
	if _, err := d.Read(t.Context()).Row(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// openDatabase opens the database of a process that has ended.
func openDatabase(t *testing.T, dir string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), "sqlite:"+filepath.Join(dir, "griot.db"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
