package gatewaytest

import (
	"bytes"
	"log/slog"
	"sync"
	"time"

	"griot/gateway"
	"griot/internal/clock"
)

// Surroundings are what a driver under test is opened with, recorded.
type Surroundings struct {
	Sink  *Sink
	Clock *clock.Fake // two days ahead of the machine's, so that a driver that looks at the wrong one is found
	log   *journal
}

// NewSurroundings returns what one driver is opened with.
func NewSurroundings() *Surroundings {
	return &Surroundings{Sink: &Sink{}, Clock: clock.NewFake(time.Now().Add(48 * time.Hour)), log: &journal{}}
}

// Deps returns the surroundings as a driver takes them.
func (s *Surroundings) Deps() gateway.Deps {
	handler := slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})
	return gateway.Deps{Name: "exercised", Sink: s.Sink, Now: s.Clock.Now, Log: slog.New(handler)}
}

// Logged returns all that the driver has logged, at every level.
func (s *Surroundings) Logged() string { return s.log.String() }

// A journal keeps what is logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}
