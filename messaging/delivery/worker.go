package delivery

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.com/griot/internal/breaker"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
)

const (
	maxLine       = 64   // maximum number of messages of one order key that a worker holds, so that they do not block others
	lineLowMark   = 16   // number of messages of a full line at which more are read
	maxHeld       = 1024 // maximum number of messages that a worker holds
	readSize      = 256
	readLowMark   = 128              // number of messages that can be sent immediately at which more are read
	idleTime      = 30 * time.Second // time after which an idle worker ends
	readRetry     = time.Second      // after an error of the database
	defaultWindow = 64               // maximum number of a sender's messages in flight, unless its gateway has another window
)

// A worker sends the messages of one sender. It holds entries of the next messages and submits each one in its turn:
// in the order of its line, at the gateway's pace, within the window, and while the circuit breaker is closed.
//
// It reads the entries from the outbox and not from memory, so a crash loses none. The messages themselves can come from
// memory ([outbox.Store.Take]).
type worker struct {
	s       *Service
	sender  string
	signals chan struct{}

	mu           sync.Mutex
	closed       bool
	inFlight     int                 // messages with a turn, until their outcomes are written
	held         map[string]struct{} // IDs of messages that wait here or are in flight
	lines        map[string]*line    // by order key
	postponed    map[*line]struct{}  // those with a time before which nothing is sent
	readyLines   lineHeap            // lines whose first message can be sent
	codes        []outbox.Entry      // codes and other sensitive messages, which come first and belong to no line
	delayed      []delayed           // codes that the gateway's pace for one recipient delays
	allRead      bool                // all ready messages are held, except for full lines
	readAgain    bool                // there might be ready messages before readTo that are not held
	readTo       int64               // sequence number of the last ready message that was read
	reading      bool
	reads        int                 // reads of the outbox in progress
	dueReads     int                 // those of due messages, of which one might come before what is ready
	ended        map[string]struct{} // IDs of messages that ended during these reads, whose entries in the results are outdated
	full         map[string]bool     // order keys for which more messages might wait than are held
	drops        int                 // number of times that entries were dropped, after which the results of reads in progress are outdated
	pausedUntil  time.Time           // nothing is sent before this time
	mayHaveDue   bool                // there might be due messages
	pausedReadAt time.Time           // time of the last read of due messages while the sender was paused
	idleSince    time.Time
	breaker      breaker.State
	pace         *pace
	takenOver    bool // another node owned the sender until now, and might have used up its pace
	health       Health
}

// startLocked creates a sender's worker. busy are messages that another node might still be submitting.
func (s *Service) startLocked(senderID string, o outbox.Ownership, busy []outbox.Entry) *worker {
	w := &worker{s: s, sender: senderID, signals: make(chan struct{}, 1), held: map[string]struct{}{}, ended: map[string]struct{}{}, lines: map[string]*line{}, postponed: map[*line]struct{}{}, full: map[string]bool{}, mayHaveDue: true, readAgain: true}
	w.takenOver = o.TakenOver
	w.breaker = restoreBreaker(o.Pause, s.o.Now())
	w.health = s.pastHealth[senderID]
	for _, entry := range busy {
		if entry.OrderKey != "" {
			l := w.line(entry.OrderKey)
			if entry.Due.After(l.otherNodeUntil) {
				l.otherNodeUntil = entry.Due
			}
			w.postponed[l] = struct{}{}
		}
	}
	s.workers[senderID] = w
	if s.running {
		s.workerGroup.Go(func() { w.run(s.ctx) })
	}
	w.signal()
	return w
}

func (w *worker) signal() {
	select {
	case w.signals <- struct{}{}:
	default:
	}
}

// refresh makes the worker read again, because there might be messages that it does not hold.
func (w *worker) refresh() {
	w.mu.Lock()
	w.allRead, w.readAgain, w.mayHaveDue = false, true, true
	w.mu.Unlock()
	w.signal()
}

// noteAccepted makes the worker read a message that was accepted: immediately if it is a code, and otherwise when the
// worker holds only a few messages, because the message is the last one.
func (w *worker) noteAccepted(m *message.Message) {
	if m.OrderKey() == "" {
		w.refresh()
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allRead = false
	if w.needsMore() {
		w.signal()
	}
}

// needsMore reports whether only a few of the held messages can be sent immediately.
func (w *worker) needsMore() bool { return len(w.codes)+len(w.readyLines) < readLowMark }

// close ends the worker. Messages in flight continue.
func (w *worker) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.signal()
}

