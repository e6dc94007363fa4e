package webhook

import (
	"context"
	"sync"
	"time"

	"example.com/griot/internal/breaker"
	"example.com/griot/internal/db"
)

// The size of a claim adapts to the speed of the endpoint, within these bounds.
const (
	minClaim  = PerEndpoint
	maxClaim  = 512
	quickTime = 250 * time.Millisecond // the claim size doubles if a claim is delivered faster
	slowTime  = 2 * time.Second        // the claim size is halved if a claim takes longer
)

const (
	stayFor    = 30 * time.Second // time after which a worker without work ends
	maxStaying = 4096             // workers; further ones end as soon as they have no work
	targetFor  = time.Second      // time until a target is read again, so that changes by other processes are seen
)

// endpointWorker delivers one owner's events to its endpoint. It waits for further events for [stayFor], so that an
// occasional event needs only one claim, and neither a new worker nor another read of the settings.
type endpointWorker struct {
	d     *Dispatcher
	owner string
	woken chan struct{}

	passedOn uint64 // number of the health that the writer of outcomes has stored last; only the writer uses it

	mu        sync.Mutex // held only briefly, because goroutines that store events take it
	changed   sync.Cond  // an attempt has ended, or attempts must end
	known     known      // the result of the last claim; only claims change it, one at a time
	open      bool       // events can skip the claim, because the last one found fewer events than its limit
	places    int        // number of places reserved for such events
	claimSize int        // of the next claim
	inFlight  int
	failing   bool // the last attempt failed, so attempts are made one at a time
	health    endpointHealth
	savedAt   time.Time // time of the last write of health
	numbered  uint64    // its [endpointHealth.number]
}

// reading is an endpoint as it was read.
type reading struct {
	target  *target   // nil: it must be read
	readAt  time.Time // time at which target was read
	changes uint64    // value of [Signal.Changes] at that time
}

// known is the data that a claim has read about an endpoint.
type known struct {
	reading
	ownedUntil time.Time // the endpoint belongs to this process until then
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

// run claims and delivers until there has been no work for a while, or ctx ends. attempts is the context of attempts.
func (w *endpointWorker) run(ctx, attempts context.Context) {
	defer context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.changed.Broadcast()
	})()
	for ended := false; !ended; ended = w.idle(ctx) {
		for next := w.claim(ctx); len(next.events) > 0; {
			next = w.attemptAll(ctx, attempts, next)
		}
	}
}

// idle waits until the poll has found due events. It returns true if the worker has ended.
func (w *endpointWorker) idle(ctx context.Context) (ended bool) {
	stay := time.NewTimer(w.d.stayFor())
	defer stay.Stop()
	for {
		select {
		case <-w.woken:
			return false
		case <-ctx.Done():
			w.d.removeWorker(w)
			return true
		case <-stay.C:
			if w.d.removeWorker(w) {
				return true
			}
			stay.Reset(stayFor)
		}
	}
}

// busy reports whether attempts are in flight or reserved.
func (w *endpointWorker) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inFlight > 0 || w.places > 0
}

// batch is the result of one claim.
type batch struct {
	reading
	events []*Claimed
	full   bool // more events might be due
}

// claim claims due events, if the endpoint can be called. It first reads the endpoint, unless it has read it recently,
// because changed settings end a pause. The transaction continues after ctx ends. Otherwise, after a commit whose
// result was not received, events would stay claimed until their leases expire.
func (w *endpointWorker) claim(ctx context.Context) batch {
	now, changes := w.d.o.Now(), w.d.o.Signal.Changes()
	before := w.known
	lapsed, renew := before.ownedUntil.Before(now), before.ownedUntil.Before(now.Add(ownershipTime/2))
	read := renew || before.target == nil || before.changes != changes || now.Sub(before.readAt) >= targetFor
	if ctx.Err() != nil || !read && w.claimLimit(&before.target.endpointHealth, lapsed, now) == 0 {
		return batch{}
	}
	lease, renewed := now.Add(w.d.lease()), now.Add(ownershipTime)
	var after known
	var events []*Claimed
	n := 0
	err := w.d.o.DB.Write(context.WithoutCancel(ctx), func(tx *db.Tx) (err error) {
		after, events = before, nil
		if read {
			t, err := w.d.o.Queue.target(&tx.Query, w.owner, w.d.process, now)
			if after.target, after.readAt, after.changes = t, now, changes; err != nil || t == nil {
				return err
			}
		}
		if n = w.claimLimit(&after.target.endpointHealth, lapsed, now); n == 0 {
			return nil
		}
		if renew {
			mine, err := w.d.o.Queue.ownEndpoint(tx, w.owner, w.d.process, now, renewed)
			if err != nil || !mine {
				return err
			}
			after.ownedUntil = renewed
		}
		events, err = w.d.o.Queue.Claim(tx, w.owner, now, lease, n)
		return err
	})
	if err != nil {
		w.d.o.Log.Error("claiming events", w.d.o.Queue.t.Log, w.owner, "err", err)
		return batch{}
	}
	t := after.target
	if t == nil {
		w.learn(&after, lapsed, false)
		return batch{}
	}
	if err := w.d.openSecrets(w.owner, t, now); err != nil {
		w.d.o.Log.Error("opening a webhook secret", w.d.o.Queue.t.Log, w.owner, "err", err)
		w.release(events, lease)
		return batch{}
	}
	full := len(events) == n
	w.learn(&after, lapsed, !full)
	return batch{after.reading, events, full}
}

// learn stores the data that a claim has read. open means that events that are stored from now on can skip the claim.
func (w *endpointWorker) learn(k *known, lapsed, open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known, w.open = *k, open
	if k.target != nil {
		if w.health.changedAt != k.target.changedAt {
			w.savedAt = time.Time{} // the first result with the new settings is stored
		}
		w.health, w.failing = w.currentHealth(&k.target.endpointHealth, lapsed)
	}
}

