package twilio

import (
	"context"
	"net/http"

	"griot/gateway/internal/httpcall"
)

// Probe implements [gateway.Prober]: it gets the account.
func (s *sender) Probe(ctx context.Context) error {
	r := &httpcall.Request{Method: http.MethodGet, URL: s.settings.BaseURL + "/2010-04-01/Accounts/" + s.settings.AccountSID + ".json", Header: http.Header{}}
	r.Header.Set("Authorization", s.settings.authorization())
	answer, failure := s.Do(ctx, r)
	if failure == nil {
		failure = answerError(answer)
	}
	return httpcall.ProbeError(failure)
}
