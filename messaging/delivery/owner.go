package delivery

import (
	"context"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
)

// worker returns the worker of a sender, or nil if this node does not own the sender.
func (s *Service) worker(senderID string) *worker {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.workers[senderID]
	if w == nil && s.outbox.SingleNode() && !s.o.AcceptOnly && !s.stopping.Load() {
		w = s.startLocked(senderID, outbox.Ownership{}, nil)
	}
	return w
}

// notifyWorker makes a sender's worker read its messages. If this node does not own the sender, it claims it.
func (s *Service) notifyWorker(senderID string) { s.notify(senderID, (*worker).refresh) }

// notifyAccepted is like notifyWorker, for a message that was just accepted and waits for its turn.
func (s *Service) notifyAccepted(m *message.Message) {
	s.notify(m.SenderID, func(w *worker) { w.noteAccepted(m) })
}

func (s *Service) notify(senderID string, change func(*worker)) {
	if w := s.worker(senderID); w != nil {
		change(w)
		return
	}
	if s.mayClaim(senderID) {
		s.workerGroup.Go(func() { s.claimSender(s.ctx, senderID) })
	}
}

// mayClaim reports whether this node can try to claim a sender now. It tries at most once per claimInterval.
func (s *Service) mayClaim(senderID string) bool {
	if s.outbox.SingleNode() || s.o.AcceptOnly || s.stopping.Load() || !s.lease.holds() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := clock.System()
	if s.workers[senderID] != nil || now.Before(s.claimAgainAt[senderID]) {
		return false
	}
	s.claimAgainAt[senderID] = now.Add(claimInterval)
	return true
}

// workerOrClaim claims the sender if possible, and returns its worker, or nil.
func (s *Service) workerOrClaim(ctx context.Context, senderID string) *worker {
	if w := s.worker(senderID); w != nil || !s.mayClaim(senderID) {
		return w
	}
	s.claimSender(ctx, senderID)
	return s.worker(senderID)
}

// deliverReady submits a sender's ready messages without waiting for its worker's next run. A message is QUEUED
// again, perhaps on another route, and its request might be waiting for the result.
func (s *Service) deliverReady(ctx context.Context, senderID string) {
	w := s.workerOrClaim(ctx, senderID)
	if w == nil {
		s.notifyOwner(senderID)
		return
	}
	w.refresh()
	if err := w.read(ctx); err == nil {
		w.startReady()
	}
}

// claimInterval is the interval at which this node tries to claim a sender.
const claimInterval = time.Second

// claimSender makes this node the owner of a sender, unless another node owns it, and starts the sender's worker.
func (s *Service) claimSender(ctx context.Context, senderID string) {
	owned, err := s.outbox.ClaimSender(ctx, senderID)
	var busy []outbox.Entry
	if err == nil && owned.Owned {
		busy, err = s.outbox.InFlight(ctx, senderID)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.o.Log.Error("claiming a sender", "senderId", senderID, "err", err)
		}
		return
	}
	if !owned.Owned {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.claimAgainAt, senderID)
	if s.workers[senderID] == nil && !s.stopping.Load() && s.lease.holds() {
		s.startLocked(senderID, owned, busy)
	}
}

// closeWorkers ends all workers, because other nodes might own their senders now.
func (s *Service) closeWorkers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, w := range s.workers {
		w.close()
		delete(s.workers, id)
	}
}
