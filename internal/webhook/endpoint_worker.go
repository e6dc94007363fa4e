package webhook

import (
	"context"
	"net/http"
	"sync"
	"time"

	"griot/internal/db"
)

// Bounds of how many events a pump claims at once: as many as the endpoint takes in a while.
const (
	claimLeast = PerEndpoint
	claimMost  = 512
	quick      = 250 * time.Millisecond
	slow       = 2 * time.Second
)

// pump brings one owner's events to its endpoint. It ends when none is due and
// none is being tried. What it learns of the endpoint it stores.
type pump struct {
	d     *Dispatcher
	owner string
	woken chan struct{}
	owned time.Time // until when the endpoint is this process's

	mu      sync.Mutex
	free    sync.Cond // a try has ended, or tries shall end
	size    int       // of the next claim
	flying  int
	careful bool // the last try failed: one at a time
	record  record
	breaker Breaker
	learned time.Time // when the record was stored last
}

func newPump(d *Dispatcher, owner string) *pump {
	p := &pump{d: d, owner: owner, woken: make(chan struct{}, 1), size: claimLeast}
	p.free.L = &p.mu
	p.breaker.Timing = &d.o.Timing
	p.record.changedAt = -1 // nothing is known
	return p
}

func (p *pump) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// run claims and tries until nothing is due, or ctx ends. tries is what tries run under.
func (p *pump) run(ctx, tries context.Context) {
	defer context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.free.Broadcast()
	})()
	for next := p.claim(ctx); ; {
		switch {
		case len(next.claimed) > 0:
			next = p.tryAll(ctx, tries, next)
		case p.rest(ctx):
			return
		default:
			next = p.claim(ctx)
		}
	}
}

// batch is what was claimed at once.
type batch struct {
	*target
	claimed []*Claimed
	full    bool // there may be more
}

// rest waits until there may be more to do. It reports true when the pump has ended.
func (p *pump) rest(ctx context.Context) (ended bool) {
	for {
		p.mu.Lock()
		flying := p.flying
		p.mu.Unlock()
		if flying == 0 || ctx.Err() != nil {
			return p.d.retire(p) || ctx.Err() != nil
		}
		select {
		case <-p.woken:
			return false
		case <-ctx.Done():
		case <-time.After(pollEvery): // its tries may have ended
		}
	}
}

// claim takes events that are due, if the endpoint may be tried. What was begun is not stopped by ctx: a commit that nobody
// waits for would leave events claimed, and due only when their leases end.
func (p *pump) claim(ctx context.Context) batch {
	now := p.d.o.Now()
	n, wait := p.allowance(now)
	if wait || ctx.Err() != nil {
		return batch{}
	}
	var t *target
	var claimed []*Claimed
	lease, owned := now.Add(p.d.lease()), p.owned
	renewal := now.Add(ownTime)
	err := p.d.o.DB.Write(context.WithoutCancel(ctx), func(tx *db.Tx) (err error) {
		claimed, owned = nil, p.owned
		if t, err = p.d.o.Queue.target(&tx.Query, p.owner, p.d.process, now); err != nil || t == nil {
			return err
		}
		if owned.Before(now.Add(ownTime / 2)) {
			mine, err := p.d.o.Queue.own(tx, p.owner, p.d.process, now, renewal)
			if err != nil || !mine {
				return err
			}
			owned = renewal
		}
		claimed, err = p.d.o.Queue.Claim(tx, p.owner, now, lease, n)
		return err
	})
	if err != nil {
		p.d.o.Log.Error("claiming events", p.d.o.Queue.t.Log, p.owner, "err", err)
	}
	if err != nil || t == nil {
		return batch{}
	}
	p.remember(&t.record, p.owned.Before(now)) // another process may have had it since
	p.owned = owned
	return batch{t, claimed, len(claimed) == n}
}

// claimAhead claims while the batch before is still being tried.
func (p *pump) claimAhead(ctx context.Context) <-chan batch {
	ahead := make(chan batch, 1)
	p.d.all.Go(func() { ahead <- p.claim(ctx) })
	return ahead
}

// ailing reports whether the endpoint's last try failed.
func (p *pump) ailing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.careful
}

// allowance is how many events may be claimed now: one while the breaker asks whether the endpoint is back.
func (p *pump) allowance(now time.Time) (n int, wait bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.breaker.Open(now):
		return 0, true
	case p.breaker.Probing(now):
		return 1, p.flying > 0
	}
	return p.size, false
}

// remember takes over what the database knows of the endpoint when that is new:
// another process had it, or somebody has changed it.
func (p *pump) remember(r *record, lapsed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.record.changedAt != r.changedAt:
		p.breaker = Breaker{Timing: &p.d.o.Timing}
	case !lapsed:
		return
	}
	p.record, p.careful = *r, p.careful && lapsed || r.pause > 0
	p.breaker.Restore(r.pause, r.pauseUntil)
}

