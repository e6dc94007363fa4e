package messagingtest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"example.com/griot/gateway"
)

// Pairings are those of a gateway's numbers.
type Pairings struct {
	Offered atomic.Bool // the gateway links numbers

	mu      sync.Mutex
	of      map[string]pairing // by number
	started int
	failure *gateway.Error
}

type pairing struct {
	gateway.PairingProgress

	method gateway.PairingMethod
}

// Set sets how far a number's pairing is.
func (p *Pairings) Set(from string, now gateway.PairingProgress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]pairing{}
	}
	p.of[from] = pairing{now, p.of[from].method}
}

// FailWith lets every call fail; nil: none.
func (p *Pairings) FailWith(e *gateway.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failure = e
}

// Started returns how many were started.
func (p *Pairings) Started() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started
}

// problem returns why a call fails. The caller holds mu.
func (p *Pairings) problem() error {
	switch {
	case !p.Offered.Load():
		return &gateway.Error{Class: gateway.Permanent, Code: "pairing_unsupported"}
	case p.failure != nil:
		return p.failure
	}
	return nil
}

// StartPairing implements [gateway.Pairer]. The code to scan is "2@" and how many pairings were started.
func (g *Gateway) StartPairing(_ context.Context, _ gateway.Channel, from string, method gateway.PairingMethod) (gateway.PairingProgress, error) {
	p := &g.Pairings
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.problem(); err != nil {
		return gateway.PairingProgress{}, err
	}
	if now := p.of[from]; now.State.UnderWay() && now.method == method {
		return now.PairingProgress, nil
	}
	p.started++
	now := gateway.PairingProgress{State: gateway.PairingWaiting}
	if method == gateway.PairByQR {
		now.QR = fmt.Sprintf("2@%d", p.started)
	} else {
		now.Code = fmt.Sprintf("ABCD-000%d", p.started)
	}
	if p.of == nil {
		p.of = map[string]pairing{}
	}
	p.of[from] = pairing{now, method}
	return now, nil
}

// PairingStatus implements [gateway.Pairer].
func (g *Gateway) PairingStatus(_ context.Context, _ gateway.Channel, from string) (gateway.PairingProgress, error) {
	p := &g.Pairings
	p.mu.Lock()
	defer p.mu.Unlock()
	now, ok := p.of[from]
	if !ok {
		now.State = gateway.PairingNone
	}
	return now.PairingProgress, p.problem()
}

// CancelPairing implements [gateway.Pairer].
func (g *Gateway) CancelPairing(_ context.Context, _ gateway.Channel, from string) error {
	p := &g.Pairings
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.of[from]; now.State.UnderWay() {
		p.of[from] = pairing{gateway.PairingProgress{State: gateway.PairingFailed, Reason: gateway.PairingCancelled}, now.method}
	}
	return p.problem()
}
