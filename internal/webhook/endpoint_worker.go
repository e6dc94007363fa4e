package webhook

import (
	"context"
	"sync"
	"time"

	"example.com/griot/internal/breaker"
	"example.com/griot/internal/db"
)

// A worker claims as many events at once as its endpoint takes in a moment, within these bounds.
const (
	minClaim  = PerEndpoint
	maxClaim  = 512
	quickTime = 250 * time.Millisecond // a claim that is delivered in less is doubled
	slowTime  = 2 * time.Second        // one that takes longer is halved
)

// endpointWorker delivers one owner's events to its endpoint. It ends when none is due and none is in flight.
type endpointWorker struct {
	d          *Dispatcher
	owner      string
	woken      chan struct{}
	ownedUntil time.Time // until then the endpoint belongs to this process

	mu        sync.Mutex
	changed   sync.Cond // an attempt has ended, or attempts are to end
	claimSize int       // of the next claim
	inFlight  int
	failing   bool // the last attempt failed: attempts are made one at a time
	health    endpointHealth
	savedAt   time.Time // when health was stored last
}

func newEndpointWorker(d *Dispatcher, owner string) *endpointWorker {
	w := &endpointWorker{d: d, owner: owner, woken: make(chan struct{}, 1), claimSize: minClaim}
	w.changed.L = &w.mu
	w.health.changedAt = -1 // not loaded
	return w
}

func (w *endpointWorker) wake() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// run claims and delivers until nothing is due, or ctx ends. attempts is the context of attempts.
func (w *endpointWorker) run(ctx, attempts context.Context) {
	defer context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.changed.Broadcast()
	})()
	for next := w.claim(ctx); ; {
		switch {
		case len(next.events) > 0:
			next = w.attemptAll(ctx, attempts, next)
		case w.idle(ctx):
			return
		default:
			next = w.claim(ctx)
		}
	}
}

// idle waits until there may be more to do. It reports true when the worker has ended.
func (w *endpointWorker) idle(ctx context.Context) (ended bool) {
	for {
		w.mu.Lock()
		inFlight := w.inFlight
		w.mu.Unlock()
		if inFlight == 0 || ctx.Err() != nil {
			return w.d.removeWorker(w) || ctx.Err() != nil
		}
		select {
		case <-w.woken:
			return false
		case <-ctx.Done():
		case <-time.After(pollEvery): // attempts may have ended
		}
	}
}

// batch is what one claim returned.
type batch struct {
	*target
	events []*Claimed
	full   bool // more may be due
}

// claim claims due events, if the endpoint may be called. It reads the endpoint first: changed settings end a pause. The
// transaction runs on when ctx ends: after a commit that nobody has waited for, events would stay claimed until their
// leases expire.
func (w *endpointWorker) claim(ctx context.Context) batch {
	if ctx.Err() != nil {
		return batch{}
	}
	var t *target
	var events []*Claimed
	now, n := w.d.o.Now(), 0
	lease, renewed, ownedUntil := now.Add(w.d.lease()), now.Add(ownershipTime), w.ownedUntil
	lapsed := ownedUntil.Before(now)
	err := w.d.o.DB.Write(context.WithoutCancel(ctx), func(tx *db.Tx) (err error) {
		events, ownedUntil = nil, w.ownedUntil
		if t, err = w.d.o.Queue.target(&tx.Query, w.owner, w.d.process, now); err != nil || t == nil {
			return err
		}
		if n = w.claimLimit(&t.endpointHealth, lapsed, now); n == 0 {
			return nil
		}
		if ownedUntil.Before(now.Add(ownershipTime / 2)) {
			mine, err := w.d.o.Queue.ownEndpoint(tx, w.owner, w.d.process, now, renewed)
			if err != nil || !mine {
				return err
			}
			ownedUntil = renewed
		}
		events, err = w.d.o.Queue.Claim(tx, w.owner, now, lease, n)
		return err
	})
	if err != nil {
		w.d.o.Log.Error("claiming events", w.d.o.Queue.t.Log, w.owner, "err", err)
	}
	if err != nil || t == nil {
		return batch{}
	}
	w.loadHealth(&t.endpointHealth, lapsed)
	w.ownedUntil = ownedUntil
	return batch{t, events, n > 0 && len(events) == n}
}

// claimLimit returns how many events may be claimed now from an endpoint with this stored health.
func (w *endpointWorker) claimLimit(stored *endpointHealth, lapsed bool, now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	health, _ := w.currentHealth(stored, lapsed)
	b := &health.breaker
	switch {
	case b.Closed():
		return w.claimSize
	case b.ProbeDue(now) && w.inFlight == 0:
		return 1
	}
	return 0
}

