package delivery

import (
	"context"
	"sync"
	"time"

	"griot/internal/breaker"
	"griot/messaging/outbox"
)

const (
	lineMost   = 64   // messages of one order key that a worker holds: one person's many hide nobody else's
	lineLow    = 16   // with as few left, more are read
	heldMost   = 1024 // messages that a worker holds before it reads no more
	readSize   = 256
	idleTime   = 30 * time.Second // without anything to do, until a worker ends
	retryRead  = time.Second      // after the database failed
	windowSize = 64               // messages of a sender that may be under way at once, unless its gateway says otherwise
)

// worker delivers for one sender: it holds the messages whose turn comes next, and lets each go when those before it
// have gone, at the gateway's pace, within the window, and not while the sender fails.
//
// What it holds are keys that it has read from the outbox; what is accepted is not handed to it, but read. So whatever
// waits in the database is before everything that it does not hold.
type worker struct {
	s      *Service
	sender string
	poked  chan struct{}

	mu        sync.Mutex
	closed    bool
	under     int                 // messages under way: until what came of them is written down
	held      map[string]struct{} // ids of messages that wait here or are under way
	lines     map[string]*line    // by order key
	heads     lineHeap            // lines whose first may go as far as the line is concerned
	codes     []outbox.Entry      // codes and other sensitive messages: first, and behind nobody
	delayed   []delayed           // codes that the gateway's pace for one recipient keeps back
	complete  bool                // all that is ready is held, but of the lines that are full
	reading   bool
	full      map[string]bool // order keys of which more may wait than are held
	rested    time.Time       // nothing goes before
	due       bool            // there may be messages whose time has come
	idleSince time.Time
	breaker   breaker.State
	pace      *pace
	after     bool // another node had the sender until now, and may just have used up its pace
	health    Health
}

// startLocked makes a sender's worker. busy is what another node may still be handing over.
func (s *Service) startLocked(senderID string, o outbox.Ownership, busy []outbox.Entry) *worker {
	w := &worker{s: s, sender: senderID, poked: make(chan struct{}, 1), held: map[string]struct{}{}, lines: map[string]*line{}, full: map[string]bool{}, due: true}
	w.after = o.TakenOver
	w.breaker = restoreBreaker(o.Pause, s.o.Now())
	w.health = s.past[senderID]
	for _, entry := range busy {
		if entry.OrderKey != "" {
			w.line(entry.OrderKey).until = entry.Due
		}
	}
	s.workers[senderID] = w
	if s.running {
		s.working.Go(func() { w.run(s.ctx) })
	}
	w.poke()
	return w
}

func (w *worker) poke() {
	select {
	case w.poked <- struct{}{}:
	default:
	}
}

// changed says that there may be more messages than the worker knows of.
func (w *worker) changed() {
	w.mu.Lock()
	w.complete, w.due = false, true
	w.mu.Unlock()
	w.poke()
}

// close lets go of what waits. What is under way goes on.
func (w *worker) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.poke()
}

// over reports whether the sender may have gone to another node. A lease that is held anew is not the one of the worker's time.
func (w *worker) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// run reads what waits and lets it go, until there is nothing to do for a while, or ctx ends.
func (w *worker) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.read(ctx); err != nil && ctx.Err() == nil {
			w.s.o.Log.Error("reading what waits", "senderId", w.sender, "err", err)
			w.changed()
			select {
			case <-ctx.Done():
			case <-time.After(retryRead):
			}
			continue
		}
		wait, over := w.start()
		if over {
			return
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-w.poked:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// start lets those go whose turn has come. It returns how long to wait for the next, and true when the worker has ended.
func (w *worker) start() (wait time.Duration, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, true
	}
	now := w.s.o.Now()
	w.free(now)
	for w.startNext(now) {
	}
	return w.nextLook(now), w.idle(now)
}

// startNext lets the next message go, or puts its line off. It reports false when nothing may go now.
func (w *worker) startNext(now time.Time) bool {
	var l *line
	var entry outbox.Entry
	switch {
	case len(w.codes) > 0:
		entry = w.codes[0]
	case len(w.heads) > 0:
		l = w.heads[0]
		entry = l.waiting[0]
	default:
		return false
	}
	t, no := w.admit(now, entry)
	if t == nil && !no.line {
		return false
	}
	if l == nil {
		w.codes = w.codes[1:]
	}
	switch {
	case t != nil:
		if l != nil {
			l.waiting = l.waiting[1:]
			w.place(l)
			w.more(l)
		}
		w.s.calls.Go(func() { w.s.deliver(t, entry) })
	case l != nil:
		l.after = now.Add(no.wait)
		w.place(l)
	default:
		w.delayed = append(w.delayed, delayed{entry, now.Add(no.wait)})
	}
	return true
}

// more reads on where few are left of a line that was full.
func (w *worker) more(l *line) {
	if w.full[l.key] && len(l.waiting) <= lineLow {
		delete(w.full, l.key)
		w.complete = false
		w.poke()
	}
}

// nextLook is how long until something may go by itself.
func (w *worker) nextLook(now time.Time) time.Duration {
	wait := idleTime
	soon := func(t time.Time) {
		if d := t.Sub(now); !t.IsZero() && d > 0 {
			wait = min(wait, d)
		}
	}
	soon(w.rested)
	for _, d := range w.delayed {
		soon(d.after)
	}
	for _, l := range w.lines {
		soon(l.after)
		soon(l.until)
	}
	return wait
}

// idle ends a worker that has had nothing to do for a while.
func (w *worker) idle(now time.Time) bool {
	if len(w.held) > 0 || w.under > 0 || !w.complete || w.due || !w.breaker.Closed() || len(w.lines) > 0 {
		w.idleSince = time.Time{}
		return false
	}
	if w.idleSince.IsZero() || now.Before(w.idleSince) {
		w.idleSince = now
	}
	if now.Sub(w.idleSince) < idleTime {
		return false
	}
	w.closed = true
	w.s.working.Go(func() { w.s.ended(w) })
	return true
}

// ended forgets a worker that has ended, and gives its sender back.
func (s *Service) ended(w *worker) {
	s.mu.Lock()
	mine := s.workers[w.sender] == w
	if mine {
		delete(s.workers, w.sender)
		s.past[w.sender] = w.health // nobody else has the worker any more
	}
	s.mu.Unlock()
	if !mine {
		return
	}
	if err := s.outbox.ReleaseSender(s.ctx, w.sender); err != nil && s.ctx.Err() == nil {
		s.o.Log.Error("giving a sender back", "senderId", w.sender, "err", err)
	}
}
