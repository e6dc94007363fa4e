package smtp

import (
	"context"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false)
	probe := func(s gateway.Prober) error { return s.Probe(t.Context()) }
	s, _ := open(t, r.settings(credentials(nil)))
	for range 2 {
		if err := probe(s); err != nil {
			t.Error(err)
		}
	}
	if stats := r.currentStats(); stats.logins != 1 || len(stats.senders) != 0 || len(r.allReceived()) != 0 {
		t.Errorf("the relay saw %+v", stats)
	}
	wrong, _ := open(t, r.settings(credentials(map[string]any{"password": "balafon"})))
	gatewaytest.WantFailure(t, probe(wrong), "sender_down credentials_refused 535 5.7.8")
	unreachable, _ := open(t, r.settings(map[string]any{"port": 1}))
	gatewaytest.WantFailure(t, probe(unreachable), "temporary smtp_unavailable")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	gatewaytest.WantFailure(t, s.Probe(ctx), "temporary timeout")
	_ = s.Close()
	gatewaytest.WantFailure(t, probe(s), "sender_down closed")
}
