package gateway_test

import (
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/gateway"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/storetest"
)

// Error 463 prevents first contacts, even after a restart, and WhatsApp is asked only once.
func TestGateway_RefusesStrangersOnATimelock(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.FirstContact = true }, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	w.whatsApp.Set(fakewhatsapp.Faults{AckError: 463})
	if f := w.refused(message("msg_1", "x", nil)); f != (protocol.Failure{Class: "unreachable", Code: "reach_out_timelock", ProviderCode: "463"}) {
		t.Errorf("refused with %+v, want reach_out_timelock", f)
	}
	c := w.await(device.Restricted)
	if c.Reason != "reach_out_timelock" || time.Until(c.Until) < time.Hour {
		t.Errorf("the state is %+v, want the reason and its end", c)
	}
	w.whatsApp.Set(fakewhatsapp.Faults{})
	w.stop()
	w.gateway, w.stop = w.run()
	if again := w.await(device.Restricted); again.Reason != c.Reason || again.Until.Sub(c.Until).Abs() > time.Second {
		t.Errorf("the state after a restart is %+v, want %+v", again, c)
	}
	if f := w.refused(message("msg_2", "x", nil)); f != (protocol.Failure{Class: "unreachable", Code: "reach_out_timelock"}) {
		t.Errorf("refused after a restart with %+v, want reach_out_timelock", f)
	}
	if n := w.whatsApp.Seen(device.MessageID(shop, "msg_2")); n != 0 {
		t.Errorf("WhatsApp saw the message to a stranger %d times, want never", n)
	}
	phone.Send(t, shop, "Bonjour")
	w.inbound()
	w.taken(message("msg_3", "Réponse", nil))
	if got := phonetest.Text(phone.Message(t).Message); got != "Réponse" {
		t.Errorf("the phone got %q, want Réponse", got)
	}
}

// A restriction is reported with WhatsApp's end, and stops only messages to strangers. A writer whose privacy token is missing
// gets the answer, because the token is requested.
func TestGateway_AnswersWritersOnATimelock(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.FirstContact = true }, storetest.Limits)
	w.whatsApp.AddUser(ana, "200001")
	phonetest.New(t, w.whatsApp, ana)
	phone := phonetest.New(t, w.whatsApp, awa)
	faults := fakewhatsapp.Faults{NeedTokens: shop, LoseTokens: true, Timelock: &fakewhatsapp.Timelock{}}
	w.whatsApp.Set(faults)
	phone.Send(t, shop, "Bonjour")
	w.inbound()
	if f := w.refused(message("msg_1", "x", nil)); f != (protocol.Failure{Class: "unreachable", Code: "privacy_token_missing", ProviderCode: "463"}) {
		t.Errorf("without a token: %+v, want privacy_token_missing", f)
	}
	end := time.Now().Add(90 * time.Minute).Truncate(time.Second)
	faults.GiveTokens, faults.Timelock = true, &fakewhatsapp.Timelock{Active: true, Until: end}
	w.whatsApp.Set(faults)
	if f := w.refused(to(ana, "msg_2", nil)); f != (protocol.Failure{Class: "unreachable", Code: "reach_out_timelock", ProviderCode: "463"}) {
		t.Errorf("to a stranger: %+v, want reach_out_timelock", f)
	}
	if c := w.await(device.Restricted); c.Reason != "reach_out_timelock" || !c.Until.Equal(end) {
		t.Errorf("the state is %+v, want restricted until %v", c, end)
	}
	w.taken(message("msg_1", "Réponse", nil))
	if got := phonetest.Text(phone.Message(t).Message); got != "Réponse" {
		t.Errorf("the phone got %q, want Réponse", got)
	}
}

// A number that is banned for an hour does not connect before the end of the ban, even after a restart. Removing and
// pairing it again ends the ban.
func TestGateway_WaitsForTheEndOfABan(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	w.whatsApp.Set(fakewhatsapp.Faults{ConnectFailure: &fakewhatsapp.Failure{Reason: 402, Expire: time.Hour}})
	w.whatsApp.Kick(shop, nil)
	w.await(device.Restricted)
	w.whatsApp.Set(fakewhatsapp.Faults{})
	w.stop()
	before := len(w.whatsApp.Connects())
	w.gateway, w.stop = w.run()
	if c := w.await(device.Restricted); c.Reason != "temporary_ban" || time.Until(c.Until) < 50*time.Minute {
		t.Errorf("the state after a restart is %+v, want the rest of the hour", c)
	}
	if f := w.refused(message("msg_1", "x", nil)); f != (protocol.Failure{Class: "sender_down", Code: "number_restricted"}) {
		t.Errorf("refused with %+v, want number_restricted", f)
	}
	if n := len(w.whatsApp.Connects()); n != before {
		t.Errorf("WhatsApp saw %d connections during the ban, want none", n-before)
	}
	if removed, err := w.store.Remove(t.Context(), shop); err != nil || !removed {
		t.Fatalf("removing the number: %v, %v, want true", removed, err)
	}
	w.pair(shop)
	w.await(device.Connected)
}
