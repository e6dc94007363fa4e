package clock

import (
	"sync"
	"time"
)

// Now returns the current time.
type Now func() time.Time

var started = time.Now()

// Running returns the time that the process has run, by a monotonic clock. The clock might stop while the machine
// sleeps.
func Running() time.Duration { return time.Since(started) }

// Fake is a clock that only moves with [Fake.Advance]. It is safe for concurrent use.
type Fake struct {
	mu sync.Mutex
	at time.Time
}

// NewFake returns a clock that is stopped at at.
func NewFake(at time.Time) *Fake { return &Fake{at: at.UTC().Truncate(time.Millisecond)} }

// Now implements [Now].
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

// Advance moves the clock by d.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = f.at.Add(d)
}
