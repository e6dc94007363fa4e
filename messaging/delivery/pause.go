package delivery

import (
	"context"

	"example.com/griot/messaging/account"
	"example.com/griot/messaging/outbox"
)

// A paused sender sends nothing. Routes skip it, so new messages take another sender or are refused. Its waiting
// messages stay in the queue, without a write, until the sender is resumed or they expire. Receipts, and messages
// that a gateway might have, are handled as usual.
//
// A paused deployment also sends nothing. It accepts messages for all senders, which wait.

// readPaused reads whether the deployment is paused, and which senders are. Changes of senders on other nodes are
// visible when the directory has them. Reads follow one another, so an earlier one never replaces the result of a later
// one.
func (s *Service) readPaused(ctx context.Context) error {
	s.readingPaused.Lock()
	defer s.readingPaused.Unlock()
	all, err := s.outbox.SendingPause(ctx)
	if err != nil {
		return err
	}
	s.sendingPaused.Store(all != nil)
	paused, err := s.o.Directory.PausedSenders(ctx)
	if err == nil {
		s.paused.Store(&paused)
	}
	return err
}

// SeePause immediately reads whether the deployment is paused, the paused senders, and the waiting messages. Run does
// the same regularly.
func (s *Service) SeePause(ctx context.Context) error {
	err := s.readPaused(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.workers {
		w.refresh()
	}
	return err
}

// isPaused reports whether a sender or the deployment was paused at the last read.
func (s *Service) isPaused(senderID string) bool {
	if s.sendingPaused.Load() {
		return true
	}
	all := s.paused.Load()
	if all == nil {
		return false
	}
	_, paused := (*all)[senderID]
	return paused
}

// senderPaused reports whether one of an account's senders is paused.
func senderPaused(a *account.Account, senderID string) bool {
	for i := range a.Senders {
		if a.Senders[i].ID == senderID {
			return a.Senders[i].Paused()
		}
	}
	return false
}

// learnPause resets a message whose sender was paused after the message got its turn.
func (s *Service) learnPause(ctx context.Context, t *turn) error {
	err := s.readPaused(ctx)
	if err == nil && !s.isPaused(t.worker.sender) { // another node paused it, and only the account was read since
		s.o.Directory.ForgetAll()
		err = s.readPaused(ctx)
	}
	if err != nil {
		s.o.Log.Error("reading which senders are paused", "err", err)
		return err
	}
	t.takesBack = true
	t.worker.refresh()
	return nil
}

// Depth counts the messages that wait for a sender.
func (s *Service) Depth(ctx context.Context, senderID string) (outbox.Depth, error) {
	return s.outbox.Depth(ctx, senderID)
}
