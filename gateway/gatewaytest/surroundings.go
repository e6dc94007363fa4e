package gatewaytest

import (
	"time"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/logtest"
)

// Surroundings are what a driver under test is opened with, recorded.
type Surroundings struct {
	Sink  *Sink
	Clock *clock.Fake // two days ahead of the machine's, so that a driver that looks at the wrong one is found
	log   *logtest.Journal
}

// NewSurroundings returns what one driver is opened with.
func NewSurroundings() *Surroundings {
	return &Surroundings{Sink: &Sink{}, Clock: clock.NewFake(time.Now().Add(48 * time.Hour)), log: &logtest.Journal{}}
}

// Deps returns the surroundings as a driver takes them.
func (s *Surroundings) Deps() gateway.Deps {
	return gateway.Deps{Name: "exercised", Sink: s.Sink, Now: s.Clock.Now, Log: s.log.Logger()}
}

// Logged returns all that the driver has logged, at every level.
func (s *Surroundings) Logged() string { return s.log.String() }
