package send

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/safedial"
	"griot/internal/seal"
	"griot/messaging/account"
	"griot/messaging/media"
	"griot/messaging/message"
	"griot/messaging/webhook"
)

// Options are what an Engine is made of.
type Options struct {
	DB        *db.DB
	Key       *seal.Key // seals sensitive content
	Directory *account.Directory
	Presets   message.Presets
	Gateways  *gateway.Set // may change at any time
	Now       clock.Now
	Log       *slog.Logger
	Sandbox   bool              // every message but real ones is simulated (SVC_SANDBOX=1)
	Media     *media.Fetcher    // fetches attachments; nil: only gateways that take a link get them
	Links     safedial.Options  // judges their addresses before that
	Point     func(name string) // for tests: called at each of Points; nil otherwise
	Told      func()            // called when a webhook event was committed; nil: nobody waits

	Wait        time.Duration // how long Submit waits for the gateway; zero: DefaultWait
	Attempt     time.Duration // the most that one attempt may take; zero: DefaultAttempt
	QuickWait   time.Duration // the same for a one-time code, whose channel is decided within the request; zero: DefaultQuickWait
	UnknownWait time.Duration // how long a receipt may still decide an unknown outcome; zero: DefaultUnknownWait
	Most        int64         // how many messages may be under way; 0: no bound
	Drain       time.Duration // how long Run waits at its end for the attempts in flight; zero: DefaultDrain
}

// Defaults of [Options].
const (
	DefaultWait        = 3 * time.Second
	DefaultAttempt     = 15 * time.Second
	DefaultQuickWait   = 30 * time.Second
	DefaultUnknownWait = time.Minute
	DefaultDrain       = 8 * time.Second
)

const (
	quickAttempt = 8 * time.Second // for a one-time code

	leaseMargin = 15 * time.Second // beyond an attempt's time, for its commit
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
	traffic *traffic
	accepts *db.Lane // nil on SQLite
	ends    *db.Lane // nil on SQLite
	ceiling ceiling
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
	if o.QuickWait == 0 {
		o.QuickWait = DefaultQuickWait
	}
	if o.UnknownWait == 0 {
		o.UnknownWait = DefaultUnknownWait
	}
	if o.Drain == 0 {
		o.Drain = DefaultDrain
	}
	return &Engine{o: o, box: o.Key.Box("message-content"), print: o.Key.Derive("request-fingerprint"), slots: make(chan struct{}, inFlight), wake: make(chan struct{}, 1), traffic: newTraffic(o.Now), accepts: o.DB.Lane(), ends: o.DB.Lane(), ceiling: ceiling{most: o.Most}}
}

func (e *Engine) lease() time.Duration { return e.o.Attempt + leaseMargin }

// Recover makes what the last process was carrying due at once, where no other
// process can have the database (SQLite). It comes before the first Submit and
// before Run: what this process carries must not be taken for the last one's.
func (e *Engine) Recover(ctx context.Context) error {
	if e.o.DB.Engine() != db.SQLite {
		return nil
	}
	now := e.o.Now()
	return e.o.DB.Write(ctx, func(tx *db.Tx) error { return message.Reclaim(tx, now) })
}

// Run takes up messages that are due: those that found no free slot, those that
// wait for their time, and those of workers that are gone. When ctx ends it waits
// for the attempts in flight, but not longer than Options.Drain: what a gateway
// hangs on is left to the next process.
func (e *Engine) Run(ctx context.Context) error {
	defer e.drain()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var swept time.Time
	last := e.o.Now()
	for {
		now := e.o.Now()
		if back := last.Sub(now); back >= leastBack {
			if err := e.setBack(ctx, now, back); err != nil {
				e.o.Log.Error("the clock went back", "by", back, "err", err) // last stays: it is tried again
				now = last
			}
		}
		last = now
		if now.Sub(swept) >= sweepEvery || now.Before(swept) {
			swept = now
			if err := e.sweep(ctx); err != nil && ctx.Err() == nil {
				e.o.Log.Error("sweeping", "err", err)
			}
		}
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

// drain waits for the attempts in flight, for a time.
func (e *Engine) drain() {
	done := make(chan struct{})
	go func() {
		e.carried.Wait()
		close(done)
	}()
	timeout := time.NewTimer(e.o.Drain)
	defer timeout.Stop()
	select {
	case <-done:
	case <-timeout.C:
		e.o.Log.Warn("attempts in flight are left to the next process")
	}
}

// takeUp claims what is due, sender by sender, as far as there are slots, and carries it.
func (e *Engine) takeUp(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		more = false
		due, err := message.DueSenders(e.o.DB.Read(ctx), e.o.Now())
		if err != nil {
			return err
		}
		for _, sender := range due {
			n, err := e.takeUpOf(ctx, sender)
			if err != nil {
				return err
			}
			more = more || n > 0
		}
	}
	return nil
}

// takeUpOf claims and carries some of a sender's messages, and returns how many. A claim that was begun is not stopped by
// ctx: its commit could come through unheard, and its messages would be taken for handed over.
func (e *Engine) takeUpOf(ctx context.Context, sender string) (int, error) {
	if e.traffic.rests(sender) {
		return 0, nil
	}
	slots := e.reserve(sender, claimSize)
	if len(slots) == 0 {
		return 0, nil
	}
	now := e.o.Now()
	var claimed []*message.Message
	err := e.transact(context.WithoutCancel(ctx), "claim", func(tx *db.Tx) (err error) {
		claimed, err = message.Claim(tx, sender, now, now.Add(e.lease()), len(slots))
		return err
	})
	if err != nil {
		claimed = nil // their leases bring them back
	}
	for _, s := range slots[len(claimed):] {
		s.release()
	}
	e.traffic.sort(claimed)
	for i, m := range claimed {
		place := e.traffic.join(m, slots[i])
		e.carried.Go(func() {
			defer slots[i].release()
			defer place.leave("", false)
			e.resume(context.WithoutCancel(ctx), m, place)
		})
	}
	return len(claimed), err
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
