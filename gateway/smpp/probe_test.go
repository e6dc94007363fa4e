package smpp

import (
	"testing"

	"griot/gateway"
	"griot/gateway/smpp/smpptest"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	stopped := open(t, settingsFor(c.Port(), nil))
	if err := gateway.Prober(stopped.sender).Probe(within(t)); err != nil { // with a connection of its own
		t.Error(err)
	}
	running := start(t, settingsFor(c.Port(), nil))
	if _, err := running.Send(within(t), text("Bonjour")); err != nil {
		t.Fatal(err)
	}
	binds := c.Attempts()
	if err := running.Probe(within(t)); err != nil || c.Attempts() != binds {
		t.Errorf("%d binds, and then %d: %v", binds, c.Attempts(), err)
	}
	wrong := open(t, settingsFor(c.Port(), map[string]any{"password": "balafon"}))
	wantFailure(t, wrong.Probe(within(t)), "sender_down credentials_refused 0x0000000e")
	if n := len(c.Submits()); n != 1 {
		t.Errorf("%d messages", n)
	}
}
