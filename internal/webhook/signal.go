package webhook

import "sync"

// Bell wakes those who wait for events when one was committed in this process.
// Its zero value is ready. It only saves time: everybody looks now and then anyway.
type Bell struct {
	mu   sync.Mutex
	rung chan struct{} // nil while nobody waits
}

// Ring wakes all who wait.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung != nil {
		close(b.rung)
		b.rung = nil
	}
}

// Wait returns a channel that is closed at the next ring. Ask for it before
// looking, and nothing is missed.
func (b *Bell) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung == nil {
		b.rung = make(chan struct{})
	}
	return b.rung
}
