package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"
)

// The process is killed at random moments, and the endpoint fails at random. Every event arrives, under one id and with one
// body, and no event of what did not happen.
func TestCrash_EveryWebhookArrives(t *testing.T) {
	t.Parallel()
	h := newWebhookServer(t, func(_ int, r *http.Request) int {
		switch rand.IntN(10) {
		case 0:
			return http.StatusInternalServerError
		case 1:
			select { // as if it were gone
			case <-r.Context().Done():
			case <-time.After(50 * time.Millisecond):
			}
			return http.StatusServiceUnavailable
		}
		return http.StatusOK
	})
	dir := t.TempDir()
	accepted := 0
	for round := range crashes / 2 {
		p := startDev(t, dir, "--webhook-url", h.url)
		p.operator().run("webhooks", "set", "--account", "unlimited@griot.example", "--url", h.url)
		accepted += len(sendUntilKilled(t, p, round))
	}
	p := startDev(t, dir, "--webhook-url", h.url)
	o := p.operator()
	eventually(t, 90*time.Second, func() error {
		type endpoint struct{ Pending int }
		e := runJSON[endpoint](o, "webhooks", "show", "--account", "unlimited@griot.example")
		if e.Pending > 0 {
			return fmt.Errorf("%d events are pending", e.Pending)
		}
		return nil
	})
	p.stop()
	got := map[string]string{}
	times := 0
	for _, d := range h.got() {
		id := d.header.Get("webhook-id")
		if before, known := got[id]; known && before != d.body {
			t.Errorf("%s came with two bodies", id)
		}
		got[id] = d.body
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
	t.Logf("%d crashes: %d messages answered, %d events, %d deliveries", crashes/2, accepted, len(stored), times)
	if accepted == 0 || len(stored) == 0 {
		t.Error("nothing happened")
	}
}

// events reads all events of a database that nobody has open.
func storedEvents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	rows(t, dir, `SELECT id, body FROM webhook_events`, func(id, body string) { out[id] = body })
	return out
}

// checkEvents compares the events with the messages: a message's status is at least that of its events.
func checkEvents(t *testing.T, dir string, events map[string]string) {
	t.Helper()
	rank := map[string]int{"QUEUED": 10, "SENDING": 20, "SENT": 30, "FAILED": 35, "EXPIRED": 35, "DELIVERED": 40, "READ": 50}
	is, reported := map[string]int{}, map[string]int{}
	rows(t, dir, `SELECT id, status FROM messages`, func(id, status string) { is[id] = rank[status] })
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

func rows(t *testing.T, dir, query string, each func(a, b string)) {
	t.Helper()
	d := openDatabase(t, dir)
	defer func() { _ = d.Close() }()
	err := d.Read(t.Context()).Each(func(r *sql.Rows) error {
		var a, b string
		err := r.Scan(&a, &b)
		each(a, b)
		return err
	}, query)
	if err != nil {
		t.Fatal(err)
	}
}
