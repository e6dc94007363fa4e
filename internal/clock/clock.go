package clock

import (
	"sync"
	"time"
)

// Now returns the current time.
type Now func() time.Time

var started = time.Now()

// Running is how long the process has run, by a clock that nobody sets. It may stand still while the machine sleeps.
func Running() time.Duration { return time.Since(started) }

// Fake is a clock that only [Fake.Advance] moves. It is safe for concurrent use.
type Fake struct {
	mu sync.Mutex
	at time.Time
}

// NewFake returns a clock that stands at at.
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
