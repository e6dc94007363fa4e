package cloudapi

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"griot/gateway"
)

// Probe implements [gateway.Prober]: it asks for each of our numbers by its id.
func (s *sender) Probe(ctx context.Context) error {
	for _, number := range slices.Sorted(maps.Values(s.settings.byNumber)) {
		answer, failure := s.calls.Do(ctx, s.request(http.MethodGet, number+"?fields=id", "", nil))
		if failure == nil {
			failure = refused(answer)
		}
		if failure != nil {
			return asked(failure)
		}
	}
	return nil
}

// asked: a question hands nothing over, so that none of its failures is unknown.
func asked(failure *gateway.Error) *gateway.Error {
	if failure.Class == gateway.Unknown {
		failure.Class = gateway.Temporary
	}
	return failure
}
