package twilio

import (
	"context"
	"net/http"

	"griot/gateway"
	"griot/gateway/internal/httpcall"
)

// Probe implements [gateway.Prober]: it asks for the account.
func (s *sender) Probe(ctx context.Context) error {
	r := &httpcall.Request{Method: http.MethodGet, URL: s.settings.BaseURL + "/2010-04-01/Accounts/" + s.settings.AccountSID + ".json", Header: http.Header{}}
	r.Header.Set("Authorization", s.settings.authorization())
	answer, failure := s.calls.Do(ctx, r)
	if failure == nil {
		failure = refused(answer)
	}
	if failure == nil {
		return nil
	}
	if failure.Class == gateway.Unknown { // a question hands nothing over
		failure.Class = gateway.Temporary
	}
	return failure
}
