package gateway

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"go.mau.fi/whatsmeow/types"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/store"
)

// number is a paired number that this process holds.
type number struct {
	g       *Gateway
	name    string
	jid     string
	device  *device.Device
	lease   *store.Lease
	stop    context.CancelFunc
	asked   atomic.Pointer[time.Time] // start time of the latest successful renewal
	closing atomic.Bool               // the lease is lost
	removed atomic.Bool               // no longer in the store
	full    atomic.Bool               // an event was not stored because the spool was full
	failed  atomic.Pointer[time.Time] // time of another failure to store an event

	mu         sync.Mutex
	unreadable map[string]time.Time // time of the last report of a person's unreadable message
}

// start connects a number whose lease has just been acquired. asked is the time of that request.
func (g *Gateway) start(ctx context.Context, stored store.Number, lease *store.Lease, asked time.Time) {
	jid, err := types.ParseJID(stored.JID)
	if err != nil {
		g.config.Log.Error("the number's device can't be read", "number", stored.Number)
		g.release(lease)
		return
	}
	row, err := g.config.Store.Devices.GetDevice(ctx, jid)
	if err != nil {
		g.config.Log.Error("the number's device can't be read", "number", stored.Number, "error", err)
		g.release(lease)
		return
	}
	if row == nil { // whatsmeow deletes it when WhatsApp has unlinked the device
		g.settle(stored.Number, stored.JID, device.Change{State: device.LoggedOut, Reason: "logged_out", At: time.Now()})
		g.release(lease)
		return
	}
	restrictions, err := g.config.Store.Restrictions(ctx, stored.Number)
	if err != nil {
		g.config.Log.Error("the number's restrictions can't be read", "number", stored.Number, "error", err)
		g.release(lease)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	n := &number{g: g, name: stored.Number, jid: stored.JID, lease: lease, stop: cancel, unreadable: map[string]time.Time{}}
	n.asked.Store(&asked)
	n.device = device.New(device.Config{
		Number: stored.Number, Store: row, Handler: n, Gate: g.gate, OwnMessages: g.config.OwnMessages, HTTP: g.config.WhatsApp, Restrictions: restrictions, AckTimeout: ackTimeout, Log: g.config.Log,
	})
	g.mu.Lock()
	g.numbers[n.name] = n
	delete(g.idle, n.name)
	g.mu.Unlock()
	g.running.Go(func() { n.run(ctx) })
}

// run runs the number until the lease is lost, ctx ends, or only a new pairing helps. It closes the socket before it
// releases the lease.
func (n *number) run(ctx context.Context) {
	n.device.Run(ctx)
	n.stop()
	switch {
	case n.removed.Load():
		n.g.pairs.Unlinked(n.name)
		n.g.announce(n.name, device.Change{State: device.LoggedOut, Reason: "removed", At: time.Now()})
	case !n.device.State().State.Final():
		n.g.rest(n.name, device.Change{State: device.Connecting, Reason: heldElsewhere})
	}
	n.g.mu.Lock()
	delete(n.g.numbers, n.name)
	n.g.mu.Unlock()
	n.g.release(n.lease)
}

// holds reports whether this process certainly still holds the lease. It counts only the first half of the lease. The
// second half allows for clock differences and for closing the socket.
func (n *number) holds() bool { return time.Since(*n.asked.Load()) < n.g.config.Lease/2 }

// lost stops the number because another process has, or might soon have, its lease. The socket is closed in the
// second half of the lease.
func (n *number) lost() {
	n.g.mu.Lock()
	ended := n.g.numbers[n.name] != n // it has already released the lease
	n.g.mu.Unlock()
	if ended || n.closing.Swap(true) {
		return
	}
	n.g.metrics.leaseLosses.Inc()
	n.g.config.Log.Error("the number's lease is lost: the connection is closed", "number", n.name)
	n.stop()
}

// release releases a lease, even if the process is stopping.
func (g *Gateway) release(lease *store.Lease) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := lease.Release(ctx); err != nil {
		g.config.Log.Warn("a lease was not given back: it runs out by itself", "number", lease.Number, "error", err)
	}
}

// settle stores a state that only a new pairing ends, and then reports it to Griot.
func (g *Gateway) settle(name, jid string, c device.Change) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := g.config.Store.SetState(ctx, name, jid, string(c.State), c.Until); err != nil {
		g.config.Log.Error("the number's state was not stored", "number", name, "error", err)
	}
	g.rest(name, c)
	g.pairs.Unlinked(name)
	g.announce(name, c)
}

// Changed implements [device.Handler].
func (n *number) Changed(c device.Change) {
	if c.State.Final() {
		n.g.settle(n.name, n.jid, c)
		return
	}
	n.g.announce(n.name, c)
}

// Restricted implements [device.Handler].
func (n *number) Restricted(reason string, until time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := n.g.config.Store.SetRestriction(ctx, n.name, reason, until); err != nil {
		n.g.config.Log.Error("the number's restriction was not stored: it ends with this process", "number", n.name, "reason", reason, "error", err)
	}
}

// announce reports a state to Griot. Only the newest state of each number is kept.
func (g *Gateway) announce(name string, c device.Change) {
	g.mu.Lock()
	g.news[name] = connection(name, c)
	g.mu.Unlock()
	select {
	case g.wake <- struct{}{}:
	default:
	}
}
