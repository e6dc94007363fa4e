package delivery

import (
	"context"
	"time"

	"griot/internal/clock"
	"griot/messaging/outbox"
)

// worker returns the worker of a sender, if this node delivers for it.
func (s *Service) worker(senderID string) *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.workers[senderID]
	if w == nil && s.outbox.SingleNode() && !s.o.AcceptOnly && !s.ending.Load() {
		w = s.startLocked(senderID, outbox.Ownership{}, nil)
	}
	return w
}

// wake says that a sender may have messages to go. Where no node has the sender, this one takes it.
func (s *Service) wake(senderID string) {
	if w := s.worker(senderID); w != nil {
		w.changed()
		return
	}
	if s.mayTake(senderID) {
		s.working.Go(func() { s.take(s.ctx, senderID) })
	}
}

// mayTake reports whether this node may ask for a sender now, which it does once a while.
func (s *Service) mayTake(senderID string) bool {
	if s.outbox.SingleNode() || s.o.AcceptOnly || s.ending.Load() || !s.lease.holds() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := clock.System()
	if s.workers[senderID] != nil || now.Before(s.foreign[senderID]) {
		return false
	}
	s.foreign[senderID] = now.Add(askAgain) // also while this one is being taken
	return true
}

// workerNow is worker, but takes the sender first where no node has it.
func (s *Service) workerNow(ctx context.Context, senderID string) *worker {
	if w := s.worker(senderID); w != nil || !s.mayTake(senderID) {
		return w
	}
	s.take(ctx, senderID)
	return s.worker(senderID)
}

// goOn lets what is ready of a sender go at once, as far as it is its turn: a message has come back, or has come to
// another route, and somebody may wait for it.
func (s *Service) goOn(ctx context.Context, senderID string) {
	w := s.workerNow(ctx, senderID)
	if w == nil {
		s.notifyOwner(senderID)
		return
	}
	w.changed()
	if err := w.read(ctx); err == nil {
		w.start()
	}
}

// askAgain is how long a sender that another node has is left to it before this one asks again.
const askAgain = time.Second

// take makes this node the one that delivers for a sender, unless another living one is.
func (s *Service) take(ctx context.Context, senderID string) {
	owned, err := s.outbox.ClaimSender(ctx, senderID)
	var busy []outbox.Entry
	if err == nil && owned.Owned {
		busy, err = s.outbox.InFlight(ctx, senderID)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.o.Log.Error("taking a sender", "senderId", senderID, "err", err)
		}
		return
	}
	if !owned.Owned {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.foreign, senderID)
	if s.workers[senderID] == nil && !s.ending.Load() && s.lease.holds() {
		s.startLocked(senderID, owned, busy)
	}
}

// dropWorkers ends all workers: other nodes may have their senders.
func (s *Service) dropWorkers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, w := range s.workers {
		w.close()
		delete(s.workers, id)
	}
}
