package delivery

import (
	"time"

	"griot/gateway"
	"griot/internal/breaker"
)

// turn is a message's right to be handed over.
type turn struct {
	w        *worker
	id       string
	line     *line // nil: it stands alone
	probe    bool  // it tries whether the sender works again
	released bool  // the next in line may go
	ended    bool
	putOff   bool // it could not be read: another time
}

// answered: the gateway has answered, or was not asked. The next in line may go; class is how the call failed, if it did.
func (t *turn) answered(made bool, class gateway.Class) {
	w := t.w
	w.mu.Lock()
	defer w.mu.Unlock()
	t.release(made, class)
}

func (t *turn) release(made bool, class gateway.Class) {
	if t.released {
		return
	}
	t.released = true
	w := t.w
	now := w.s.o.Now()
	switch {
	case made:
		w.health.note(now, class)
		var changed bool
		if w.breaker, changed = w.breaker.Next(breakerLimits, breakerEvent(class, t.probe), now); changed {
			w.s.keepPause(w)
		}
	case t.probe:
		w.breaker, _ = w.breaker.Next(breakerLimits, breaker.ProbeCanceled, now)
	}
	if t.line != nil {
		t.line.busy = false
		w.place(t.line)
		if len(t.line.waiting) > 0 {
			w.poke()
		}
	}
}

// end: what came of it is written down, or there is nothing to write.
func (t *turn) end() {
	w := t.w
	w.mu.Lock()
	t.release(false, "")
	if !t.ended {
		t.ended = true
		w.under--
		<-w.s.slots
		if t.putOff {
			time.AfterFunc(lookMargin, func() { w.drop(t.id); w.changed() })
		} else {
			delete(w.held, t.id)
		}
	}
	waits := len(w.codes)+len(w.heads) > 0 || (!w.complete && len(w.held) < heldMost)
	w.mu.Unlock()
	if waits {
		w.poke()
	}
}
