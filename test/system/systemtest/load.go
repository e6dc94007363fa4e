package systemtest

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
)

const (
	// Crashes is the number of kills in a test.
	Crashes = 12
	// CrashSender is the number of its clients.
	CrashSender = 12
)

// load is a group of clients that send until they are stopped. Each message has its own key.
type load struct {
	t    *testing.T
	Api  string
	key  string
	stop context.CancelFunc
	wg   sync.WaitGroup

	Mu       sync.Mutex
	Accepted map[string]string // text -> message id
	refused  map[string]bool   // texts with a 503 response, or without a response
	count    map[int]int       // responses by status
}

// StartLoad starts clients that send messages with an API key.
func StartLoad(t *testing.T, api, key string, clients int) *load {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &load{t: t, Api: api, key: key, stop: stop, Accepted: map[string]string{}, refused: map[string]bool{}, count: map[int]int{}}
	for c := range clients {
		s.wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				s.Send(fmt.Sprintf("n %d %d", c, n), c)
			}
		})
	}
	t.Cleanup(s.End)
	return s
}

func (s *load) End() {
	s.stop()
	s.wg.Wait()
}

// Send sends one text. A repeated text has the same key.
func (s *load) Send(text string, to int) {
	r, err := Call("POST", s.Api+"/api/send", fmt.Sprintf(`{"channel":"sms","to":"2237700%04d","message":%q,"idempotencyKey":%q}`, to, text, text), "Authorization: Bearer "+s.key)
	s.Mu.Lock()
	defer s.Mu.Unlock()
	switch {
	case err != nil:
		s.refused[text] = true
		s.count[0]++
		time.Sleep(time.Millisecond) // the process is gone, so avoid a busy loop
		return
	case r.Status == 200 || r.Status == 202:
		s.Accepted[text] = r.Text("messageId")
		delete(s.refused, text)
	case r.Status == 503:
		s.refused[text] = true
		if r.Text("code") != "storage_unavailable" || r.Header.Get("Retry-After") == "" {
			s.t.Errorf("503 %s, Retry-After %q", r.Raw, r.Header.Get("Retry-After"))
		}
	default:
		s.t.Errorf("answered %d %s", r.Status, r.Raw)
	}
	s.count[r.Status]++
}

func (s *load) counts() map[int]int {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return maps.Clone(s.count)
}

// WaitForStatus waits for n more responses with a status.
func (s *load) WaitForStatus(status, n int) {
	s.t.Helper()
	from := s.counts()
	waittest.Until(s.t, func() error {
		if now := s.counts(); now[status]-from[status] < n {
			return fmt.Errorf("wanted %d answers of status %d: %v, were %v", n, status, now, from)
		}
		return nil
	})
}

// Check makes every client repeat its requests without a response, waits for the end of
// all messages, and compares them with those of the gateway.
func (s *load) Check(f *RemoteGateway) {
	t := s.t
	t.Helper()
	s.End()
	var again []string
	for text := range s.refused {
		again = append(again, text)
	}
	for _, text := range again {
		s.Send(text, 0)
	}
	if len(s.refused) > 0 {
		t.Errorf("%d are still refused", len(s.refused))
	}
	status, unknown := s.finalStatuses(f)
	asked, refs := f.Delivered()
	for text, n := range refs {
		if n != 1 {
			t.Errorf("%q was sent as %d messages", text, n)
		}
		if s.Accepted[text] == "" {
			t.Errorf("%q was sent, and accepted from nobody", text)
		}
	}
	for text := range s.Accepted {
		if refs[text] == 0 && status[text] == "SENT" {
			t.Errorf("%q is SENT, and the gateway never had it", text)
		}
		if asked[text] > 1 && !f.deduplicates {
			t.Errorf("%q was handed over %d times", text, asked[text])
		}
	}
	t.Logf("answers %v, %d accepted, %d at the gateway, %d outcomes unknown", s.count, len(s.Accepted), len(refs), unknown)
}

// finalStatuses waits until every accepted message is SENT, or has an unknown outcome if that is possible.
func (s *load) finalStatuses(f *RemoteGateway) (status map[string]string, unknown int) {
	status = map[string]string{}
	type item struct{ text, id string }
	items := make(chan item, len(s.Accepted))
	for text, id := range s.Accepted {
		items <- item{text, id}
	}
	close(items)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range items {
				r := s.final(i.id)
				e, _ := r.Body["error"].(map[string]any)
				lost := r.Text("status") == "FAILED" && e["code"] == "outcome_unknown" && !f.deduplicates
				if r.Text("status") != "SENT" && !lost {
					s.t.Errorf("%q ended as %s", i.text, r.Raw)
				}
				mu.Lock()
				if status[i.text] = r.Text("status"); lost {
					unknown++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return status, unknown
}

// final waits until a message is done. One whose commit had an unknown outcome waits until it is due.
func (s *load) final(id string) *Reply {
	var last *Reply
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		r, err := Call("GET", s.Api+"/api/status/"+id, "", "Authorization: Bearer "+s.key)
		if err != nil {
			continue
		}
		if last = r; r.Text("status") == "SENT" || r.Text("status") == "FAILED" {
			return r
		}
	}
	if last == nil {
		return &Reply{Raw: "nothing"}
	}
	return last
}

// Some returns a few of the accepted messages.
func (s *load) Some(n int) map[string]string {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	out := map[string]string{}
	for text, id := range s.Accepted {
		if len(out) < n {
			out[text] = id
		}
	}
	return out
}
