package chaos

import (
	"context"
	"sync"
	"time"

	"example.com/griot/test/system/fleet/history"
)

// A recorder that did not run for stallMin records that, because its observations in that time have no exact times.
const (
	stallTick = 20 * time.Millisecond
	stallMin  = 100 * time.Millisecond
)

// recorder collects events. It is safe for concurrent use.
type recorder struct {
	began time.Time

	mu     sync.Mutex
	events history.History
}

// now returns the time of the history, in microseconds.
func (r *recorder) now() int64 { return time.Since(r.began).Microseconds() }

// add adds an event. One without an end ends now.
func (r *recorder) add(e history.Event) {
	if e.End == 0 {
		e.End = r.now()
	}
	e.Begin = min(e.Begin, e.End)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// declare adds an event without a time.
func (r *recorder) declare(e history.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// watch records the times in which this process did not run, until ctx ends.
func (r *recorder) watch(ctx context.Context) {
	tick := time.NewTicker(stallTick)
	defer tick.Stop()
	for last := r.now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := r.now()
		if now-last > stallMin.Microseconds() {
			r.add(history.Event{Kind: history.Stall, Begin: last})
		}
		last = now
	}
}

// accepted returns the ids of the accepted messages, each once, with the account's name.
func (r *recorder) accepted() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids := map[string]string{}
	for i := range r.events {
		if e := &r.events[i]; e.Kind == history.Send && e.Result == history.Accepted {
			ids[e.Message] = e.Account
		}
	}
	return ids
}
