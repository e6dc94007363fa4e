package httpcall

import (
	"net/http"
	"time"

	"example.com/griot/internal/clock"
)

// clockAge is the time for which the result of a clock comparison is valid.
const clockAge = time.Hour

// peerClock is the result of comparing the Date of a response with our clock.
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

// readClock compares the Date of a response, which has whole seconds, with our time in the middle of the call.
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
