package messagingtest

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/gateway"
)

// A Gateway is a gateway that responds as scripted and records its calls.
type Gateway struct {
	Deduplicates       atomic.Bool
	DeduplicatesFor    atomic.Int64 // time for which it deduplicates, a [time.Duration]; zero: no limit
	LoggedOut          atomic.Bool  // for all senders
	NoReceipts         atomic.Bool
	NoMedia            atomic.Bool
	MediaByLink        atomic.Bool
	ByProviderID       atomic.Bool
	QuotesByProviderID atomic.Bool // with its own IDs
	Transliterates     atomic.Bool
	Replies            atomic.Bool // messages can be shown as replies
	pace               atomic.Pointer[gateway.Pace]
	paces              sync.Map // from a sender's address to a gateway.Pace
	states             sync.Map // from a sender's address to a gateway.ConnDetail
	script             atomic.Pointer[Script]
	Pairings           Pairings

	changes *changes // of its world; nil: none

	mu   sync.Mutex
	sent []gateway.Outbound
}

// A Script handles one call.
type Script func(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error)

// SetScript sets the script. nil acknowledges every call.
func (g *Gateway) SetScript(s Script) { g.script.Store(&s) }

// FailWith makes every call fail with a class.
func (g *Gateway) FailWith(class gateway.Class, code string) {
	g.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
		return gateway.Ack{}, &gateway.Error{Class: class, Code: code}
	})
}

// SetState sets the connection's state of one sender.
func (g *Gateway) SetState(from string, s gateway.ConnState) {
	g.SetDetail(from, gateway.ConnDetail{State: s})
}

// SetDetail sets the connection's state of one sender with its reason.
func (g *Gateway) SetDetail(from string, d gateway.ConnDetail) { g.states.Store(from, d) }

// Send implements [gateway.Sender].
func (g *Gateway) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	g.mu.Lock()
	g.sent = append(g.sent, *out)
	g.mu.Unlock()
	if g.changes != nil {
		g.changes.signal()
	}
	if s := g.script.Load(); s != nil && *s != nil {
		return (*s)(ctx, out)
	}
	return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
}

// Calls lists the calls so far.
func (g *Gateway) Calls() []gateway.Outbound {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]gateway.Outbound(nil), g.sent...)
}

// SetPace sets the gateway's pace.
func (g *Gateway) SetPace(p gateway.Pace) { g.pace.Store(&p) }

// SetPaceOf sets the pace of one sender.
func (g *Gateway) SetPaceOf(from string, p gateway.Pace) { g.paces.Store(from, p) }

// PaceOf implements [gateway.Pacer].
func (g *Gateway) PaceOf(from string) gateway.Pace {
	if p, ok := g.paces.Load(from); ok {
		return p.(gateway.Pace)
	}
	if p := g.pace.Load(); p != nil {
		return *p
	}
	return gateway.Pace{}
}

// Info implements [gateway.Sender].
func (g *Gateway) Info() gateway.Info {
	return gateway.Info{
		Pace: g.PaceOf(""), Pairs: g.Pairings.Offered.Load(),
		Channels: []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email}, Deduplicates: g.Deduplicates.Load(), Receipts: !g.NoReceipts.Load(),
		Media: !g.NoMedia.Load(), MediaByLink: g.MediaByLink.Load(), ByProviderID: g.ByProviderID.Load(), QuotesByProviderID: g.QuotesByProviderID.Load(), Transliterates: g.Transliterates.Load(), Replies: g.Replies.Load(),
		DeduplicatesFor: time.Duration(g.DeduplicatesFor.Load()),
	}
}

// State implements [gateway.Connector].
func (g *Gateway) State(_ gateway.Channel, from string) gateway.ConnDetail {
	if d, ok := g.states.Load(from); ok {
		return d.(gateway.ConnDetail)
	}
	if g.LoggedOut.Load() {
		return gateway.ConnDetail{State: gateway.LoggedOut}
	}
	return gateway.ConnDetail{State: gateway.Connected}
}

// Close implements [gateway.Sender].
func (g *Gateway) Close() error { return nil }