// isClosed reports whether the worker was closed. In that case, another node might own the sender, even if the lease is valid again.
func (w *worker) isClosed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// untilAnswered repeats try after errors of the database, until there is none or the worker ends.
func (w *worker) untilAnswered(try func() error) {
	for pause := applyRetryFirst; ; pause = min(2*pause, applyRetryMax) {
		if err := try(); err == nil || errors.Is(err, errUnreadable) || errors.Is(err, db.ErrClosed) || w.isClosed() {
			return
		}
		select {
		case <-w.s.ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// run reads and starts messages until the worker was idle for idleTime, or ctx ends.
func (w *worker) run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		if err := w.read(ctx); err != nil && ctx.Err() == nil {
			w.s.o.Log.Error("reading waiting messages", "senderId", w.sender, "err", err)
			w.refresh()
			select {
			case <-ctx.Done():
			case <-time.After(readRetry):
			}
			continue
		}
		wait, over := w.startReady()
		if over {
			return
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
		case <-w.signals:
		case <-timer.C:
		}
	}
}

// startReady starts the messages whose turn has come. It returns the time to wait for the next one, and true if the worker has ended.
func (w *worker) startReady() (wait time.Duration, over bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, true
	}
	now := w.s.o.Now()
	w.endWaits(now)
	var started []*attempt
	for more := true; more; {
		var at *attempt
		if at, more = w.startNext(now); at != nil {
			started = append(started, at)
		}
	}
	if len(started) > 0 {
		w.s.calls.Go(func() { w.s.deliver(started) })
	}
	return w.nextWait(now), w.endIfIdle(now)
}

// startNext gives the next message its turn, and returns it, or postpones its line. more is false if nothing can be sent
// now.
func (w *worker) startNext(now time.Time) (at *attempt, more bool) {
	var l *line
	var entry outbox.Entry
	switch {
	case len(w.codes) > 0:
		entry = w.codes[0]
	case len(w.readyLines) > 0:
		l = w.readyLines[0]
		entry = l.waiting[0]
	default:
		return nil, false
	}
	t, postponed := w.admit(now, entry)
	if t == nil && !postponed.lineOnly {
		return nil, false
	}
	if l == nil {
		w.codes = w.codes[1:]
	}
	switch {
	case t != nil:
		if l != nil {
			l.waiting = l.waiting[1:]
			w.reposition(l)
			w.readMoreOf(l)
		}
		t.repeated = entry.Status == message.Sending
		at = &attempt{turn: t, entry: entry}
	case l != nil:
		l.pacedUntil = now.Add(postponed.wait)
		w.postponed[l] = struct{}{}
		w.reposition(l)
	default:
		w.delayed = append(w.delayed, delayed{entry, now.Add(postponed.wait)})
	}
	return at, true
}

// readMoreOf makes the worker read more of a full line that has few messages left.
func (w *worker) readMoreOf(l *line) {
	if w.full[l.key] && len(l.waiting) <= lineLowMark {
		delete(w.full, l.key)
		w.allRead, w.readAgain = false, true
		w.signal()
	}
}

// nextWait returns the time until a message can be sent without another event.
func (w *worker) nextWait(now time.Time) time.Duration {
	wait := idleTime
	soon := func(t time.Time) {
		if d := t.Sub(now); !t.IsZero() && d > 0 {
			wait = min(wait, d)
		}
	}
	soon(w.pausedUntil)
	for _, d := range w.delayed {
		soon(d.notBefore)
	}
	for l := range w.postponed {
		soon(l.pacedUntil)
		soon(l.otherNodeUntil)
	}
	return wait
}

// endIfIdle ends the worker if it was idle for idleTime.
func (w *worker) endIfIdle(now time.Time) bool {
	if len(w.held) > 0 || w.inFlight > 0 || !w.allRead || w.mayHaveDue || !w.breaker.Closed() || len(w.lines) > 0 {
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
	w.s.workerGroup.Go(func() { w.s.removeWorker(w) })
	return true
}

// removeWorker removes a worker that has ended, and releases its sender.
func (s *Service) removeWorker(w *worker) {
	s.mu.Lock()
	mine := s.workers[w.sender] == w
	if mine {
		delete(s.workers, w.sender)
		s.pastHealth[w.sender] = w.health // without the worker's lock, because no other goroutine uses it anymore
	}
	s.mu.Unlock()
	if !mine {
		return
	}
	if err := s.outbox.ReleaseSender(s.ctx, w.sender); err != nil && s.ctx.Err() == nil {
		s.o.Log.Error("releasing a sender", "senderId", w.sender, "err", err)
	}
}
