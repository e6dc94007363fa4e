package pairing

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/protocol"
)

const (
	// MaxUnderWay is the maximum number of pairings in progress.
	MaxUnderWay = 8
	maxEnded    = 256
	keptEnded   = 15 * time.Minute // the protocol requires at least ten
	cancelWait  = 5 * time.Second
)

// Errors of [Set.Start].
var (
	ErrTooMany = errors.New("too many pairings are under way")
	ErrClosed  = errors.New("the process is ending")
)

// Set manages the pairings of a process. The displayed codes are in memory only.
type Set struct {
	pairer *Pairer
	linked func() // called after a number was linked
	log    *slog.Logger

	mu       sync.Mutex
	pairings map[string]*pairing // by number: those in progress, and those that have ended recently
	closed   bool
	running  sync.WaitGroup
}

// pairing is the pairing of one number. The set's mu guards progress and ended.
type pairing struct {
	number   string
	method   string
	progress protocol.PairProgress
	ended    time.Time
	cancel   context.CancelCauseFunc
	done     chan struct{}
}

var errCancelled = &device.PairError{Reason: "cancelled", Text: "the pairing was canceled"}

// NewSet returns a set that calls linked after a number was linked.
func NewSet(p *Pairer, log *slog.Logger, linked func()) *Set {
	return &Set{pairer: p, linked: linked, log: log, pairings: map[string]*pairing{}}
}

// Start starts a pairing, unless one of the number with the same method is in progress. It cancels one with another method.
func (s *Set) Start(ctx context.Context, number, method string) (protocol.PairProgress, error) {
	for {
		s.mu.Lock()
		p := s.pairings[number]
		underWay := p != nil && p.ended.IsZero()
		if underWay && p.method == method {
			defer s.mu.Unlock()
			return p.progress, nil
		}
		s.mu.Unlock()
		if underWay {
			if err := s.end(ctx, p); err != nil {
				return protocol.PairProgress{}, err
			}
		}
		check := s.pairer.Check(ctx, number)
		if check != nil && !errors.Is(check, ErrAlreadyPaired) {
			return protocol.PairProgress{}, check
		}
		if progress, err := s.begin(p, number, method, check); !errors.Is(err, errAnother) {
			return progress, err
		}
	}
}

var errAnother = errors.New("another request has started a pairing of this number")

// begin adds a pairing that replaces an older one.
func (s *Set) begin(older *pairing, number, method string, failed error) (protocol.PairProgress, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	underWay := s.forget()
	current := s.pairings[number]
	switch {
	case s.closed:
		return protocol.PairProgress{}, ErrClosed
	case current != nil && current != older:
		return protocol.PairProgress{}, errAnother
	case failed == nil && underWay >= MaxUnderWay:
		return protocol.PairProgress{}, ErrTooMany
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	p := &pairing{number: number, method: method, progress: protocol.PairProgress{State: protocol.PairStarting}, cancel: cancel, done: make(chan struct{})}
	s.pairings[number] = p
	if failed != nil {
		s.finish(p, failed)
		return p.progress, nil
	}
	s.log.Info("a pairing has started", "number", number, "method", method)
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		s.run(ctx, p)
	}()
	return p.progress, nil
}

// run runs a pairing. It records the result before it reports the linked number, so that a connected number is always shown as paired.
func (s *Set) run(ctx context.Context, p *pairing) {
	err := s.pairer.Pair(ctx, p.number, p.method == protocol.PairByCode, func(what string, until time.Time) {
		s.mu.Lock()
		defer s.mu.Unlock()
		p.progress = protocol.PairProgress{State: protocol.PairWaiting, ExpiresAt: until.UTC()}
		if p.method == protocol.PairByCode {
			p.progress.Code = what
		} else {
			p.progress.QR = what
		}
	})
	s.mu.Lock()
	s.finish(p, err)
	reason := p.progress.Reason
	s.mu.Unlock()
	if err != nil {
		s.log.Info("a pairing has failed", "number", p.number, "reason", reason)
		return
	}
	s.log.Info("a number was linked", "number", p.number)
	s.linked()
}

// finish records the result of a pairing. The caller holds mu.
func (s *Set) finish(p *pairing, err error) {
	p.cancel(nil)
	p.ended = time.Now()
	p.progress = protocol.PairProgress{State: protocol.PairDone}
	if err != nil {
		p.progress = protocol.PairProgress{State: protocol.PairFailed, Reason: "provider_failed"}
		if known, ok := errors.AsType[*device.PairError](err); ok {
			p.progress.Reason = known.Reason
		}
	}
	close(p.done)
}

// Status returns the progress of the number's pairing.
func (s *Set) Status(number string) protocol.PairProgress {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	if p := s.pairings[number]; p != nil {
		return p.progress
	}
	return protocol.PairProgress{State: protocol.PairNone}
}

// Unlinked deletes the result of the number's pairing because the number is no longer linked.
func (s *Set) Unlinked(number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pairings[number]; p != nil && !p.ended.IsZero() {
		delete(s.pairings, number)
	}
}

// Cancel cancels the number's pairing, unless a phone is being linked, and returns the new state.
func (s *Set) Cancel(ctx context.Context, number string) protocol.PairProgress {
	s.mu.Lock()
	p := s.pairings[number]
	s.mu.Unlock()
	if p != nil {
		_ = s.end(ctx, p) // Status reports the result
	}
	return s.Status(number)
}

// end cancels a pairing and waits a limited time for it to end.
func (s *Set) end(ctx context.Context, p *pairing) error {
	p.cancel(errCancelled)
	ctx, stop := context.WithTimeout(ctx, cancelWait)
	defer stop()
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// forget deletes the results of old pairings, and the oldest if there are too many. It returns the number of pairings
// in progress. The caller holds mu.
func (s *Set) forget() (underWay int) {
	var oldest *pairing
	ended := 0
	for number, p := range s.pairings {
		switch {
		case p.ended.IsZero():
			underWay++
		case time.Since(p.ended) > keptEnded:
			delete(s.pairings, number)
		default:
			if ended++; oldest == nil || p.ended.Before(oldest.ended) {
				oldest = p
			}
		}
	}
	if ended > maxEnded {
		delete(s.pairings, oldest.number)
	}
	return underWay
}

// Close cancels all pairings and waits for them to end.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	for _, p := range s.pairings {
		p.cancel(errCancelled)
	}
	s.mu.Unlock()
	s.running.Wait()
}
