package webhook

import (
	"sync"
	"sync/atomic"
)

// Signal connects the code that stores events with the dispatcher of this process. It wakes the dispatcher after an
// event was committed, and offers it events that are being stored. Its zero value is ready to use, and a nil Signal
// does nothing. It only shortens waits, because the dispatcher finds events of other processes by polling.
type Signal struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next Notify; nil if no one waits

	changes    atomic.Uint64
	dispatcher atomic.Pointer[Dispatcher] // the running one; nil: none
}

// Offer reserves an attempt for an event of owner that the caller is about to store. It returns nil if the event must
// be stored as due, for a claim, because there is no dispatcher or the endpoint might not take the event immediately.
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

// NotifyChange calls Notify after a change of an endpoint's settings.
func (s *Signal) NotifyChange() {
	s.changes.Add(1)
	s.Notify()
}

// Changes returns the number of changes to settings in this process. Call it before reading them.
func (s *Signal) Changes() uint64 { return s.changes.Load() }

// Notify wakes all waiting goroutines.
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

// Committed calls Notify after a commit. It is for [db.Tx.AfterCommit].
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
