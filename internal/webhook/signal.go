package webhook

import (
	"sync"
	"sync/atomic"
)

// Signal wakes all who wait for events when one was committed in this process. Its zero value is ready to use. It only
// shortens waits: events of other processes are found by polling.
type Signal struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next Notify; nil while nobody waits

	changes atomic.Uint64
}

// NotifyChange is Notify after a change of an endpoint's settings.
func (s *Signal) NotifyChange() {
	s.changes.Add(1)
	s.Notify()
}

// Changes returns how often settings were changed in this process. Call it before reading them.
func (s *Signal) Changes() uint64 { return s.changes.Load() }

// Notify wakes all who wait.
func (s *Signal) Notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}

// Wait returns a channel that the next Notify closes. Call it before reading the database, so that no event is missed in between.
func (s *Signal) Wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}
