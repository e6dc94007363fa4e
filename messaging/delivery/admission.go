package delivery

import (
	"context"
	"math/rand/v2"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/breaker"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/limit"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
)

const (
	connectWait = time.Second // for a gateway that is connecting
	probeWait   = time.Second // while a probe of the sender is in flight
	pausedWait  = time.Second // while the account has paused the sender
)

// A postponement is the time for which a message without a turn has to wait. The zero value means until a call has ended.
type postponement struct {
	wait     time.Duration
	lineOnly bool // only this recipient's messages wait
}

// admit gives a message its turn, if the window, the circuit breaker, and the gateway's pace allow it.
func (w *worker) admit(now time.Time, entry outbox.Entry) (*turn, postponement) {
	if w.closed || w.s.stopping.Load() || !w.s.lease.holds() {
		return nil, postponement{}
	}
	if w.s.isPaused(w.sender) {
		return nil, postponement{wait: pausedWait}
	}
	if wait := w.pausedUntil.Sub(now); wait > 0 {
		return nil, postponement{wait: wait}
	}
	w.pausedUntil = time.Time{}
	window, paced, connecting := w.s.gatewayLimits(entry)
	if connecting {
		w.pausedUntil = now.Add(connectWait)
		return nil, postponement{wait: connectWait}
	}
	if w.inFlight >= window {
		return nil, postponement{}
	}
	select {
	case w.s.slots <- struct{}{}:
	default: // all senders together have reached maxInFlight
		return nil, postponement{}
	}
	probe, postponed := w.allow(now, paced, entry.Address)
	if postponed.wait > 0 {
		<-w.s.slots
		if !postponed.lineOnly {
			w.pausedUntil = now.Add(postponed.wait)
		}
		return nil, postponed
	}
	t := &turn{worker: w, id: entry.ID, probe: probe}
	w.inFlight++
	w.held[entry.ID] = struct{}{}
	if entry.OrderKey != "" {
		t.line = w.line(entry.OrderKey)
		t.line.busy = true
	}
	return t, postponement{}
}

// allow checks the circuit breaker and the pace.
func (w *worker) allow(now time.Time, p gateway.Pace, address string) (probe bool, postponed postponement) {
	if wait := w.breaker.Wait(now); wait > 0 {
		return false, postponement{wait: wait}
	}
	if w.breaker.Probing() {
		return false, postponement{wait: probeWait}
	}
	if postponed = w.allowPace(p, address); postponed.wait > 0 {
		return false, postponed
	}
	if probe = w.breaker.ProbeDue(now); probe {
		w.breaker, _ = w.breaker.Next(breakerLimits, breaker.ProbeStarted, now)
	}
	return probe, postponement{}
}

// allowPace checks the pace.
func (w *worker) allowPace(p gateway.Pace, address string) (postponed postponement) {
	if p.Sender == 0 && p.Pair == 0 {
		return postponement{}
	}
	if w.pace == nil || w.pace.config != p { // for the first message, or if the gateway has changed its pace
		w.pace = newPace(w.s.o.Now, p, w.takenOver || w.pace != nil)
		w.takenOver = false
	}
	if postponed = w.pace.reserve(address); postponed.wait > 0 {
		postponed.wait += w.pace.jitter()
	}
	return postponed
}

