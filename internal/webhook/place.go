package webhook

import "time"

const (
	maxPlaces      = 32               // of one endpoint; further events are stored as due
	maxAllPlaces   = maxInFlight      // of all endpoints
	ownedForPlaces = 10 * time.Second // an endpoint is offered only if it belongs to this process for at least this time
)

// Place is an attempt at an endpoint that is reserved for an event that is being stored as claimed. It saves the
// transaction that claims the event. Store the event with version [FirstClaim], due at the end of Lease. Then call
// [Place.Ended] once.
type Place struct {
	Lease time.Time

	w     *endpointWorker
	read  reading
	event Claimed
}

// Hold sets the event of the place.
func (p *Place) Hold(eventID, body string) {
	p.event = Claimed{OwnerID: p.w.owner, ID: eventID, Body: body, Version: FirstClaim, Lease: p.Lease}
}

// Ended delivers the event if it was committed. Otherwise it releases the place. It doesn't wait.
func (p *Place) Ended(committed bool) {
	if !committed {
		p.w.leave()
		return
	}
	go func() {
		defer p.w.leave()
		p.w.deliver(p)
	}()
}

// offer implements [Signal.Offer].
func (d *Dispatcher) offer(owner string) *Place {
	now := d.o.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.workers[owner]
	if w == nil || !d.offering || d.places == maxAllPlaces {
		return nil
	}
	p := w.take(now)
	if p != nil {
		d.places++
		d.running.Add(1)
	}
	return p
}

// take returns a place, or nil if an event must wait for a claim, because the settings must be read again, the endpoint
// doesn't work, or other events wait.
func (w *endpointWorker) take(now time.Time) *Place {
	w.mu.Lock()
	defer w.mu.Unlock()
	health := &w.health
	switch {
	case !w.open, now.Sub(w.known.readAt) >= targetFor, w.known.changes != w.d.o.Signal.Changes(), w.known.ownedUntil.Before(now.Add(ownedForPlaces)),
		w.failing, !health.breaker.Closed(), !health.disabledAt.IsZero(), w.places == maxPlaces:
		return nil
	}
	w.places++
	return &Place{w: w, read: w.known.reading, Lease: now.Add(w.d.lease())}
}

// leave releases a place.
func (w *endpointWorker) leave() {
	w.mu.Lock()
	w.places--
	w.mu.Unlock()
	w.d.mu.Lock()
	w.d.places--
	w.d.mu.Unlock()
	w.d.running.Done()
}

// deliver attempts the event of a place. If the settings have changed, or the endpoint can no longer be called, it
// makes the event due.
func (w *endpointWorker) deliver(p *Place) {
	probe, ok := w.begin(w.d.ctx)
	if ok {
		defer w.end()
	}
	if !ok || !w.current(w.d.ctx, &p.read) {
		now := w.d.o.Now()
		w.cancelProbe(probe, now)
		w.release([]*Claimed{&p.event}, now)
		return
	}
	w.attempt(w.d.attempts, p.read.target, &p.event, probe)
}
