package smpp

import (
	"context"
	"sync"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
)

// Probe implements [gateway.Prober] with an enquire_link, on the open connection or on a separate one.
func (s *sender) Probe(ctx context.Context) error {
	if failure := s.interrupted(ctx); failure != nil {
		return failure
	}
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l == nil || !l.alive() {
		own, failure := s.connect(ctx)
		if failure != nil {
			return failure
		}
		var reading sync.WaitGroup
		reading.Go(own.readLoop)
		defer func() {
			if q, err := own.send(pdu.Unbind, nil, outgoing{}); err == nil {
				own.wait(q, unbindTimeout)
			}
			own.close(errUnbinding)
			reading.Wait()
		}()
		l = own
	}
	q, err := l.send(pdu.EnquireLink, nil, outgoing{})
	if err != nil {
		return l.lostError()
	}
	if !l.wait(q, s.settings.responseTimeout()) {
		return &gateway.Error{Class: gateway.Temporary, Code: "not_connected", Err: errSilent}
	}
	return nil
}
