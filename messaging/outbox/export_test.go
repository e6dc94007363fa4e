package outbox

import "time"

// FenceWait returns the maximum time for which a fence waits for writes that a node has started.
func FenceWait(s *Store) time.Duration { return s.fenceWait }

// SetFenceWait changes the time of FenceWait.
func SetFenceWait(s *Store, wait time.Duration) { s.fenceWait = wait }

// Waiting returns the number of acceptances that wait for the next batch, and whether one is being written.
func Waiting(s *Store) (n int, writing bool) {
	switch w := s.writer.(type) {
	case *sqlite:
		return w.ops.state()
	case *postgres:
		return w.accepts.state()
	}
	return 0, false
}

func (c *batcher[T]) state() (waiting int, running bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting), c.running
}
