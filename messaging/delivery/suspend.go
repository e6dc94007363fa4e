package delivery

import (
	"context"

	"example.com/griot/messaging/outbox"
)

// For a suspended account, no submission starts. The transaction that marks a message as SENDING checks this, so a
// process that does not know of the suspension yet starts nothing either. The account's own senders are paused in the
// meantime. Workers of the platform's senders do not read the account's messages, and continue for other accounts.

// SetSuspended suspends an account for a reason or, without a reason, ends the suspension. After it returns, no node
// starts a call for a suspended account. Calls in progress end as usual. After the suspension, the queued messages
// are sent in their order, before messages that are accepted later.
func (s *Service) SetSuspended(ctx context.Context, accountID, reason string) error {
	if reason == "" { // until the workers have read the queued messages, no new one gets a turn
		s.resuming.Add(1)
		defer s.resuming.Add(-1)
	}
	return s.o.Directory.SetSuspended(ctx, accountID, reason, s.outbox.AwaitBegins, s.SeePause)
}

// learnSuspension drops all messages that a worker holds, after a message of a suspended account got a turn. The
// worker then reads again, without the account's messages.
func (s *Service) learnSuspension(ctx context.Context, t *turn) {
	s.o.Directory.ForgetAll()
	if err := s.readPaused(ctx); err != nil { // Run reads it again
		s.o.Log.Error("reading which senders are paused", "err", err)
	}
	t.takesBack = true
	t.worker.dropWaiting()
}

// dropWaiting gives up all messages that wait for their turn, and makes the worker read again.
func (w *worker) dropWaiting() {
	w.mu.Lock()
	defer w.mu.Unlock()
	drop := func(entries []outbox.Entry) {
		for i := range entries {
			delete(w.held, entries[i].ID)
		}
	}
	drop(w.codes)
	for _, d := range w.delayed {
		delete(w.held, d.entry.ID)
	}
	w.codes, w.delayed = nil, nil
	for _, l := range w.lines {
		w.dropLine(l)
	}
	clear(w.full)
	w.allRead, w.readAgain, w.mayHaveDue = false, true, true
	w.drops++
	w.signal()
}

// dropLine gives up the messages of a line that wait for their turn, and makes the worker read them again.
func (w *worker) dropLine(l *line) {
	for i := range l.waiting {
		delete(w.held, l.waiting[i].ID) // without release, because the entries of later reads are valid
	}
	l.waiting = nil
	delete(w.full, l.key)
	w.reposition(l)
	w.allRead, w.readAgain = false, true
	w.drops++
	w.signal()
}
