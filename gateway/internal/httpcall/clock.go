package httpcall

import (
	"net/http"
	"time"

	"example.com/griot/internal/clock"
)

// clockAge is for how long a peer's answer says something about the clocks.
const clockAge = time.Hour

// peerClock is what the Date of an answer has shown.
type peerClock struct {
	ahead time.Duration
	read  time.Duration // on [clock.Running]
}

// ClockAhead implements [example.com/griot/gateway.ClockReader].
func (c *Client) ClockAhead() (ahead time.Duration, known bool) {
	p := c.clock.Load()
	if p == nil || clock.Running()-p.read > clockAge {
		return 0, false
	}
	return p.ahead, true
}

// readClock compares the Date of an answer, which has whole seconds, with our time in the middle of the call.
func (c *Client) readClock(h http.Header, asked time.Time) {
	date := h.Get("Date")
	if date == "" {
		return
	}
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	now := clock.System()
	c.clock.Store(&peerClock{at.Add(time.Second / 2).Sub(asked.Add(now.Sub(asked) / 2)), clock.Running()})
}
