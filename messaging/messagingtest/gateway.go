package messagingtest

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"griot/gateway"
)

// Gateway is a gateway that does as its script says and remembers what it was asked.
type Gateway struct {
	Deduplicates   atomic.Bool
	Window         atomic.Int64 // for how long it deduplicates, a [time.Duration]; zero: for good
	Down           atomic.Bool  // all of it is logged out
	Mute           atomic.Bool  // it has no receipts
	NoMedia        atomic.Bool
	MediaByLink    atomic.Bool
	ByProviderID   atomic.Bool
	Quotes         atomic.Bool // by its own ids
	Transliterates atomic.Bool
	pace           atomic.Pointer[gateway.Pace]
	states         sync.Map // address of a sender -> gateway.ConnState
	script         atomic.Pointer[Script]

	mu   sync.Mutex
	sent []gateway.Outbound
}

// Script answers one attempt.
type Script func(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error)

// Does sets the script; nil acknowledges everything.
func (g *Gateway) Does(s Script) { g.script.Store(&s) }

// Fails makes every attempt fail in a class.
func (g *Gateway) Fails(class gateway.Class, code string) {
	g.Does(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
		return gateway.Ack{}, &gateway.Error{Class: class, Code: code}
	})
}

// SetState sets how the connection of one sender is.
func (g *Gateway) SetState(from string, s gateway.ConnState) { g.states.Store(from, s) }

// Send implements [gateway.Sender].
func (g *Gateway) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	g.mu.Lock()
	g.sent = append(g.sent, *out)
	g.mu.Unlock()
	if s := g.script.Load(); s != nil && *s != nil {
		return (*s)(ctx, out)
	}
	return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
}

// Asked lists the attempts so far.
func (g *Gateway) Asked() []gateway.Outbound {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]gateway.Outbound(nil), g.sent...)
}

// SetPace sets how often it may be asked.
func (g *Gateway) SetPace(p gateway.Pace) { g.pace.Store(&p) }

// Info implements [gateway.Sender].
func (g *Gateway) Info() gateway.Info {
	var pace gateway.Pace
	if p := g.pace.Load(); p != nil {
		pace = *p
	}
	return gateway.Info{
		Pace:     pace,
		Channels: []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email}, Deduplicates: g.Deduplicates.Load(), Receipts: !g.Mute.Load(),
		Media: !g.NoMedia.Load(), MediaByLink: g.MediaByLink.Load(), ByProviderID: g.ByProviderID.Load(), QuotesByProviderID: g.Quotes.Load(), Transliterates: g.Transliterates.Load(),
		DeduplicatesFor: time.Duration(g.Window.Load()),
	}
}

// State implements [gateway.Connector].
func (g *Gateway) State(_ gateway.Channel, from string) gateway.ConnState {
	if s, ok := g.states.Load(from); ok {
		return s.(gateway.ConnState)
	}
	if g.Down.Load() {
		return gateway.LoggedOut
	}
	return gateway.Connected
}

// Close implements [gateway.Sender].
func (g *Gateway) Close() error { return nil }
