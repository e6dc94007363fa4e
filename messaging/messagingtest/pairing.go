package messagingtest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"example.com/griot/gateway"
)

// Pairings are the pairings of a gateway's numbers.
type Pairings struct {
	Offered atomic.Bool // the gateway supports pairing

	mu      sync.Mutex
	of      map[string]progress // by number
	started int
	failure *gateway.Error
}

type progress struct {
	gateway.PairingProgress

	method gateway.PairingMethod
}

// Set sets the progress of a number's pairing.
func (p *Pairings) Set(from string, now gateway.PairingProgress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]progress{}
	}
	p.of[from] = progress{now, p.of[from].method}
}

// FailWith makes every call fail. nil ends this.
func (p *Pairings) FailWith(e *gateway.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failure = e
}

// Started returns the number of started pairings.
func (p *Pairings) Started() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started
}

// problem returns the error of a call, or nil. The caller holds mu.
func (p *Pairings) problem() error {
	switch {
	case !p.Offered.Load():
		return &gateway.Error{Class: gateway.Permanent, Code: "pairing_unsupported"}
	case p.failure != nil:
		return p.failure
	}
	return nil
}

// StartPairing implements [gateway.Pairer]. The QR code contains "2@" and the number of started pairings.
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
		p.of = map[string]progress{}
	}
	p.of[from] = progress{now, method}
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
		p.of[from] = progress{gateway.PairingProgress{State: gateway.PairingFailed, Reason: gateway.PairingCancelled}, now.method}
	}
	return p.problem()
}
