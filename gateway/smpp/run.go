package smpp

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
)

const (
	firstPause    = 250 * time.Millisecond // the first pause before reconnecting, which then doubles
	longestPause  = 30 * time.Second
	refusedPause  = 10 * time.Second // minimum after a refused login, because centers lock accounts after too many attempts
	longestDrain  = 10 * time.Second
	unbindTimeout = time.Second // for the response to unbind
)

// Run implements [gateway.Runner]. It maintains the connection and passes inbound messages and receipts to the sink.
// When ctx ends, it waits up to longestDrain for the Sends in flight, and unbinds.
func (s *sender) Run(ctx context.Context) error {
	s.update(func() { s.running, s.downSince, s.down = true, s.now(), nil })
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var background sync.WaitGroup
	s.inbound.run(work, &background)
	for failures := 0; ctx.Err() == nil && s.lifetime.Err() == nil; {
		l, failure := s.connect(ctx)
		if failure == nil {
			if s.serve(ctx, l) {
				failures = 0
			}
			failure = notConnected(l.closeCause())
		} else if ctx.Err() == nil && s.lifetime.Err() == nil { // a lost connection is not reported until reconnecting has failed
			s.notifyHealth(failure)
		}
		s.setDown(failure)
		s.pause(ctx, failure, failures)
		failures++
	}
	s.update(func() {
		s.running, s.down = false, &gateway.Error{Class: gateway.SenderDown, Code: "closed", Err: errRunEnded}
	})
	s.inbound.drain(work)
	stop()
	background.Wait()
	return nil
}

// serve uses a link until it closes or ctx ends. It reports whether the center has responded to a request on it.
func (s *sender) serve(ctx context.Context, l *link) (answered bool) {
	var loops sync.WaitGroup
	loops.Go(l.readLoop)
	loops.Go(l.enquireLoop)
	s.log.Info("smpp connected")
	s.notifyHealth(nil)
	s.update(func() { s.link, s.down = l, nil })
	stop := context.AfterFunc(s.lifetime, func() { l.close(errClosed) })
	select {
	case <-l.closed:
	case <-ctx.Done():
		s.drain(ctx, l)
	}
	stop()
	loops.Wait()
	s.update(func() { s.link, s.downSince = nil, s.now() })
	return l.answered.Load()
}

// drain waits for the Sends in flight, and unbinds.
func (s *sender) drain(ctx context.Context, l *link) {
	s.inbound.refuseNew()
	timeout := time.NewTimer(min(s.settings.responseTimeout(), longestDrain))
	defer timeout.Stop()
	for waiting := true; waiting && l.alive(); {
		s.mu.Lock()
		inFlight, changed := s.inFlight, s.changed
		s.mu.Unlock()
		if inFlight == 0 {
			break
		}
		select {
		case <-changed:
		case <-timeout.C:
			waiting = false
		case <-l.closed:
		}
	}
	s.inbound.drain(context.WithoutCancel(ctx))
	if q, err := l.send(pdu.Unbind, nil, outgoing{}); err == nil {
		l.wait(q, unbindTimeout)
	}
	l.close(errUnbinding)
}

// setDown stores the failure that Sends return while there is no connection. Temporary failures are not stored.
func (s *sender) setDown(failure *gateway.Error) {
	s.update(func() {
		s.down = nil
		if failure.Class == gateway.SenderDown {
			s.down = failure
		}
	})
	s.log.Debug("smpp isn't connected", "code", failure.Code, "providerCode", failure.ProviderCode, "err", failure.Err)
}

// pause waits before the next attempt to connect, with jitter, so that several processes do not connect at the same time.
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
	case <-s.lifetime.Done():
	}
}

// isEnd reports whether the peer has closed the connection.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
