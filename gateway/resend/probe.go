package resend

import (
	"context"
	"net/http"

	"example.com/griot/gateway/internal/httpcall"
)

// Probe implements [gateway.Prober] by requesting the team's domains. A key that can only send is refused with
// restricted_api_key, which shows that it is valid.
func (s *sender) Probe(ctx context.Context) error {
	r := &httpcall.Request{Method: http.MethodGet, URL: s.settings.BaseURL + "/domains", Header: http.Header{}}
	r.Header.Set("Authorization", "Bearer "+s.settings.APIKey)
	_, failure := s.Call(ctx, r, answerError)
	if failure != nil && failure.ProviderCode == "restricted_api_key" {
		return nil
	}
	return httpcall.ProbeError(failure)
}
