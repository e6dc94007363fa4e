package smpp

import (
	"context"
	"sync"

	"griot/gateway"
	"griot/gateway/smpp/pdu"
)

// Probe implements [gateway.Prober]: it asks the center whether it is there, on the
// connection that there is, or else on one that is made for it and taken down again.
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
		var listening sync.WaitGroup
		listening.Go(own.listen)
		defer func() {
			if q, err := own.ask(pdu.Unbind, nil, parcel{}); err == nil {
				own.wait(q, farewell)
			}
			own.kill(errLeaving)
			listening.Wait()
		}()
		l = own
	}
	q, err := l.ask(pdu.EnquireLink, nil, parcel{})
	if err != nil {
		return l.lost()
	}
	if !l.wait(q, s.settings.responseTimeout()) {
		return &gateway.Error{Class: gateway.Temporary, Code: "not_connected", Err: errSilent}
	}
	return nil
}
