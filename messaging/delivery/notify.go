package delivery

import (
	"context"
	"time"
)

const (
	notifyTimeout = 2 * time.Second
	listenRetry   = 5 * time.Second // after the connection was lost
)

// notifyOwner notifies the node that owns a sender of messages that this node has stored for it. Senders that are
// added while a notification is being sent are included in the next one.
func (s *Service) notifyOwner(senderID string) {
	if s.outbox.SingleNode() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.workers[senderID] != nil {
		return
	}
	first := s.toNotify == nil
	if first {
		s.toNotify = map[string]struct{}{}
	}
	s.toNotify[senderID] = struct{}{}
	if first {
		s.calls.Go(s.notifyOwners)
	}
}

func (s *Service) notifyOwners() {
	for {
		s.mu.Lock()
		senders := make([]string, 0, len(s.toNotify))
		for id := range s.toNotify {
			senders = append(senders, id)
		}
		if len(senders) == 0 {
			s.toNotify = nil
			s.mu.Unlock()
			return
		}
		clear(s.toNotify)
		s.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), notifyTimeout)
		if err := s.outbox.Notify(ctx, senders); err != nil { // the other nodes find the messages by polling
			s.o.Log.Debug("notifying the other nodes", "err", err)
		}
		cancel()
	}
}

// listen refreshes the workers of senders for which other nodes have sent notifications, until ctx ends.
func (s *Service) listen(ctx context.Context) {
	if s.outbox.SingleNode() || s.o.AcceptOnly {
		return
	}
	for ctx.Err() == nil {
		err := s.outbox.Listen(ctx, func(senderID string) {
			if w := s.worker(senderID); w != nil {
				w.refresh()
			}
		})
		if ctx.Err() != nil {
			return
		}
		s.o.Log.Debug("listening to the other nodes", "err", err) // their messages are found by polling
		select {
		case <-ctx.Done():
		case <-time.After(listenRetry):
		}
	}
}
