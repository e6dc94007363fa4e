package login

import "sync"

// watchers are those who wait in this process for a session to change.
type watchers struct {
	mu sync.Mutex
	of map[string]map[chan struct{}]struct{} // by session id
}

// Watch returns a channel that gets a value after a step of the session was
// committed in this process; several steps may give one value. A step of another
// node gives none. The caller calls stop when it is done.
func (s *Service) Watch(sessionID string) (changed <-chan struct{}, stop func()) {
	w := &s.watchers
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of == nil {
		w.of = map[string]map[chan struct{}]struct{}{}
	}
	if w.of[sessionID] == nil {
		w.of[sessionID] = map[chan struct{}]struct{}{}
	}
	w.of[sessionID][c] = struct{}{}
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.of[sessionID], c)
		if len(w.of[sessionID]) == 0 {
			delete(w.of, sessionID)
		}
	}
}

// signal tells those who watch a session. It is called after the commit.
func (w *watchers) signal(sessionID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.of[sessionID] {
		select {
		case c <- struct{}{}:
		default: // it has not seen the last one yet
		}
	}
}

// moved is said of a session that may have changed: polls read it again, and
// those who wait look at it.
func (s *Service) moved(sessionID string) {
	s.waiting.forget(sessionID)
	s.watchers.signal(sessionID)
}
