package limit

import (
	"sync"
	"time"

	"example.com/griot/internal/clock"
)

const (
	slots     = 30   // of a period
	idleStart = 1024 // number of keys from which idle ones are removed
)

// Window counts events per key in the last period, and allows a number of them. Its keys must belong to existing
// objects. It is safe for concurrent use. A nil *Window allows everything.
type Window struct {
	now   clock.Now
	limit int
	slot  time.Duration

	mu   sync.Mutex
	of   map[string]*counts
	next int // number of keys of the next search for idle ones
}

type counts struct {
	in   [slots + 1]int // each slot, and the current one
	last int64          // number of the latest slot
	sum  int
}

// NewWindow returns a window of a period that allows limit; nil for 0.
func NewWindow(now clock.Now, limit int, period time.Duration) *Window {
	if limit == 0 {
		return nil
	}
	return &Window{now: now, limit: limit, slot: period / slots, of: map[string]*counts{}, next: idleStart}
}

// Allow counts an event, unless the limit is reached. retryAfter is then the time until one of the events expires.
func (w *Window) Allow(key string) (ok bool, retryAfter time.Duration) {
	if w == nil {
		return true, 0
	}
	now := w.now()
	slot := now.UnixNano() / int64(w.slot)
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.of[key]
	if c == nil {
		w.forgetIdle(slot)
		c = &counts{last: slot}
		w.of[key] = c
	}
	c.advance(slot)
	if c.sum >= w.limit {
		return false, time.Duration(c.oldest()+slots+1)*w.slot - time.Duration(now.UnixNano())
	}
	c.in[c.last%int64(len(c.in))]++
	c.sum++
	return true, 0
}

// advance clears the expired slots. If the clock went back, events count in the latest slot.
func (c *counts) advance(slot int64) {
	for n := min(slot-c.last, int64(len(c.in))); n > 0; n-- {
		at := (slot - n + 1) % int64(len(c.in))
		c.sum -= c.in[at]
		c.in[at] = 0
	}
	c.last = max(c.last, slot)
}

// oldest returns the number of the first slot with a count.
func (c *counts) oldest() int64 {
	for s := c.last - slots; s < c.last; s++ {
		if c.in[s%int64(len(c.in))] > 0 {
			return s
		}
	}
	return c.last
}

func (w *Window) forgetIdle(slot int64) {
	if len(w.of) < w.next {
		return
	}
	for key, c := range w.of {
		if c.advance(slot); c.sum == 0 {
			delete(w.of, key)
		}
	}
	w.next = max(idleStart, 2*len(w.of))
}
