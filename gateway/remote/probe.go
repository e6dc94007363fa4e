package remote

import (
	"context"

	"griot/gateway"
)

// Probe implements [gateway.Prober]: it asks the gateway what it can do.
func (s *sender) Probe(ctx context.Context) error {
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return &gateway.Error{Class: gateway.Temporary, Code: "timeout", Err: ctx.Err()}
	}
	if failure := s.ask(ctx); failure != nil {
		return failure
	}
	return nil
}
