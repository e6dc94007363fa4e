package smpp

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"griot/gateway"
	"griot/gateway/smpp/pdu"
)

const (
	firstPause   = 250 * time.Millisecond // before connecting again; then doubling
	longestPause = 30 * time.Second
	refusedPause = 10 * time.Second // at least, after a refused login: centers lock accounts that try too often
	longestDrain = 10 * time.Second
	farewell     = time.Second // for the answer to unbind
)

// Run implements [gateway.Runner]: it keeps the connection, and gives the sink what
// comes in. When ctx ends it waits, not for long, for the Sends under way, and unbinds.
func (s *sender) Run(ctx context.Context) error {
	s.change(func() { s.running, s.since, s.down = true, s.now(), nil })
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var background sync.WaitGroup
	s.arrivals.run(work, &background)
	for failures := 0; ctx.Err() == nil && s.life.Err() == nil; {
		l, failure := s.connect(ctx)
		if failure == nil {
			if s.serve(ctx, l) {
				failures = 0
			}
			failure = unconnected(l.ended())
		} else if ctx.Err() == nil && s.life.Err() == nil { // a lost connection that comes back at once is no news
			s.tell(failure)
		}
		s.report(failure)
		s.pause(ctx, failure, failures)
		failures++
	}
	s.change(func() {
		s.running, s.down = false, &gateway.Error{Class: gateway.SenderDown, Code: "closed", Err: errEnded}
	})
	s.arrivals.finish(work)
	stop()
	background.Wait()
	return nil
}

// serve works with a link until it, or ctx, ends. It reports whether the link was of use.
func (s *sender) serve(ctx context.Context, l *link) (useful bool) {
	var both sync.WaitGroup
	both.Go(l.listen)
	both.Go(l.enquire)
	s.log.Info("smpp connected")
	s.tell(nil)
	s.change(func() { s.link, s.down = l, nil })
	stop := context.AfterFunc(s.life, func() { l.kill(errClosed) })
	select {
	case <-l.dead:
	case <-ctx.Done():
		s.drain(ctx, l)
	}
	stop()
	both.Wait()
	s.change(func() { s.link, s.since = nil, s.now() })
	return l.useful.Load()
}

// drain lets the Sends under way end, and takes leave.
func (s *sender) drain(ctx context.Context, l *link) {
	s.arrivals.refuse()
	patience := time.NewTimer(min(s.settings.responseTimeout(), longestDrain))
	defer patience.Stop()
	for waiting := true; waiting && l.alive(); {
		s.mu.Lock()
		sending, changed := s.sending, s.changed
		s.mu.Unlock()
		if sending == 0 {
			break
		}
		select {
		case <-changed:
		case <-patience.C:
			waiting = false
		case <-l.dead:
		}
	}
	s.arrivals.finish(context.WithoutCancel(ctx))
	if q, err := l.ask(pdu.Unbind, nil, parcel{}); err == nil {
		l.wait(q, farewell)
	}
	l.kill(errLeaving)
}

// report keeps what a failure means for Sends.
func (s *sender) report(failure *gateway.Error) {
	s.change(func() {
		s.down = nil
		if failure.Class == gateway.SenderDown {
			s.down = failure
		}
	})
	s.log.Debug("smpp isn't connected", "code", failure.Code, "providerCode", failure.ProviderCode, "err", failure.Err)
}

// pause waits before the next attempt to connect, with jitter, so that the processes of a site don't all come at once.
func (s *sender) pause(ctx context.Context, failure *gateway.Error, failures int) {
	d := min(firstPause<<min(failures, 10), longestPause)
	if failure.Class == gateway.SenderDown {
		d = max(d, refusedPause)
	}
	t := time.NewTimer(d/2 + rand.N(d/2))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-s.life.Done():
	}
}

// isEnd reports whether a connection has ended without an error of the network.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
