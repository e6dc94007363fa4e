package twilio

import (
	"context"
	"net/http"

	"example.com/griot/gateway/internal/httpcall"
)

// Probe implements [gateway.Prober] by requesting the account.
func (s *sender) Probe(ctx context.Context) error {
	r := &httpcall.Request{Method: http.MethodGet, URL: s.settings.BaseURL + "/2010-04-01/Accounts/" + s.settings.AccountSID + ".json", Header: http.Header{}}
	r.Header.Set("Authorization", s.settings.authorization())
	_, failure := s.Call(ctx, r, answerError)
	return httpcall.ProbeError(failure)
}
