package smpp

import (
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smpp/smpptest"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	stopped := open(t, settingsFor(c.Port(), nil))
	if err := gateway.Prober(stopped.sender).Probe(testContext(t)); err != nil { // with a connection of its own
		t.Error(err)
	}
	running := start(t, settingsFor(c.Port(), nil))
	if _, err := running.Send(testContext(t), text("Bonjour")); err != nil {
		t.Fatal(err)
	}
	binds := c.BindCount()
	if err := running.Probe(testContext(t)); err != nil || c.BindCount() != binds {
		t.Errorf("%d binds, and then %d: %v", binds, c.BindCount(), err)
	}
	wrong := open(t, settingsFor(c.Port(), map[string]any{"password": "balafon"}))
	gatewaytest.WantFailure(t, wrong.Probe(testContext(t)), "sender_down credentials_refused 0x0000000e")
	if n := len(c.Submits()); n != 1 {
		t.Errorf("%d messages", n)
	}
}