// claimLimit returns the number of events that can be claimed now from an endpoint with this stored health.
func (w *endpointWorker) claimLimit(stored *endpointHealth, lapsed bool, now time.Time) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	health, _ := w.currentHealth(stored, lapsed)
	b := &health.breaker
	switch {
	case !health.disabledAt.IsZero():
		return 0
	case b.Closed():
		return w.claimSize
	case b.ProbeDue(now) && w.inFlight == 0:
		return 1
	}
	return 0
}

// claimAhead claims while the previous batch is still being delivered.
func (w *endpointWorker) claimAhead(ctx context.Context) <-chan batch {
	ahead := make(chan batch, 1)
	w.d.running.Go(func() { ahead <- w.claim(ctx) })
	return ahead
}

// attemptAll attempts claimed events, as many concurrently as the endpoint allows. It releases the events for which
// there is no time because of the endpoint's state or the end of the process, and those that wait while the settings
// change. It returns the next batch, which is empty if this one was not full. The poll finds events that were stored in
// the meantime.
func (w *endpointWorker) attemptAll(ctx, attempts context.Context, b batch) batch {
	started := w.d.o.Now()
	var ahead <-chan batch
	for i, c := range b.events {
		probe, ok := w.begin(ctx)
		if ok && !w.current(ctx, &b.reading) {
			w.cancelProbe(probe, w.d.o.Now())
			w.end()
			ok = false
		}
		if !ok {
			w.release(b.events[i:], w.d.o.Now())
			break
		}
		w.d.running.Go(func() {
			defer w.end()
			w.attempt(attempts, b.target, c, probe)
		})
		if ahead == nil && b.full && 2*i >= len(b.events) {
			ahead = w.claimAhead(ctx)
		}
	}
	w.adaptClaimSize(w.d.o.Now().Sub(started))
	switch {
	case ahead != nil:
		return <-ahead
	case b.full:
		return w.claim(ctx)
	}
	return batch{}
}

// current reports whether an endpoint is still as it was read, because a claimed event can wait for as long as the
// attempts before it take. It reads the endpoint again as rarely as claims do.
func (w *endpointWorker) current(ctx context.Context, was *reading) bool {
	now, changes := w.d.o.Now(), w.d.o.Signal.Changes()
	if was.changes == changes && now.Sub(was.readAt) < targetFor {
		return true
	}
	t, err := w.d.o.Queue.target(w.d.o.DB.Read(ctx), w.owner, w.d.process, now)
	if err != nil || t == nil || t.changedAt != was.target.changedAt {
		return false
	}
	was.readAt, was.changes = now, changes
	return true
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

// begin waits until one more attempt can start; probe reports whether it is the circuit breaker's. ok is false if none
// can.
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

// release returns claimed events without an attempt, to be claimed again at due.
func (w *endpointWorker) release(events []*Claimed, due time.Time) {
	for _, c := range events {
		w.d.outcomes <- &outcome{Claimed: c, due: due, failures: c.Failures}
	}
}

// attempt makes one attempt and passes its outcome on.
func (w *endpointWorker) attempt(ctx context.Context, t *target, c *Claimed, probe bool) {
	w.d.slots <- struct{}{}
	defer func() { <-w.d.slots }()
	now := w.d.o.Now()
	if ctx.Err() != nil || c.Lease.Before(now.Add(w.d.o.Timing.Timeout+commitMargin)) { // it has waited for too long
		w.cancelProbe(probe, now)
		w.release([]*Claimed{c}, now)
		return
	}
	body, err := w.d.prepare(ctx, c)
	if err != nil || body == nil {
		w.cancelProbe(probe, now)
		w.release([]*Claimed{c}, c.Lease)
		return
	}
	r := w.d.poster.Post(ctx, &Request{URL: t.url, EventID: c.ID, Type: w.d.o.Type, Body: body, Keys: t.keys})
	end := w.d.o.Now()
	o := &outcome{Claimed: c, attempted: true, at: now, result: r, failures: c.Failures}
	switch {
	case r.Class == OK:
		o.delivered = end
	case ctx.Err() != nil: // the process ends, which is not the endpoint's fault
		o.due = end
		w.cancelProbe(probe, end)
		w.d.outcomes <- o
		return
	case r.Status != 0 && r.Status == w.d.o.FinalStatus:
		o.failures, o.failed = o.failures+1, end
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

// prepare returns the body of an attempt at an event, or nil if the event was deleted.
func (d *Dispatcher) prepare(ctx context.Context, c *Claimed) ([]byte, error) {
	if d.o.Prepare == nil {
		return []byte(c.Body), nil
	}
	body, err := d.o.Prepare(ctx, c)
	if err != nil && ctx.Err() == nil {
		d.o.Log.Error("preparing a delivery", d.o.Queue.t.Log, c.OwnerID, "event", c.ID, "err", err)
	}
	return body, err
}

// openSecrets opens the secrets that sign now, once for each read of the target.
func (d *Dispatcher) openSecrets(owner string, t *target, now time.Time) error {
	if t.keys != nil || d.o.Queue.t.Secret == "" {
		return nil
	}
	sealed := []string{t.secret}
	if t.previous != "" && now.Before(t.previousUntil) {
		sealed = append(sealed, t.previous)
	}
	var keys [][]byte
	for _, s := range sealed {
		secret, err := d.box.Open(s, owner)
		if err != nil {
			return err
		}
		key, err := ParseSecret(string(secret))
		if err != nil {
			return err
		}
		keys = append(keys, key)
	}
	t.keys = keys
	return nil
}
