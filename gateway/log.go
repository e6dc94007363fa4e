package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Log returns the logger of one of the set's gateways. A warning that a driver repeats within a minute is counted
// instead of logged. The next logged warning includes the count.
func (s *Set) Log(name string) *slog.Logger {
	m := &s.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	g := m.of(name)
	if g.log == nil {
		g.log = slog.New(&limitedHandler{Handler: m.log.Handler(), seen: &seenWarnings{byMessage: map[string]*seenWarning{}}}).With("gateway", name)
	}
	return g.log
}

// maxWarnings limits the number of different messages that are counted. Drivers have far fewer.
const maxWarnings = 64

type seenWarnings struct {
	mu        sync.Mutex
	byMessage map[string]*seenWarning
}

type seenWarning struct {
	last     time.Time // the time of the last log entry
	repeated int64     // since then
}

// limitedHandler is a [slog.Handler] that logs each warning at most once a minute.
type limitedHandler struct {
	slog.Handler
	seen *seenWarnings
}

// Handle implements [slog.Handler].
func (h *limitedHandler) Handle(ctx context.Context, line slog.Record) error {
	if line.Level < slog.LevelWarn {
		return h.Handler.Handle(ctx, line)
	}
	repeated, log := h.seen.add(line)
	if !log {
		return nil
	}
	if repeated > 0 {
		line = line.Clone()
		line.AddAttrs(slog.Int64("repeated", repeated))
	}
	return h.Handler.Handle(ctx, line)
}

// add counts a warning. log reports whether to log it, and repeated is the number of repetitions that were not logged
// since the last time.
func (s *seenWarnings) add(line slog.Record) (repeated int64, log bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.byMessage[line.Message]
	if known == nil {
		if len(s.byMessage) < maxWarnings {
			s.byMessage[line.Message] = &seenWarning{last: line.Time}
		}
		return 0, true
	}
	if !known.last.IsZero() && line.Time.Sub(known.last).Abs() < logInterval {
		known.repeated++
		return 0, false
	}
	repeated, known.last, known.repeated = known.repeated, line.Time, 0
	return repeated, true
}

// WithAttrs implements [slog.Handler].
func (h *limitedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &limitedHandler{h.Handler.WithAttrs(attrs), h.seen}
}

// WithGroup implements [slog.Handler].
func (h *limitedHandler) WithGroup(name string) slog.Handler {
	return &limitedHandler{h.Handler.WithGroup(name), h.seen}
}
