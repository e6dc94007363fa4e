package api

import (
	"context"
	"time"
)

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

// SweepOnce sweeps once.
func (a *API) SweepOnce(ctx context.Context) error { return a.logins.Sweep(ctx) }

// MaintainWebhooks runs the dispatcher's periodic work once.
func (a *API) MaintainWebhooks(ctx context.Context) error { return a.dispatcher.Maintain(ctx) }

// Streams are the open responses of /authorize/events.
type Streams struct{ s *streams }

// NewStreams returns the initial streams of a service.
func NewStreams() Streams { return Streams{newStreams()} }

// Enter opens a stream for a client's session, if the limits allow it.
func (s Streams) Enter(sessionID, clientID string) bool { return s.s.acquire(sessionID, clientID) }

// StoreCounts stores the counted audit events.
func (a *API) StoreCounts(ctx context.Context) error { return a.tenants.StoreCounts(ctx) }
