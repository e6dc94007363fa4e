package device

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// State is the state of a number's connection.
type State string

// The states of a connection (docs/gateway-protocol.md).
const (
	Disconnected State = "disconnected"
	Pairing      State = "pairing"
	Connecting   State = "connecting"
	Connected    State = "connected"
	Restricted   State = "restricted"
	LoggedOut    State = "logged_out"
	Banned       State = "banned"
	Outdated     State = "outdated"
)

// Reasons why WhatsApp restricts an account.
const (
	ReachOutTimelock = "reach_out_timelock" // no messages to strangers
	TemporaryBan     = "temporary_ban"      // no messages at all
)

// States contains all states.
var States = []State{Disconnected, Pairing, Connecting, Connected, Restricted, LoggedOut, Banned, Outdated}

// Final reports whether only a new pairing can end the state.
func (s State) Final() bool { return s == LoggedOut || s == Banned }

// Change is a state with its reason, and with its end if WhatsApp reports it.
type Change struct {
	State  State
	Reason string
	Until  time.Time
	At     time.Time
}

// Gate spreads the connections of all devices of a process over time, so that they do not all reconnect at the same
// time after an outage.
type Gate struct {
	mu       sync.Mutex
	next     time.Time
	interval time.Duration
	passed   int64
}

// NewGate returns a gate that allows one connection per interval, plus or minus a quarter of the interval.
func NewGate(interval time.Duration) *Gate { return &Gate{interval: interval} }

// Wait blocks until a connection can start.
func (g *Gate) Wait(ctx context.Context) error {
	g.mu.Lock()
	now := time.Now()
	turn := g.next
	if turn.Before(now) {
		turn = now
	}
	g.next = turn.Add(jitter(g.interval, 0.25))
	g.passed++
	g.mu.Unlock()
	return sleep(ctx, turn.Sub(now))
}

// Passed returns the number of calls of Wait that have succeeded.
func (g *Gate) Passed() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.passed
}

// jitter returns d, changed at random by up to the given share.
func jitter(d time.Duration, share float64) time.Duration {
	return time.Duration(float64(d) * (1 - share + 2*share*rand.Float64()))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
