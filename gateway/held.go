package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Log returns the log of one of the set's gateways. What a driver warns of again
// within a minute is counted, and the count stands in the next line that says it.
func (s *Set) Log(name string) *slog.Logger {
	r := &s.records
	r.mu.Lock()
	defer r.mu.Unlock()
	one := r.of(name)
	if one.log == nil {
		one.log = slog.New(&holding{Handler: r.log.Handler(), held: &heldBack{lines: map[string]*heldLine{}}}).With("gateway", name)
	}
	return one.log
}

// heldLines bounds how many different lines are told apart; drivers have far fewer.
const heldLines = 64

// heldBack is what is remembered of the lines that were logged, by their messages.
type heldBack struct {
	mu    sync.Mutex
	lines map[string]*heldLine
}

type heldLine struct {
	last     time.Time
	repeated int64
}

// holding is a [slog.Handler] that repeats no warning within a minute.
type holding struct {
	slog.Handler
	held *heldBack
}

// Handle implements [slog.Handler].
func (h *holding) Handle(ctx context.Context, line slog.Record) error {
	if line.Level < slog.LevelWarn {
		return h.Handler.Handle(ctx, line)
	}
	h.held.mu.Lock()
	known := h.held.lines[line.Message]
	if known == nil && len(h.held.lines) < heldLines {
		known = &heldLine{}
		h.held.lines[line.Message] = known
	}
	if known != nil && !known.last.IsZero() && line.Time.Sub(known.last).Abs() < reportEvery {
		known.repeated++
		h.held.mu.Unlock()
		return nil
	}
	repeated := int64(0)
	if known != nil {
		repeated, known.last, known.repeated = known.repeated, line.Time, 0
	}
	h.held.mu.Unlock()
	if repeated > 0 {
		line = line.Clone()
		line.AddAttrs(slog.Int64("repeated", repeated))
	}
	return h.Handler.Handle(ctx, line)
}

// WithAttrs implements [slog.Handler].
func (h *holding) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &holding{h.Handler.WithAttrs(attrs), h.held}
}

// WithGroup implements [slog.Handler].
func (h *holding) WithGroup(name string) slog.Handler {
	return &holding{h.Handler.WithGroup(name), h.held}
}
