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
	// MaxUnderWay is how many pairings are under way at once.
	MaxUnderWay = 8
	maxEnded    = 256
	keptEnded   = 15 * time.Minute // the protocol wants ten
	cancelWait  = 5 * time.Second
)

// Errors of [Set.Start].
var (
	ErrTooMany = errors.New("too many pairings are under way")
	ErrClosed  = errors.New("the process is ending")
)

// Set is the pairings of a process. What they show is in memory only.
type Set struct {
	pairer *Pairer
	linked func() // is called when a number was linked
	log    *slog.Logger

	mu       sync.Mutex
	pairings map[string]*pairing // by number: those that are under way, and those that have ended not long ago
	closed   bool
	running  sync.WaitGroup
}

// pairing is one of a number. The set's mu guards progress and ended.
type pairing struct {
	number   string
	method   string
	progress protocol.PairProgress
	ended    time.Time
	cancel   context.CancelCauseFunc
	done     chan struct{}
}

var errCancelled = &device.PairError{Reason: "cancelled", Text: "the pairing was canceled"}

// NewSet returns a set that calls linked when a number was linked.
func NewSet(p *Pairer, log *slog.Logger, linked func()) *Set {
	return &Set{pairer: p, linked: linked, log: log, pairings: map[string]*pairing{}}
}

// Start starts a pairing, unless one of the number by the same method is under way; it ends one by another method.
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

// begin adds a pairing in the place of an older one.
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

// run pairs. It notes the end before it tells of a number that was linked, so that who sees it connected sees it paired.
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

// finish notes how a pairing has ended. The caller holds mu.
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

// Status returns how far the number's pairing is.
func (s *Set) Status(number string) protocol.PairProgress {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	if p := s.pairings[number]; p != nil {
		return p.progress
	}
	return protocol.PairProgress{State: protocol.PairNone}
}

// Unlinked forgets how the number's pairing has ended: it is not linked any more.
func (s *Set) Unlinked(number string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.pairings[number]; p != nil && !p.ended.IsZero() {
		delete(s.pairings, number)
	}
}

// Cancel ends the number's pairing, unless a phone is being linked, and returns how it is then.
func (s *Set) Cancel(ctx context.Context, number string) protocol.PairProgress {
	s.mu.Lock()
	p := s.pairings[number]
	s.mu.Unlock()
	if p != nil {
		_ = s.end(ctx, p) // Status says how it is
	}
	return s.Status(number)
}

// end cancels a pairing, and waits a while for its end.
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

// forget drops what ended long ago, and the oldest of many; it returns how many pairings are under way. The caller holds mu.
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

// Close cancels all pairings, and waits for their end.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	for _, p := range s.pairings {
		p.cancel(errCancelled)
	}
	s.mu.Unlock()
	s.running.Wait()
}