// turnFor returns a turn for a message that is about to be accepted, if its gateway can be called right after the
// commit. Otherwise, turnSoon reports whether its turn is likely to come soon.
func (s *Service) turnFor(ctx context.Context, a *account.Account, m *message.Message) (t *turn, turnSoon bool) {
	w := s.workerOrClaim(ctx, m.SenderID)
	if w == nil {
		return nil, true
	}
	if m.Options.MediaURL != "" || s.warmUpDay(a, m) != nil || s.resuming.Load() > 0 {
		return nil, true
	}
	if w.mustReadFirst() {
		if err := w.read(ctx); err != nil {
			return nil, true // the worker will read it again
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := s.o.Now()
	entry := outbox.EntryOf(m)
	switch {
	case entry.OrderKey == "" && len(w.codes) > 0:
		return nil, true
	case entry.OrderKey == "":
	case w.lines[entry.OrderKey] != nil, !w.allRead, w.reading, w.dueReads > 0, w.full[entry.OrderKey]:
		return nil, w.turnIsNear(now, entry)
	case len(w.codes)+len(w.readyLines) > 0: // waiting messages come first
		return nil, w.pace == nil && w.turnIsNear(now, entry)
	}
	t, postponed := w.admit(now, entry)
	return t, postponed.wait == 0
}

// turnIsNear reports whether a message waits only for earlier messages, as far as is known.
func (w *worker) turnIsNear(now time.Time, entry outbox.Entry) bool {
	if now.Before(w.pausedUntil) || w.s.isPaused(w.sender) {
		return false
	}
	if l := w.lines[entry.OrderKey]; l != nil && (now.Before(l.pacedUntil) || now.Before(l.otherNodeUntil)) {
		return false
	}
	if w.pace == nil || w.pace.pair == nil {
		return true
	}
	ok, _ := w.pace.pair.Check(entry.Address)
	return ok
}

// gatewayLimits returns the limits of a message's gateway: the maximum number of calls in flight per sender, its
// pace, and whether it is connecting. A removed gateway has no limits, and the attempt fails with the reason.
func (s *Service) gatewayLimits(entry outbox.Entry) (window int, p gateway.Pace, connecting bool) {
	g := s.o.Gateways.Get(entry.Gateway)
	if g == nil {
		return defaultWindow, p, false
	}
	i := g.Info()
	if window = i.Window; window <= 0 {
		window = defaultWindow
	}
	p = i.Pace
	if c, ok := g.(gateway.Pacer); ok {
		p = c.PaceOf(entry.From)
	}
	if c, ok := g.(gateway.Connector); ok {
		connecting = c.State(entry.Channel, entry.From).State == gateway.Connecting
	}
	return window, p, connecting
}

// A pace limits the rate of calls to a gateway.
type pace struct {
	config       gateway.Pace
	sender, pair *limit.Limiter
}

// newPace returns an unused pace or, if used is set, one that the sender has used up.
func newPace(now func() time.Time, p gateway.Pace, used bool) *pace {
	limiter := func(every time.Duration, of func(clock.Now, int, time.Duration, int) *limit.Limiter) *limit.Limiter {
		if every == 0 {
			return nil
		}
		return of(now, 1, every, max(p.Burst, 1))
	}
	sender := limit.New
	if used {
		sender = limit.NewEmpty
	}
	return &pace{p, limiter(p.Sender, sender), limiter(p.Pair, limit.New)}
}

// reserve reserves a message's place in the pace, or returns how long the message has to wait.
func (p *pace) reserve(address string) postponement {
	if p.pair != nil {
		if ok, wait := p.pair.Check(address); !ok {
			return postponement{wait, true}
		}
	}
	if p.sender != nil {
		if ok, wait := p.sender.Allow(""); !ok {
			return postponement{wait: wait}
		}
	}
	if p.pair != nil {
		p.pair.Allow(address)
	}
	return postponement{}
}

// jitter extends the wait of a slow pace at random, because some providers block senders whose messages are evenly spaced.
func (p *pace) jitter() time.Duration {
	every := max(p.config.Sender, p.config.Pair)
	if every < time.Second {
		return 0
	}
	return time.Duration(rand.Float64() * retryJitter * float64(every))
}

// storePause stores the breaker's pause for the sender's next owner.
func (s *Service) storePause(w *worker) {
	p := outbox.Pause{Lasts: w.breaker.Pause, Until: w.breaker.Until}
	s.calls.Go(func() {
		if err := s.outbox.SetPause(s.ctx, w.sender, p); err != nil && s.ctx.Err() == nil {
			s.o.Log.Error("keeping a circuit breaker's pause", "senderId", w.sender, "err", err)
		}
	})
}

// shiftTimes corrects the worker's times after the clock was set back.
func (w *worker) shiftTimes(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.breaker = w.breaker.SetBack(by)
	shift := func(t *time.Time) {
		if !t.IsZero() {
			*t = t.Add(-by)
		}
	}
	shift(&w.pausedUntil)
	for i := range w.delayed {
		shift(&w.delayed[i].notBefore)
	}
	for l := range w.postponed {
		shift(&l.otherNodeUntil)
		shift(&l.pacedUntil)
	}
	w.mayHaveDue = true
	w.signal()
}
