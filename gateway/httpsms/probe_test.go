package httpsms

import (
	"net/http"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/providertest"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	asked, status := "", http.StatusOK
	provider := providertest.New(t, func(*http.Request) bool { return false }, func(r *http.Request, body []byte, _ string) providertest.Answer {
		asked = r.Method + " " + r.URL.String() + " " + r.Header.Get("apiKey") + string(body)
		return providertest.Answer{Status: status, Body: `{"UserData":{"balance":"KES 1"},"key":"` + testSecret + `"}`}
	})
	settings := `{"preset":"africastalking","values":{"username":{"value":"a b"},"api_key":{"value":"` + testSecret + `"}},`
	s, err := Open([]byte(settings+`"base_url":"`+provider.URL+`"}`), gatewaytest.NewEnvironment().Deps())
	if err != nil {
		t.Fatal(err)
	}
	p, ok := s.(gateway.Prober)
	if !ok {
		t.Fatal("the preset has no probe")
	}
	if err := p.Probe(t.Context()); err != nil || asked != "GET /version1/user?username=a+b "+testSecret {
		t.Errorf("%q: %v", asked, err)
	}
	for code, want := range map[int]string{401: "sender_down credentials_refused 401", 500: "temporary answer_unexplained 500", 429: "rate_limited rate_limited 429"} {
		status = code
		err := p.Probe(t.Context())
		gatewaytest.WantFailure(t, err, want)
		if strings.Contains(err.Error(), testSecret) {
			t.Errorf("the error repeats the key: %v", err)
		}
	}
	// Settings with another address don't use the preset's probe.
	for _, members := range []string{`"url":"` + provider.URL + `/send"}`, `"base_url":"` + provider.URL + `","probe":null}`} {
		s, err := Open([]byte(settings+members), gatewaytest.NewEnvironment().Deps())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.(gateway.Prober); ok {
			t.Errorf("%s has a probe", members)
		}
	}
}
