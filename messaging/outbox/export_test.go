package outbox

import "time"

// FenceWait returns the maximum time for which a fence waits for writes that a node has started.
func FenceWait(s *Store) time.Duration { return s.fenceWait }

// SetFenceWait changes the time of FenceWait.
func SetFenceWait(s *Store, wait time.Duration) { s.fenceWait = wait }
