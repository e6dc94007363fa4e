package cloudapi

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"example.com/griot/gateway/internal/httpcall"
)

// Probe implements [gateway.Prober]. It requests each of our numbers by its ID.
func (s *sender) Probe(ctx context.Context) error {
	for _, number := range slices.Sorted(maps.Values(s.settings.byNumber)) {
		if _, failure := s.Call(ctx, s.request(http.MethodGet, number+"?fields=id", "", nil), answerError); failure != nil {
			return httpcall.ProbeError(failure)
		}
	}
	return nil
}
