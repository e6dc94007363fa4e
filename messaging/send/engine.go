package send

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/seal"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/webhook"
)

// Options are what an Engine is made of.
type Options struct {
	DB        *db.DB
	Key       *seal.Key // seals sensitive content
	Directory *account.Directory
	Presets   message.Presets
	Gateways  map[string]gateway.Sender // by name
	Now       clock.Now
	Log       *slog.Logger
	Sandbox   bool   // every message is simulated (SVC_SANDBOX=1)
	Told      func() // called when a webhook event was committed; nil: nobody waits

	Wait        time.Duration // how long Submit waits for the gateway; zero: DefaultWait
	Attempt     time.Duration // the most that one attempt may take; zero: DefaultAttempt
	UnknownWait time.Duration // how long a receipt may still decide an unknown outcome; zero: DefaultUnknownWait
}

// Defaults of [Options].
const (
	DefaultWait        = 3 * time.Second
	DefaultAttempt     = 15 * time.Second
	DefaultUnknownWait = time.Minute
)

const (
	leaseMargin = 15 * time.Second // beyond an attempt's time, for its commit
	inFlight    = 2048             // messages being carried at once
	pollEvery   = 250 * time.Millisecond
	claimSize   = 64
)

// Engine accepts and carries messages. It is safe for concurrent use; [Engine.Run] does its background work.
type Engine struct {
	o       Options
	box     *seal.Box // for sensitive content
	print   []byte    // key of fingerprints
	slots   chan struct{}
	wake    chan struct{}
	carried sync.WaitGroup
	flights sync.Map // message id -> chan struct{}, closed when its first attempt has ended
}

// New returns an engine.
func New(o Options) *Engine {
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	if o.Attempt == 0 {
		o.Attempt = DefaultAttempt
	}
	if o.UnknownWait == 0 {
		o.UnknownWait = DefaultUnknownWait
	}
	return &Engine{o: o, box: o.Key.Box("message-content"), print: o.Key.Derive("request-fingerprint"), slots: make(chan struct{}, inFlight), wake: make(chan struct{}, 1)}
}

// Usable reports whether a sender's gateway is there and connected, or connecting.
func (e *Engine) Usable(s account.Sender) bool {
	g, ok := e.o.Gateways[s.Gateway]
	if !ok {
		return false
	}
	c, ok := g.(gateway.Connector)
	return !ok || c.State(s.Channel, s.Address).Usable()
}

func (e *Engine) lease() time.Duration { return e.o.Attempt + leaseMargin }

// Run takes up messages that are due: those that found no free slot, and those of
// workers that are gone. When ctx ends it waits for the attempts in flight.
func (e *Engine) Run(ctx context.Context) error {
	defer e.carried.Wait()
	if e.o.DB.Engine() == db.SQLite { // no other process has this database: leases of the last one are void
		now := e.o.Now()
		if err := e.o.DB.Write(ctx, func(tx *db.Tx) error { return message.Reclaim(tx, now) }); err != nil {
			if ctx.Err() != nil {
				return nil // it was told to end before it began
			}
			return err
		}
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if err := e.takeUp(ctx); err != nil && ctx.Err() == nil {
			e.o.Log.Error("taking up due messages", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-e.wake:
		}
	}
}

// takeUp claims what is due, as far as there are slots, and carries it.
func (e *Engine) takeUp(ctx context.Context) error {
	for ctx.Err() == nil {
		now := e.o.Now()
		if due, err := message.Due(e.o.DB.Read(ctx), now); err != nil || !due {
			return err
		}
		n := e.reserve(claimSize)
		if n == 0 {
			return nil
		}
		var claimed []*message.Message
		err := e.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
			claimed, err = message.Claim(tx, now, now.Add(e.lease()), n)
			return err
		})
		if err != nil {
			claimed = nil // their leases bring them back
		}
		e.release(n - len(claimed))
		for _, m := range claimed {
			e.carried.Go(func() {
				defer e.release(1)
				e.resume(context.WithoutCancel(ctx), m)
			})
		}
		if err != nil || len(claimed) == 0 {
			return err
		}
	}
	return nil
}

func (e *Engine) reserve(most int) int {
	for n := range most {
		select {
		case e.slots <- struct{}{}:
		default:
			return n
		}
	}
	return most
}

func (e *Engine) release(n int) {
	for range n {
		<-e.slots
	}
}

// told says that an event, if there was one, is committed.
func (e *Engine) told(event *webhook.Event) {
	if event != nil && e.o.Told != nil {
		e.o.Told()
	}
}

// signal wakes Run.
func (e *Engine) signal() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}
