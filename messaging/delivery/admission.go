package delivery

import (
	"context"
	"math/rand/v2"
	"time"

	"griot/gateway"
	"griot/internal/breaker"
	"griot/internal/clock"
	"griot/internal/limit"
	"griot/messaging/account"
	"griot/messaging/message"
	"griot/messaging/outbox"
)

const (
	connectWait = time.Second // for a gateway that is connecting
	probeWait   = time.Second // while one message tries whether the sender works again
)

// refusal is why a message gets no turn now. Its zero value: the end of a call decides when it does.
type refusal struct {
	wait time.Duration
	line bool // only its recipient's messages wait
}

// admit gives a message its turn: within the window, not while the sender fails, and at its gateway's pace.
func (w *worker) admit(now time.Time, entry outbox.Entry) (*turn, refusal) {
	if w.closed || w.s.ending.Load() || !w.s.lease.holds() {
		return nil, refusal{}
	}
	if wait := w.rested.Sub(now); wait > 0 {
		return nil, refusal{wait: wait}
	}
	w.rested = time.Time{}
	window, paced, connecting := w.s.says(entry)
	if connecting {
		w.rested = now.Add(connectWait)
		return nil, refusal{wait: connectWait}
	}
	if w.under >= window {
		return nil, refusal{}
	}
	select {
	case w.s.slots <- struct{}{}:
	default: // all senders' calls together are many
		return nil, refusal{}
	}
	probe, no := w.allow(now, paced, entry.Address)
	if no.wait > 0 {
		<-w.s.slots
		if !no.line {
			w.rested = now.Add(no.wait)
		}
		return nil, no
	}
	t := &turn{w: w, id: entry.ID, probe: probe}
	w.under++
	w.held[entry.ID] = struct{}{}
	if entry.OrderKey != "" {
		t.line = w.line(entry.OrderKey)
		t.line.busy = true
	}
	return t, refusal{}
}

// allow asks the circuit breaker and the pace.
func (w *worker) allow(now time.Time, p gateway.Pace, address string) (probe bool, no refusal) {
	if wait := w.breaker.Wait(now); wait > 0 {
		return false, refusal{wait: wait}
	}
	if w.breaker.Probing() {
		return false, refusal{wait: probeWait}
	}
	if no = w.allowPace(p, address); no.wait > 0 {
		return false, no
	}
	if probe = w.breaker.ProbeDue(now); probe {
		w.breaker, _ = w.breaker.Next(breakerLimits, breaker.ProbeStarted, now)
	}
	return probe, refusal{}
}

// allowPace asks the pace.
func (w *worker) allowPace(p gateway.Pace, address string) (no refusal) {
	if p.Sender == 0 && p.Pair == 0 {
		return refusal{}
	}
	if w.pace == nil || w.pace.of != p { // the first of it, or it says something else now
		w.pace = newPace(w.s.o.Now, p, w.after)
		w.after = false
	}
	if no = w.pace.hold(address); no.wait > 0 {
		no.wait += w.pace.jitter()
	}
	return no
}

// offer asks for a turn for a message that is about to be accepted: it goes at once where nothing lies between its
// commit and its call. waits reports whether its turn is likely to come soon otherwise.
func (s *Service) offer(ctx context.Context, a *account.Account, m *message.Message) (t *turn, waits bool) {
	w := s.workerNow(ctx, m.SenderID)
	if w == nil {
		return nil, true
	}
	if m.Options.MediaURL != "" || s.warming(a, m) != nil {
		return nil, true
	}
	if w.unread() {
		if err := w.read(ctx); err != nil {
			return nil, true // it is read again
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
	case w.lines[entry.OrderKey] != nil, !w.complete, w.reading, w.full[entry.OrderKey]:
		return nil, w.soon(now, entry)
	case len(w.codes)+len(w.heads) > 0 && w.pace != nil: // those who wait come first
		return nil, false
	}
	t, no := w.admit(now, entry)
	return t, no.wait == 0
}

// soon reports whether only the messages before it keep a message from its turn, as far as is known.
func (w *worker) soon(now time.Time, entry outbox.Entry) bool {
	if now.Before(w.rested) {
		return false
	}
	if l := w.lines[entry.OrderKey]; l != nil && (now.Before(l.after) || now.Before(l.until)) {
		return false
	}
	if w.pace == nil || w.pace.pair == nil {
		return true
	}
	ok, _ := w.pace.pair.Check(entry.Address)
	return ok
}

// says is what the gateway of a message says of itself: how many calls may be under way for a sender, how often it may
// be asked, and whether it is connecting. One that is gone holds nobody up: the attempt says what is wrong.
func (s *Service) says(entry outbox.Entry) (window int, p gateway.Pace, connecting bool) {
	g := s.o.Gateways.Get(entry.Gateway)
	if g == nil {
		return windowSize, p, false
	}
	i := g.Info()
	if window = i.Window; window <= 0 {
		window = windowSize
	}
	if c, ok := g.(gateway.Connector); ok {
		connecting = c.State(entry.Channel, entry.From) == gateway.Connecting
	}
	return window, i.Pace, connecting
}

// pace holds what a gateway says of how often it may be asked.
type pace struct {
	of           gateway.Pace
	sender, pair *limit.Limiter
}

// newPace is a pace that nobody has used; with used, the sender may have used it up.
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

// hold returns how long the pace keeps a message to an address back.
func (p *pace) hold(address string) refusal {
	if p.pair != nil {
		if ok, wait := p.pair.Check(address); !ok {
			return refusal{wait, true}
		}
	}
	if p.sender != nil {
		if ok, wait := p.sender.Allow(""); !ok {
			return refusal{wait: wait}
		}
	}
	if p.pair != nil {
		p.pair.Allow(address)
	}
	return refusal{}
}

// jitter lengthens a wait, where messages go so seldom that the even beat of a machine could be told from a person's.
func (p *pace) jitter() time.Duration {
	every := max(p.of.Sender, p.of.Pair)
	if every < time.Second {
		return 0
	}
	return time.Duration(rand.Float64() * retryJitter * float64(every))
}

// keepPause stores the breaker's pause for the node that has the sender next.
func (s *Service) keepPause(w *worker) {
	p := outbox.Pause{Lasts: w.breaker.Pause, Until: w.breaker.Until}
	s.calls.Go(func() {
		if err := s.outbox.SetPause(s.ctx, w.sender, p); err != nil && s.ctx.Err() == nil {
			s.o.Log.Error("keeping a circuit breaker's pause", "senderId", w.sender, "err", err)
		}
	})
}

// setBack shifts what the worker remembers by a step back of the clock.
func (w *worker) setBack(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.breaker = w.breaker.SetBack(by)
	shift := func(t *time.Time) {
		if !t.IsZero() {
			*t = t.Add(-by)
		}
	}
	shift(&w.rested)
	for i := range w.delayed {
		shift(&w.delayed[i].after)
	}
	for _, l := range w.lines {
		shift(&l.until)
		shift(&l.after)
	}
	w.due = true
	w.poke()
}
