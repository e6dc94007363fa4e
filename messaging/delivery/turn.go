package delivery

import (
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/breaker"
)

// A turn is a message's permission to be submitted.
type turn struct {
	worker     *worker
	id         string
	line       *line // nil: no order is kept
	probe      bool  // it is the circuit breaker's test message
	released   bool  // the next message of the line can be sent
	ended      bool
	takesBack  bool // the message might come first again, so those behind it in its line are read again with it
	repeated   bool // the gateway is called with the message again; until it was marked as begun, those behind it were not read
	unreadable bool // the message cannot be read, see errUnreadable; it is tried again after lookMargin
}

// callEnded releases the next message of the line, after the gateway has responded or, if called is false, was not
// called. class is the class of the failure, or "" for success.
func (t *turn) callEnded(called bool, class gateway.Class) {
	w := t.worker
	w.mu.Lock()
	defer w.mu.Unlock()
	t.releaseLine(called, class)
}

func (t *turn) releaseLine(called bool, class gateway.Class) {
	if t.released {
		return
	}
	t.released = true
	w := t.worker
	now := w.s.o.Now()
	switch {
	case called:
		w.health.record(now, class)
		var changed bool
		if w.breaker, changed = w.breaker.Next(breakerLimits, breakerEvent(class, t.probe), now); changed {
			w.s.storePause(w)
		}
	case t.probe:
		w.breaker, _ = w.breaker.Next(breakerLimits, breaker.ProbeCanceled, now)
	}
	if t.line != nil {
		if t.takesBack || t.repeated {
			w.dropLine(t.line) // what was read of it can have gaps
		}
		t.line.busy = false
		w.reposition(t.line)
		if len(t.line.waiting) > 0 {
			w.signal()
		}
	}
}

// end ends the turn, after the outcome has been written.
func (t *turn) end() {
	w := t.worker
	w.mu.Lock()
	t.releaseLine(false, "")
	if !t.ended {
		t.ended = true
		w.inFlight--
		<-w.s.slots
		if t.unreadable {
			time.AfterFunc(lookMargin, func() { w.remove(t.id); w.refresh() })
		} else {
			w.release(t.id)
		}
		if t.takesBack { // the message itself is read again
			w.allRead, w.readAgain, w.mayHaveDue = false, true, true
		}
	}
	waits := len(w.codes)+len(w.readyLines) > 0 || (!w.allRead && len(w.held) < maxHeld)
	w.mu.Unlock()
	if waits {
		w.signal()
	}
}
