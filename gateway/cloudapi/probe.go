package cloudapi

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"griot/gateway/internal/httpcall"
)

// Probe implements [gateway.Prober]: it gets each of our numbers by its id.
func (s *sender) Probe(ctx context.Context) error {
	for _, number := range slices.Sorted(maps.Values(s.settings.byNumber)) {
		answer, failure := s.Do(ctx, s.request(http.MethodGet, number+"?fields=id", "", nil))
		if failure == nil {
			failure = answerError(answer)
		}
		if failure != nil {
			return httpcall.ProbeError(failure)
		}
	}
	return nil
}
