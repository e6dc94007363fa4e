package crash_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// The process is killed at random moments, and the endpoint fails at random. Every event arrives, with one id and one
// body, and there is no event of something that did not happen.
// Rules: M153.
func TestCrash_EveryWebhookArrives(t *testing.T) {
	t.Parallel()
	h := systemtest.NewWebhookServer(t, func(_ int, r *http.Request) int {
		switch rand.IntN(10) {
		case 0:
			return http.StatusInternalServerError
		case 1:
			select { // as if the endpoint were gone
			case <-r.Context().Done():
			case <-time.After(50 * time.Millisecond):
			}
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	dir := t.TempDir()
	accepted := 0
	for round := range systemtest.Crashes / 2 {
		p := systemtest.StartDev(t, dir, "--webhook-url", h.Url)
		p.Operator().Run("webhooks", "set", "--account", "unlimited@griot.example", "--url", h.Url)
		accepted += len(sendUntilKilled(t, p, round))
	}
	p := systemtest.StartDev(t, dir, "--webhook-url", h.Url)
	o := p.Operator()
	waittest.Until(t, func() error {
		type endpoint struct{ Pending int }
		e := systemtest.RunJSON[endpoint](o, "webhooks", "show", "--account", "unlimited@griot.example")
		if e.Pending > 0 {
			return fmt.Errorf("%d events are pending", e.Pending)
		}
		return nil
	})
	p.Stop()
	got := map[string]string{}
	times := 0
	for _, d := range h.Received() {
		id := d.Header.Get("webhook-id")
		if before, known := got[id]; known && before != d.Body {
			t.Errorf("%s came with two bodies", id)
		}
		got[id] = d.Body
		times++
	}
	stored := storedEvents(t, dir)
	for id, body := range stored {
		if got[id] != body {
			t.Errorf("%s arrived as %q", id, got[id])
		}
	}
	for id := range got {
		if stored[id] == "" {
			t.Errorf("the event of %s came, and it is not stored", id)
		}
	}
	checkEvents(t, dir, got)
	t.Logf("%d crashes: %d messages answered, %d events, %d deliveries", systemtest.Crashes/2, accepted, len(stored), times)
	if accepted == 0 || len(stored) == 0 {
		t.Error("nothing happened")
	}
}

// storedEvents returns all events of a database that no process has open.
func storedEvents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	systemtest.EachRow(t, dir, `SELECT id, body FROM webhook_events`, func(id, body string) { out[id] = body })
	return out
}

// checkEvents compares the events with the messages: a message's status is at least that of its events.
func checkEvents(t *testing.T, dir string, events map[string]string) {
	t.Helper()
	rank := map[string]int{"QUEUED": 10, "SENDING": 20, "SENT": 30, "FAILED": 35, "EXPIRED": 35, "DELIVERED": 40, "READ": 50}
	is, reported := map[string]int{}, map[string]int{}
	systemtest.EachRow(t, dir, `SELECT id, status FROM messages`, func(id, status string) { is[id] = rank[status] })
	for _, body := range events {
		var b struct {
			MessageID string
			Sequence  int
		}
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			t.Fatal(err)
		}
		reported[b.MessageID] = max(reported[b.MessageID], b.Sequence)
	}
	for id, sequence := range reported {
		if is[id] != sequence {
			t.Errorf("%s is at rank %d, and its last event at %d", id, is[id], sequence)
		}
	}
	for id, r := range is {
		if r >= rank["SENT"] && reported[id] == 0 {
			t.Errorf("%s is at rank %d, and no event came", id, r)
		}
	}
}
