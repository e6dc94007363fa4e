package device_test

import (
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
)

func TestDevice_States(t *testing.T) {
	for name, tt := range map[string]struct {
		failure *fakewhatsapp.Failure
		want    device.State
		reason  string
	}{
		"outdated":              {&fakewhatsapp.Failure{Reason: 405}, device.Outdated, "client_outdated"},
		"banned":                {&fakewhatsapp.Failure{Reason: 406}, device.Banned, "banned"},
		"banned for an hour":    {&fakewhatsapp.Failure{Reason: 402, Expire: time.Hour}, device.Restricted, "temporary_ban"},
		"refused":               {&fakewhatsapp.Failure{Reason: 409}, device.Disconnected, "connection_refused"},
		"unlinked on the phone": {nil, device.LoggedOut, "logged_out"},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			d, h := run(t, s, paired(t, s))
			if tt.failure == nil {
				s.Kick(ours, fakewhatsapp.Removed())
			} else {
				s.Set(fakewhatsapp.Faults{ConnectFailure: tt.failure})
				s.Kick(ours, nil)
				h.await(t, device.Connecting)
			}
			if c := h.await(t, tt.want); c.Reason != tt.reason || tt.failure != nil && tt.failure.Expire > 0 && c.Until.IsZero() {
				t.Errorf("the change is %+v, want reason %s", c, tt.reason)
			}
			if _, f := d.Prepare(t.Context(), device.Message{ID: "3EB0", To: device.Person{Number: awa}, Text: "x"}); f == nil {
				t.Error("a message was taken")
			}
		})
	}
}

func TestDevice_IsReplaced(t *testing.T) {
	s := server(t)
	_, h := run(t, s, paired(t, s))
	s.Kick(ours, fakewhatsapp.Replaced())
	if c := h.await(t, device.Disconnected); c.Reason != "stream_replaced" {
		t.Errorf("the reason is %s, want stream_replaced", c.Reason)
	}
}

func TestGate_SpreadsConnections(t *testing.T) {
	g := device.NewGate(20 * time.Millisecond)
	began := time.Now()
	for range 6 {
		if err := g.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took < 5*15*time.Millisecond {
		t.Errorf("six turns took %v, want at least 75ms", took)
	}
}

func TestDevice_ConnectsAgainAfterABan(t *testing.T) {
	s := server(t)
	_, h := run(t, s, paired(t, s))
	s.Set(fakewhatsapp.Faults{ConnectFailure: &fakewhatsapp.Failure{Reason: 402, Expire: time.Second}})
	s.Kick(ours, nil)
	c := h.await(t, device.Restricted)
	s.Set(fakewhatsapp.Faults{})
	h.await(t, device.Connected)
	if joined := s.Connects(); joined[len(joined)-1].Before(c.Until) {
		t.Errorf("it connected at %v, want not before %v", joined[len(joined)-1], c.Until)
	}
}
