package messages_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/test/system/systemtest"
)

// Clients' connections are cut before the response to their batches, and they repeat them, several at the same time.
// Everything is sent once.
// Rules: M52, M62.
func TestBatch_SentAgainAfterTheConnectionWasCut(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ postgres, itemKeys bool }{
		"sqlite": {false, false}, "sqlite, keys of items": {false, true}, "postgres": {true, false}, "postgres, keys of items": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--phones", "memory"}
			if tc.postgres {
				args = append(args, "--database", dbtest.PostgresURL(t))
			}
			p := systemtest.StartDev(t, t.TempDir(), args...)
			p.Call("PUT", p.BaseURL+"/dev/phones-options", `{"deduplicate":false}`)
			const many, cuts = 50, 8
			var items []string
			header := "Idempotency-Key: lot"
			for n := range many {
				own := ""
				if tc.itemKeys {
					own, header = fmt.Sprintf(`,"idempotencyKey":"item %d"`, n/2*2), "X-Nothing: 1" // two items with each key
				}
				items = append(items, fmt.Sprintf(`{"channel":"sms","to":"2237640%04d","message":"n"%s}`, n, own))
			}
			body := `{"messages":[` + strings.Join(items, ",") + `]}`
			key := p.Accounts.Unlimited.LiveKey
			request := fmt.Sprintf("POST /api/send/batch HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%s\r\nContent-Length: %d\r\n\r\n%s",
				strings.TrimPrefix(p.BaseURL, "http://"), key, header, len(body), body)
			for n := range cuts {
				c := dial(t, p.BaseURL)
				if _, err := io.WriteString(c, request); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(n) * time.Millisecond) // cut at another moment each time
				_ = c.Close()
			}
			var wg sync.WaitGroup
			answers := make([]*systemtest.Reply, 4)
			for i := range answers {
				wg.Go(func() {
					r, err := systemtest.Call("POST", p.BaseURL+"/api/send/batch", body, "Authorization: Bearer "+key, header)
					if err != nil {
						t.Error(err)
						return
					}
					answers[i] = r
				})
			}
			wg.Wait()
			ids := map[int]any{}
			for _, r := range answers {
				results, _ := r.Body["results"].([]any)
				if r.Status != 200 || len(results) != many {
					t.Fatalf("got %d %s, want 200 with a result for each message", r.Status, r.Raw)
				}
				for n, one := range results {
					m, _ := one.(map[string]any)
					if m["success"] != true {
						t.Errorf("item %d: %v", n, m)
					}
					if ids[n] == nil {
						ids[n] = m["messageId"]
					}
					if ids[n] != m["messageId"] {
						t.Errorf("item %d is %v, and %v", n, ids[n], m["messageId"])
					}
				}
			}
			sent := 0
			for n := range many {
				want := 1
				if tc.itemKeys && n%2 == 1 {
					want = 0
					if ids[n] != ids[n-1] {
						t.Errorf("items %d and %d have one key, and are %v and %v", n-1, n, ids[n-1], ids[n])
					}
				}
				sent += want
				if has := len(p.Phone(fmt.Sprintf("2237640%04d", n))); has != want {
					t.Errorf("phone %d has %d messages, want %d", n, has, want)
				}
			}
			if r := p.Send(key, `{"channel":"sms","to":"22376000001","message":"x"}`); r.Body["messagesUsed"] != float64(sent+1) {
				t.Errorf("%d were sent, and then %s", sent, r.Raw)
			}
		})
	}
}
