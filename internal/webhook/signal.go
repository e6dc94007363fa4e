package webhook

import (
	"sync"
	"sync/atomic"
)

// Signal connects those who store events with the dispatcher of this process: it wakes the dispatcher when an event was
// committed, and offers it events that are being stored. Its zero value is ready to use, and a nil Signal does nothing. It
// only shortens waits: events of other processes are found by polling.
type Signal struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next Notify; nil while nobody waits

	changes    atomic.Uint64
	dispatcher atomic.Pointer[Dispatcher] // that runs; nil: none
}

// Offer reserves an attempt for an event of owner that the caller is about to store. It returns nil where the event is to be
// stored as due, for a claim: there is no dispatcher, or the endpoint isn't known to take it at once.
func (s *Signal) Offer(owner string) *Place {
	if s == nil {
		return nil
	}
	d := s.dispatcher.Load()
	if d == nil {
		return nil
	}
	return d.offer(owner)
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
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}

// Committed is Notify for [db.Tx.AfterCommit].
func (s *Signal) Committed(committed bool) {
	if committed {
		s.Notify()
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
