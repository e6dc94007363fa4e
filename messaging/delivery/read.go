package delivery

import (
	"context"
	"math"

	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
)

// read reads entries from the outbox: due ones first, then ready ones, up to maxHeld. For a paused sender, it reads
// only submitted messages whose check is due. It reads the ready ones after those that it has read, unless there might
// be others before them.
func (w *worker) read(ctx context.Context) error {
	paused, listDue := w.s.isPaused(w.sender), w.s.outbox.Due
	if paused {
		listDue = w.s.outbox.DueHandedOver
	}
	w.mu.Lock()
	ready, due := !paused && !w.allRead && !w.reading && w.dueReads == 0 && len(w.held) < maxHeld && (w.readAgain || w.needsMore()), w.mayHaveDue && (paused || len(w.held) < maxHeld)
	if now := w.s.o.Now(); paused && due {
		if due = now.Sub(w.pausedReadAt) >= pausedWait || now.Before(w.pausedReadAt); due {
			w.pausedReadAt = now
		}
	}
	skip := make([]string, 0, len(w.full))
	for key := range w.full {
		skip = append(skip, key)
	}
	n := len(w.held) + readSize
	limit := readSize
	if ready {
		if w.readAgain || !w.s.outbox.SingleNode() || w.s.resuming.Load() > 0 { // with several writers, a message can become visible after ones with higher sequence numbers
			w.readTo, limit = math.MinInt64, n
		}
		w.allRead, w.readAgain, w.reading = true, false, true // refresh and noteAccepted reset it for messages that are accepted from now on
	}
	if due {
		w.mayHaveDue = false
		w.dueReads++
	}
	after, drops := w.readTo, w.drops
	w.reads++
	w.mu.Unlock()
	defer w.endRead()
	late := map[string]bool{} // see isOutdated
	if due {                  // first, because messages that were in flight when a process died come before those behind them
		now := w.s.o.Now()
		entries, err := listDue(ctx, w.sender, n)
		for _, entry := range entries {
			w.handleDue(ctx, entry, drops, late)
		}
		w.endDueRead()
		if err != nil || len(entries) == n {
			w.mu.Lock()
			w.mayHaveDue = true
			if ready {
				w.allRead, w.readAgain, w.reading = false, true, false
			}
			w.mu.Unlock()
			w.signal()
			return err
		}
		w.endOtherNode(now)
	}
	if !ready {
		return nil
	}
	entries, err := w.s.outbox.Ready(ctx, w.sender, skip, after, limit)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reading = false
	if w.drops != drops { // one of these messages might come behind a dropped one
		w.allRead, w.readAgain = false, true
		w.signal()
		return err
	}
	for _, entry := range entries {
		if !w.isOutdated(entry, late) {
			w.add(entry)
		}
		w.readTo = entry.Seq
	}
	switch {
	case err != nil || len(w.full) > len(skip):
		w.allRead, w.readAgain = false, true
	case len(entries) == limit:
		w.allRead = false
	}
	return err
}

// endDueRead lets the worker read what is ready.
func (w *worker) endDueRead() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dueReads--; w.dueReads == 0 && !w.allRead {
		w.signal()
	}
}

// endRead clears the list of messages that ended during reads once no read is in progress.
func (w *worker) endRead() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.reads--; w.reads == 0 {
		clear(w.ended)
	}
}

// release gives up a message that the worker held. A read in progress might return an outdated entry for it: see [worker.isOutdated].
func (w *worker) release(id string) {
	delete(w.held, id)
	if w.reads > 0 {
		w.ended[id] = struct{}{}
	}
}

// mustReadFirst reports whether the outbox must be read to determine the next message.
func (w *worker) mustReadFirst() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.allRead && !w.reading && len(w.held) == 0
}

// handleDue adds a due message that waits for its turn, unless entries were dropped during the read, and decides about one
// whose check is due.
func (w *worker) handleDue(ctx context.Context, entry outbox.Entry, drops int, late map[string]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isOutdated(entry, late) {
		return
	}
	if entry.Status == message.Queued || entry.Status == message.Scheduled {
		if w.drops == drops {
			w.add(entry)
		} else {
			w.mayHaveDue = true
			w.signal()
		}
		return
	}
	if w.mustNotAdd(entry) {
		return
	}
	w.held[entry.ID] = struct{}{}
	var l *line // its next message waits until it is decided whether this one is submitted again
	if entry.OrderKey != "" {
		l = w.line(entry.OrderKey)
		l.undecided++
		w.reposition(l)
	}
	w.s.calls.Go(func() {
		var again *outbox.Entry
		w.untilAnswered(func() (err error) {
			again, err = w.s.handleLookAgain(context.WithoutCancel(ctx), entry)
			return err
		})
		w.mu.Lock()
		if again != nil && !w.s.isPaused(w.sender) { // otherwise, it is read again after the sender is resumed
			delete(w.held, entry.ID)
			w.add(*again)
		} else {
			w.release(entry.ID)
			if l != nil && entry.Status == message.Sending { // it might come first again
				w.dropLine(l)
			}
		}
		if l != nil {
			l.undecided--
			w.reposition(l)
		}
		w.mu.Unlock()
		w.signal()
	})
}

func (w *worker) remove(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.held, id)
}
