package remote

import (
	"testing"

	"example.com/griot/gateway"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	s, f, _ := opened(t, nil)
	probe := gateway.Prober(s).Probe
	if err := probe(t.Context()); err != nil {
		t.Error(err)
	}
	f.info = `{"protocol":2}`
	if err := gateway.AsError(probe(t.Context())); err.Code != "protocol_unsupported" {
		t.Errorf("got %v, want protocol_unsupported", err)
	}
	if len(f.delivered) != 0 {
		t.Error("a message was sent")
	}
}
