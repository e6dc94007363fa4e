package api

import "time"

// PaceEvents sets the intervals of a stream's database reads and heartbeats, and the maximum number of streams.
func (a *API) PaceEvents(pollEvery, heartbeat time.Duration, most int) {
	a.streams.pollEvery, a.streams.heartbeat, a.streams.max = pollEvery, heartbeat, most
}

// OpenEvents returns the number of open streams.
func (a *API) OpenEvents() int {
	a.streams.mu.Lock()
	defer a.streams.mu.Unlock()
	return a.streams.total
}

// Streams are the open responses of /authorize/events.
type Streams struct{ s *streams }

// NewStreams returns the initial streams of a service.
func NewStreams() Streams { return Streams{newStreams()} }

// Enter opens a stream for a client's session, if the limits allow it.
func (s Streams) Enter(sessionID, clientID string) bool { return s.s.acquire(sessionID, clientID) }
