package outbox

import "time"

// FenceWait is how long a fence waits for the writes that a node has begun.
func FenceWait(s *Store) time.Duration { return s.fenceWait }

// SetFenceWait changes it.
func SetFenceWait(s *Store, wait time.Duration) { s.fenceWait = wait }