// tryAll tries claimed events, as many at once as the endpoint may have, and gives
// back those that its state or the end of the process leaves no time for. It returns the next batch.
func (p *pump) tryAll(ctx, tries context.Context, b batch) batch {
	keys, err := p.d.keys(p.owner, b.target, p.d.o.Now())
	if err != nil {
		p.d.o.Log.Error("opening a webhook secret", p.d.o.Queue.t.Log, p.owner, "err", err)
		p.giveBack(b.claimed, p.d.o.Now().Add(p.d.lease()))
		return batch{}
	}
	started := p.d.o.Now()
	var ahead <-chan batch
	for i, c := range b.claimed {
		if !p.acquire(ctx) {
			p.giveBack(b.claimed[i:], p.d.o.Now())
			break
		}
		p.d.all.Go(func() {
			defer p.release()
			p.try(tries, b.target, keys, c)
		})
		if ahead == nil && b.full && 2*i >= len(b.claimed) {
			ahead = p.claimAhead(ctx)
		}
	}
	p.adapt(p.d.o.Now().Sub(started))
	if ahead != nil {
		return <-ahead
	}
	return p.claim(ctx)
}

// adapt makes the next claims larger or smaller by how long one has kept the endpoint busy.
func (p *pump) adapt(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case took < quick:
		p.size = min(2*p.size, claimMost)
	case took > slow:
		p.size = max(p.size/2, claimLeast)
	}
}

// acquire waits until one more try may begin. It reports false when none may: the
// breaker has opened, or ctx has ended.
func (p *pump) acquire(ctx context.Context) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		most, now := PerEndpoint, p.d.o.Now()
		if p.careful {
			most = 1
		}
		switch {
		case ctx.Err() != nil, p.breaker.Open(now), !p.record.disabledAt.IsZero():
			return false
		case p.flying < most:
			p.flying++
			return true
		}
		p.free.Wait()
	}
}

func (p *pump) release() {
	p.mu.Lock()
	p.flying--
	p.free.Broadcast()
	p.mu.Unlock()
}

// giveBack returns claims untried, to be claimed again at due.
func (p *pump) giveBack(claimed []*Claimed, due time.Time) {
	for _, c := range claimed {
		p.d.done <- &finish{Claimed: c, due: due, tries: c.Tries}
	}
}

// try makes one try and passes on how it ended.
func (p *pump) try(ctx context.Context, t *target, keys [][]byte, c *Claimed) {
	p.d.slots <- struct{}{}
	defer func() { <-p.d.slots }()
	now := p.d.o.Now()
	if ctx.Err() != nil || c.Lease.Before(now.Add(p.d.o.Timing.Timeout+commitMargin)) { // it waited its turn for too long
		p.giveBack([]*Claimed{c}, now)
		return
	}
	r := p.d.poster.Post(ctx, &Request{URL: t.url, EventID: c.ID, Body: []byte(c.Body), Keys: keys})
	end := p.d.o.Now()
	f := &finish{Claimed: c, tried: true, at: now, result: r, tries: c.Tries}
	switch {
	case r.Class == OK:
		f.delivered = end
	case ctx.Err() != nil: // the process ends: not the endpoint's fault
		f.due = end
	default:
		f.tries++
		if wait, more := p.d.o.Timing.Next(f.tries, r.RetryAfter); more {
			f.due = end.Add(wait)
		} else {
			f.failed = end
		}
	}
	p.d.done <- f
	if r.Class == OK || ctx.Err() == nil {
		p.learn(t, &r, end)
	}
}

// learn draws what there is to learn about the endpoint from a try.
func (p *pump) learn(t *target, r *Result, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.changedAt != p.record.changedAt { // it was another endpoint then
		return
	}
	rec, timing := &p.record, &p.d.o.Timing
	rec.lastStatus = r.Status
	urgent := false
	if r.Class == OK {
		urgent = p.breaker.Succeeded(now) || !rec.failingSince.IsZero() || rec.successAt.IsZero()
		rec.failingSince, rec.successAt, p.careful = time.Time{}, now, false
	} else {
		if rec.failingSince.IsZero() || now.Sub(rec.failureAt) > timing.Gap {
			rec.failingSince, urgent = now, true
		}
		rec.failureAt, p.careful = now, true
		urgent = p.breaker.Failed(now) || urgent
		if r.RetryAfter > 0 && (r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable) {
			p.breaker.Hold(now, r.RetryAfter)
			urgent = true
		}
		urgent = p.disables(r, now) || urgent
	}
	rec.pause, rec.pauseUntil = p.breaker.State()
	if urgent || now.Sub(p.learned) >= learnEvery {
		p.learned = now
		p.d.learns <- &lesson{p.owner, *rec}
	}
}

// disables reports whether a failure ends the endpoint, and notes that.
func (p *pump) disables(r *Result, now time.Time) bool {
	rec := &p.record
	switch {
	case !rec.disabledAt.IsZero():
		return false
	case r.Class == Gone:
		rec.disabledFor = ForGone
	case now.Sub(rec.failingSince) >= p.d.o.Timing.GiveUp:
		rec.disabledFor = ForFailing
	default:
		return false
	}
	rec.disabledAt = now
	return true
}

// keys opens the secrets that sign now.
func (d *Dispatcher) keys(owner string, t *target, now time.Time) ([][]byte, error) {
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
