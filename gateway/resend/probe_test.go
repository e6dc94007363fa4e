package resend

import (
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/peertest"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	q := peertest.ProbeTest{Path: "/domains", Authorization: "Bearer " + apiKey, Accepted: `{"data":[]}`, Refused: `{"name":"invalid_api_key","message":"re_balafonKey"}`, Code: "invalid_api_key", Secret: apiKey, Open: func(url string) gateway.Prober {
		s, _ := newFake(t).open(map[string]any{"base_url": url})
		return s
	}}
	q.Check(t)
}
