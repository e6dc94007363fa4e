package login

import "sync"

// subscribers are the channels of this process that wait for a session to change.
type subscribers struct {
	mu        sync.Mutex
	bySession map[string]map[chan struct{}]struct{}
}

// Subscribe returns a channel that gets a value after a step of the session was
// committed in this process. Several steps can share one value. A step of another node
// sends none. The caller must call stop when it no longer needs the channel.
func (s *Service) Subscribe(sessionID string) (changed <-chan struct{}, stop func()) {
	subs := &s.subscribers
	c := make(chan struct{}, 1)
	subs.mu.Lock()
	defer subs.mu.Unlock()
	if subs.bySession == nil {
		subs.bySession = map[string]map[chan struct{}]struct{}{}
	}
	if subs.bySession[sessionID] == nil {
		subs.bySession[sessionID] = map[chan struct{}]struct{}{}
	}
	subs.bySession[sessionID][c] = struct{}{}
	return c, func() {
		subs.mu.Lock()
		defer subs.mu.Unlock()
		delete(subs.bySession[sessionID], c)
		if len(subs.bySession[sessionID]) == 0 {
			delete(subs.bySession, sessionID)
		}
	}
}

// notify sends a value to the subscribers of a session. It is called after the commit.
func (subs *subscribers) notify(sessionID string) {
	subs.mu.Lock()
	defer subs.mu.Unlock()
	for c := range subs.bySession[sessionID] {
		select {
		case c <- struct{}{}:
		default: // the last value is still unread
		}
	}
}

// changed evicts a session from the cache and notifies its subscribers. It is called
// after a session might have changed.
func (s *Service) changed(sessionID string) {
	s.waiting.evict(sessionID)
	s.subscribers.notify(sessionID)
}