// claimAhead claims while the batch before is still being delivered.
func (w *endpointWorker) claimAhead(ctx context.Context) <-chan batch {
	ahead := make(chan batch, 1)
	w.d.running.Go(func() { ahead <- w.claim(ctx) })
	return ahead
}

// attemptAll attempts claimed events, as many at once as the endpoint may have, and releases those that its state or
// the end of the process leaves no time for. It returns the next batch.
func (w *endpointWorker) attemptAll(ctx, attempts context.Context, b batch) batch {
	started := w.d.o.Now()
	keys, err := w.d.signingKeys(w.owner, b.target, started)
	if err != nil {
		w.d.o.Log.Error("opening a webhook secret", w.d.o.Queue.t.Log, w.owner, "err", err)
		w.release(b.events, started.Add(w.d.lease()))
		return batch{}
	}
	var ahead <-chan batch
	for i, c := range b.events {
		probe, ok := w.begin(ctx)
		if !ok {
			w.release(b.events[i:], w.d.o.Now())
			break
		}
		w.d.running.Go(func() {
			defer w.end()
			w.attempt(attempts, b.target, keys, c, probe)
		})
		if ahead == nil && b.full && 2*i >= len(b.events) {
			ahead = w.claimAhead(ctx)
		}
	}
	w.adaptClaimSize(w.d.o.Now().Sub(started))
	if ahead != nil {
		return <-ahead
	}
	return w.claim(ctx)
}

func (w *endpointWorker) adaptClaimSize(took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case took < quickTime:
		w.claimSize = min(2*w.claimSize, maxClaim)
	case took > slowTime:
		w.claimSize = max(w.claimSize/2, minClaim)
	}
}

// begin waits until one more attempt may begin; probe is whether it is the circuit breaker's. ok is false when none may.
func (w *endpointWorker) begin(ctx context.Context) (probe, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		b, now := &w.health.breaker, w.d.o.Now()
		most := PerEndpoint
		if probe = b.ProbeDue(now); probe || w.failing {
			most = 1
		}
		switch {
		case ctx.Err() != nil, !w.health.disabledAt.IsZero(), !b.Closed() && !probe:
			return false, false
		case w.inFlight < most:
			w.inFlight++
			if probe {
				w.health.breaker, _ = b.Next(&w.d.o.Timing.Breaker, breaker.ProbeStarted, now)
			}
			return probe, true
		}
		w.changed.Wait()
	}
}

func (w *endpointWorker) end() {
	w.mu.Lock()
	w.inFlight--
	w.changed.Broadcast()
	w.mu.Unlock()
}

// release returns claimed events without an attempt, to be claimed again from due on.
func (w *endpointWorker) release(events []*Claimed, due time.Time) {
	for _, c := range events {
		w.d.outcomes <- &outcome{Claimed: c, due: due, failures: c.Failures}
	}
}

// attempt makes one attempt and passes on its outcome.
func (w *endpointWorker) attempt(ctx context.Context, t *target, keys [][]byte, c *Claimed, probe bool) {
	w.d.slots <- struct{}{}
	defer func() { <-w.d.slots }()
	now := w.d.o.Now()
	if ctx.Err() != nil || c.Lease.Before(now.Add(w.d.o.Timing.Timeout+commitMargin)) { // it has waited for too long
		w.cancelProbe(probe, now)
		w.release([]*Claimed{c}, now)
		return
	}
	r := w.d.poster.Post(ctx, &Request{URL: t.url, EventID: c.ID, Body: []byte(c.Body), Keys: keys})
	end := w.d.o.Now()
	o := &outcome{Claimed: c, attempted: true, at: now, result: r, failures: c.Failures}
	switch {
	case r.Class == OK:
		o.delivered = end
	case ctx.Err() != nil: // the process ends, for which the endpoint is not to blame
		o.due = end
		w.cancelProbe(probe, end)
		w.d.outcomes <- o
		return
	default:
		o.failures++
		if wait, more := w.d.o.Timing.Next(o.failures, r.RetryAfter); more {
			o.due = end.Add(wait)
		} else {
			o.failed = end
		}
	}
	w.d.o.Metrics.Attempt(string(r.Class), r.Took, !o.failed.IsZero())
	w.recordOutcome(t, o, probe, end)
}

// signingKeys opens the secrets that sign now.
func (d *Dispatcher) signingKeys(owner string, t *target, now time.Time) ([][]byte, error) {
	sealed := []string{t.secret}
	if t.previous != "" && now.Before(t.previousUntil) {
		sealed = append(sealed, t.previous)
	}
	var keys [][]byte
	for _, s := range sealed {
		secret, err := d.box.Open(s, owner)
		if err != nil {
			return nil, err
		}
		key, err := ParseSecret(string(secret))
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}
