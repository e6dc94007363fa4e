package cloudapi

import (
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/peertest"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	q := peertest.ProbeTest{Path: "/v23.0/", Authorization: "Bearer " + token, Accepted: `{"id":"1"}`, Refused: `{"error":{"code":190,"message":"EAAkoraToken"}}`, Code: "190", Secret: token, Open: func(url string) gateway.Prober {
		s, _ := newFakeGraph(t).open(map[string]any{"base_url": url})
		return s
	}}
	q.Check(t)
}
