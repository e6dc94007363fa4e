package delivery

import (
	"context"

	"example.com/griot/messaging/account"
	"example.com/griot/messaging/outbox"
)

// A sender that its account has paused sends nothing. Routes skip it, so that new messages take another sender or are
// refused. What waits for it goes on waiting, without a write, until the sender is resumed or the message's life ends.
// Receipts, and what a gateway may have, are looked at as always.
//
// A deployment that is paused sends nothing either. It accepts messages for all senders, which wait.

// readPaused reads whether the deployment is paused, and which senders are. Other nodes' changes of senders are seen when
// the directory sees them.
func (s *Service) readPaused(ctx context.Context) error {
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

// SeePause reads at once whether the deployment is paused, which senders are, and what waits for its turn; Run does so
// regularly.
func (s *Service) SeePause(ctx context.Context) error {
	err := s.readPaused(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.workers {
		w.refresh()
	}
	return err
}

// isPaused reports whether a sender, or the deployment, was paused when that was read last.
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

// learnPause puts a message back whose sender was paused after the message got its turn.
func (s *Service) learnPause(ctx context.Context, t *turn) error {
	err := s.readPaused(ctx)
	if err == nil && !s.isPaused(t.worker.sender) { // another node did it, and only the account was read since
		s.o.Directory.ForgetAll()
		err = s.readPaused(ctx)
	}
	if err != nil {
		s.o.Log.Error("reading which senders are paused", "err", err)
		return err
	}
	t.worker.refresh()
	return nil
}

// Depth counts the messages that wait for a sender.
func (s *Service) Depth(ctx context.Context, senderID string) (outbox.Depth, error) {
	return s.outbox.Depth(ctx, senderID)
}
