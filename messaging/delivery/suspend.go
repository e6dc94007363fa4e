package delivery

import (
	"context"

	"example.com/griot/messaging/outbox"
)

// Nothing begins for a suspended account. The transaction that marks a message as SENDING decides it, so a process that
// doesn't know yet of the suspension begins nothing either. The account's own senders are paused meanwhile. Workers of the
// platform's senders don't read the account's messages, and go on for other accounts.

// SetSuspended suspends an account for a reason, or resumes it without one. When it returns, no node begins a call for a
// suspended account. Calls in progress end as usual. After the suspension, what waits is sent in its order, before messages
// that are accepted from then on.
func (s *Service) SetSuspended(ctx context.Context, accountID, reason string) error {
	return s.o.Directory.SetSuspended(ctx, accountID, reason, s.outbox.AwaitBegins, s.SeePause)
}

// learnSuspension drops what a worker holds, after a message of a suspended account got a turn: the worker reads again
// without the account's messages.
func (s *Service) learnSuspension(ctx context.Context, t *turn) error {
	s.o.Directory.ForgetAll()
	err := s.readPaused(ctx)
	t.worker.dropWaiting()
	return err
}

// dropWaiting gives up all messages that wait for their turn, and reads again.
func (w *worker) dropWaiting() {
	w.mu.Lock()
	defer w.mu.Unlock()
	drop := func(entries []outbox.Entry) {
		for i := range entries {
			w.release(entries[i].ID)
		}
	}
	drop(w.codes)
	for _, d := range w.delayed {
		w.release(d.entry.ID)
	}
	w.codes, w.delayed = nil, nil
	for _, l := range w.lines {
		drop(l.waiting)
		l.waiting = nil
		w.reposition(l)
	}
	clear(w.full)
	w.allRead, w.mayHaveDue = false, true
	w.signal()
}
