package delivery

import (
	"context"
	"time"
)

const (
	notifyTime  = 2 * time.Second
	listenAgain = 5 * time.Second // after the connection was lost
)

// notifyOwner lets the node that has a sender hear of messages that this node has stored for it. Those that come while
// one notification is sent go with the next.
func (s *Service) notifyOwner(senderID string) {
	if s.outbox.SingleNode() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.workers[senderID] != nil {
		return
	}
	first := s.notices == nil
	if first {
		s.notices = map[string]struct{}{}
	}
	s.notices[senderID] = struct{}{}
	if first {
		s.calls.Go(s.notifyOwners)
	}
}

func (s *Service) notifyOwners() {
	for {
		s.mu.Lock()
		senders := make([]string, 0, len(s.notices))
		for id := range s.notices {
			senders = append(senders, id)
		}
		if len(senders) == 0 {
			s.notices = nil
			s.mu.Unlock()
			return
		}
		clear(s.notices)
		s.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), notifyTime)
		if err := s.outbox.Notify(ctx, senders); err != nil { // they find it when they ask the database
			s.o.Log.Debug("notifying the other nodes", "err", err)
		}
		cancel()
	}
}

// listen hears what other nodes have stored for senders of this one, until ctx ends.
func (s *Service) listen(ctx context.Context) {
	if s.outbox.SingleNode() || s.o.AcceptOnly {
		return
	}
	for ctx.Err() == nil {
		err := s.outbox.Listen(ctx, func(senderID string) {
			if w := s.worker(senderID); w != nil {
				w.changed()
			}
		})
		if ctx.Err() != nil {
			return
		}
		s.o.Log.Debug("listening to the other nodes", "err", err) // what they store is found by asking the database
		select {
		case <-ctx.Done():
		case <-time.After(listenAgain):
		}
	}
}
