package gatewaytest

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/logtest"
)

// Environment contains the dependencies of a driver under test.
type Environment struct {
	Sink  *Sink
	Clock *clock.Fake // two days ahead of the machine's clock, so that a test notices the use of the wrong one
	log   *logtest.Recorder

	unreadable atomic.Int64
	mu         sync.Mutex
	unhandled  map[string]int // by reason
}

// NewEnvironment returns an environment for one driver.
func NewEnvironment() *Environment {
	return &Environment{Sink: &Sink{}, Clock: clock.NewFake(time.Now().Add(48 * time.Hour)), log: &logtest.Recorder{}}
}

// Deps returns the environment as a driver's dependencies.
func (s *Environment) Deps() gateway.Deps {
	return gateway.Deps{
		Name: "exercised", Sink: s.Sink, Now: s.Clock.Now, Log: s.log.Logger(), ReceiptUnreadable: func() { s.unreadable.Add(1) },
		Unhandled: func(reason string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.unhandled == nil {
				s.unhandled = map[string]int{}
			}
			s.unhandled[reason]++
		},
	}
}

// Unhandled returns the numbers of reports that the driver has dropped, by reason.
func (s *Environment) Unhandled() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.unhandled)
}

// UnreadableReceipts returns the number of receipts that the driver has counted as unreadable.
func (s *Environment) UnreadableReceipts() int { return int(s.unreadable.Load()) }

// Logged returns the driver's log at all levels.
func (s *Environment) Logged() string { return s.log.String() }
