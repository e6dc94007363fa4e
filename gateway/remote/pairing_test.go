package remote

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/providertest"
)

func TestPairing(t *testing.T) {
	t.Parallel()
	s, f, env := opened(t, nil)
	p, err := s.StartPairing(t.Context(), gateway.SMS, ourNumber, gateway.PairByQR)
	if err != nil || p != (gateway.PairingProgress{State: gateway.PairingStarting}) {
		t.Errorf("got %+v, %v, want starting and nothing to type", p, err)
	}
	want := gateway.PairingProgress{State: gateway.PairingWaiting, QR: "2@abc,def=", ExpiresAt: env.Clock.Now().Add(20 * time.Second)}
	if p, err = s.PairingStatus(t.Context(), gateway.SMS, ourNumber); err != nil || p.QR != want.QR || p.State != want.State || !p.ExpiresAt.Equal(want.ExpiresAt) {
		t.Errorf("got %+v, %v, want %+v", p, err, want)
	}
	if err := s.CancelPairing(t.Context(), gateway.SMS, ourNumber); err != nil {
		t.Error(err)
	}
	for _, request := range []string{"POST /pair", "GET /pair?channel=sms&from=" + ourNumber, "DELETE /pair?channel=sms&from=" + ourNumber} {
		if n := f.requestCount(request); n != 1 {
			t.Errorf("%s was made %d times, want once", request, n)
		}
	}
}

func TestPairing_Answers(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]gateway.PairingProgress{
		`{"state":"none"}`:                                   {State: gateway.PairingNone},
		`{"state":"paired","qr":"2@x","reason":"x"}`:         {State: gateway.PairingDone},
		`{"state":"starting","code":"AB"}`:                   {State: gateway.PairingStarting},
		`{"state":"waiting","code":"AB-12","qr":""}`:         {State: gateway.PairingWaiting, Code: "AB-12"},
		`{"state":"failed","reason":"too_many_devices"}`:     {State: gateway.PairingFailed, Reason: "too_many_devices"},
		`{"state":"failed","reason":"Call +223 76 54"}`:      {State: gateway.PairingFailed, Reason: gateway.PairingProvider},
		`{"state":"failed","reason":"number_22376543210"}`:   {State: gateway.PairingFailed, Reason: gateway.PairingProvider},
		`{"state":"failed"}`:                                 {State: gateway.PairingFailed, Reason: gateway.PairingProvider},
		`{"state":"waiting","qr":"2@x","code":"AB-12"}`:      {},
		`{"state":"waiting"}`:                                {},
		`{"state":"waiting","qr":"2@\n"}`:                    {},
		`{"state":"waiting","code":"<b>"}`:                   {},
		`{"state":"waiting","code":"` + long(40) + `"}`:      {},
		`{"state":"waiting","qr":"` + long(maxQR+1) + `"}`:   {},
		`{"state":"waiting","qr":"2@x","expiresAt":"later"}`: {},
		`{"state":"maybe"}`:                                  {},
		`{}`:                                                 {},
		`<html>`:                                             {},
	} {
		s, f, _ := opened(t, nil)
		f.answers = func() providertest.Answer { return providertest.Answer{Status: http.StatusOK, Body: answer} }
		got, err := s.PairingStatus(t.Context(), gateway.SMS, ourNumber)
		if got != want {
			t.Errorf("%.60s: got %+v, want %+v", answer, got, want)
		}
		if failure := gateway.AsError(err); want.State == "" && (err == nil || failure.Class != gateway.Temporary || failure.Code != "answer_invalid") || want.State != "" && err != nil {
			t.Errorf("%.60s: %v", answer, err)
		}
	}
}

func long(n int) string { return strings.Repeat("A", n) }

// Each call can be repeated, so no outcome is unknown.
func TestPairing_Failures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer providertest.Answer
		want   string
	}{
		{"refused", refusal(http.StatusTooManyRequests, "rate_limited", "too_many_pairings", `,"retryAfter":30`), "rate_limited too_many_pairings 429"},
		{"unknown", refusal(http.StatusInternalServerError, "unknown", "provider_failed", ""), "temporary provider_failed 500"},
		{"a proxy's", providertest.Answer{Status: http.StatusBadGateway}, "temporary answer_invalid 502"},
		{"another key", providertest.Answer{Status: http.StatusUnauthorized}, "sender_down credentials_refused 401"},
	} {
		s, f, _ := opened(t, nil)
		f.answers = func() providertest.Answer { return tt.answer }
		_, err := s.StartPairing(t.Context(), gateway.SMS, ourNumber, gateway.PairByCode)
		gatewaytest.WantFailure(t, err, tt.want)
	}
	s, f, _ := opened(t, nil)
	_, err := s.StartPairing(t.Context(), gateway.WhatsApp, ourNumber, gateway.PairByCode)
	gatewaytest.WantFailure(t, err, "permanent channel_unsupported")
	f.info = `{"protocol":1}`
	gatewaytest.WantFailure(t, s.CancelPairing(t.Context(), gateway.SMS, ourNumber), "permanent pairing_unsupported")
	f.StopListening()
	s.invalidateInfo()
	_, err = s.PairingStatus(t.Context(), gateway.SMS, ourNumber)
	gatewaytest.WantFailure(t, err, "temporary provider_unavailable")
}
