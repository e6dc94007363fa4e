package device

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// State is what a number's connection is doing.
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

// The reasons why WhatsApp restricts an account.
const (
	ReachOutTimelock = "reach_out_timelock" // nothing goes to strangers
	TemporaryBan     = "temporary_ban"      // nothing goes at all
)

// States are all states.
var States = []State{Disconnected, Pairing, Connecting, Connected, Restricted, LoggedOut, Banned, Outdated}

// Final reports whether only a new pairing helps.
func (s State) Final() bool { return s == LoggedOut || s == Banned }

// Change is a state with its reason, and until when it holds where WhatsApp says so.
type Change struct {
	State  State
	Reason string
	Until  time.Time
	At     time.Time
}

// Gate spreads the connections of all devices of a process: after an outage they do not come back in one moment.
type Gate struct {
	mu       sync.Mutex
	next     time.Time
	interval time.Duration
	passed   int64
}

// NewGate makes a gate that lets a connection begin every interval, give or take a quarter.
func NewGate(interval time.Duration) *Gate { return &Gate{interval: interval} }

// Wait waits for a turn.
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

// Passed returns how many turns were given.
func (g *Gate) Passed() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.passed
}

// jitter returns a duration that differs from d by up to the share, at random.
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
