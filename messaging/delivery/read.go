package delivery

import (
	"context"

	"griot/messaging/message"
	"griot/messaging/outbox"
)

// read takes keys from the outbox: those that are due, and those that are ready, as far as there is room.
func (w *worker) read(ctx context.Context) error {
	w.mu.Lock()
	ready, due := !w.complete && !w.reading && len(w.held) < heldMost, w.due && len(w.held) < heldMost
	skip := make([]string, 0, len(w.full))
	for key := range w.full {
		skip = append(skip, key)
	}
	n := len(w.held) + readSize
	if ready {
		w.complete, w.reading = true, true // what is accepted from now on says that it is not
	}
	if due {
		w.due = false
	}
	w.mu.Unlock()
	if due { // first: what a process was handing over when it died comes before what waited behind it
		entries, err := w.s.outbox.Due(ctx, w.sender, n)
		for _, entry := range entries {
			w.take(ctx, entry)
		}
		if err != nil || len(entries) == n {
			w.mu.Lock()
			w.due = true
			if ready {
				w.complete, w.reading = false, false
			}
			w.mu.Unlock()
			w.poke()
			return err
		}
	}
	if !ready {
		return nil
	}
	entries, err := w.s.outbox.Ready(ctx, w.sender, skip, n)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reading = false
	for _, entry := range entries {
		w.hold(entry)
	}
	if err != nil || len(entries) == n || len(w.full) > len(skip) {
		w.complete = false
	}
	return err
}

// unread reports whether the outbox is to be read before anything can be said of who is next.
func (w *worker) unread() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.complete && !w.reading && len(w.held) == 0
}

// take holds a message whose time has come, or looks at one that somebody was to look at again.
func (w *worker) take(ctx context.Context, entry outbox.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if entry.Status == message.Queued || entry.Status == message.Scheduled {
		w.hold(entry)
		return
	}
	if _, there := w.held[entry.ID]; there || w.closed {
		return
	}
	w.held[entry.ID] = struct{}{}
	var behind *line // what waits behind it goes on once it is known whether it is handed over again
	if l := w.lines[entry.OrderKey]; entry.OrderKey != "" && (l == nil || !l.busy) {
		behind = w.line(entry.OrderKey)
		behind.busy = true
		w.place(behind)
	}
	w.s.calls.Go(func() {
		again := w.s.look(context.WithoutCancel(ctx), entry)
		w.mu.Lock()
		delete(w.held, entry.ID)
		if again != nil {
			w.hold(*again)
		}
		if behind != nil {
			behind.busy = false
			w.place(behind)
		}
		w.mu.Unlock()
		w.poke()
	})
}

func (w *worker) drop(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.held, id)
}
