package remote

import (
	"context"

	"example.com/griot/gateway"
)

// Probe implements [gateway.Prober] by fetching the info.
func (s *sender) Probe(ctx context.Context) error {
	select {
	case s.fetching <- struct{}{}:
		defer func() { <-s.fetching }()
	case <-ctx.Done():
		return &gateway.Error{Class: gateway.Temporary, Code: "timeout", Err: ctx.Err()}
	}
	if failure := s.fetchInfo(ctx); failure != nil {
		return failure
	}
	return nil
}
