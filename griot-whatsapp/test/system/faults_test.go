package system_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
)

const moussa = "22370000002" // has never written to anyone

// Faults of WhatsApp, the network, and the processes, as seen by Griot through both programs.
func TestBothPrograms_Faults(t *testing.T) {
	s, err := fakewhatsapp.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for number, lid := range map[string]string{shop: "900001", receiver: "900002", awa: "100001", moussa: "100002"} {
		s.AddUser(number, lid)
	}
	d := deploy(t, s, receiver)
	d.set("first_contact: true")
	d.startGriot()
	d.pair(shop, false)
	d.pair(receiver, true)
	d.startLinked(2)
	phone := phonetest.New(t, s, awa)
	phonetest.New(t, s, moussa)
	account := d.admin("id", "accounts", "create", "--name", "Boutique Awa", "--email", "awa@example.com")
	key := "X-API-Key: " + d.admin("key", "api-keys", "create", "--account", account)
	d.admin("id", "senders", "add", "--account", account, "--channel", "whatsapp", "--address", shop, "--gateway", "linked")
	send := func(to, text string) string {
		return d.send(key, `{"channel":"whatsapp","to":"`+to+`","message":"`+text+`"}`)
	}
	seen := func(id string, want int) {
		t.Helper()
		if n := s.Seen(device.MessageID(shop, id)); n != want {
			t.Errorf("WhatsApp saw the message %d times, want %d", n, want)
		}
	}

	// A second process on the same store writes nothing until the first is killed. Another program takes over the
	// first one's connection.
	connects := len(s.Connects())
	second := d.startSecond()
	id := send(awa, "Du premier.")
	d.becomes(key, id, "DELIVERED")
	seen(id, 1)
	if n := len(s.Connects()); n != connects || s.Online(shop) != 1 {
		t.Errorf("the second process has made %d connections, want none", n-connects)
	}
	s.Kick(shop, fakewhatsapp.Replaced())
	d.senderIs(key, `"state":"disconnected","reason":"stream_replaced"`)
	d.linked.kill()
	eventually(t, "the second process", func() string {
		if strings.Count(second.out.String(), "state=connected") < 2 {
			return second.out.String()
		}
		return ""
	})
	second.stop()
	d.startLinked(2)

	// The acknowledgment is lost, but the receipt shows that the message was delivered.
	s.Set(fakewhatsapp.Faults{DropAcks: true})
	id = send(awa, "Sans réponse.")
	d.becomes(key, id, "DELIVERED")
	seen(id, 1)
	s.Set(fakewhatsapp.Faults{})

	// The connection is lost with the message, the phone is off, and both programs are killed. The outcome is
	// unknown, and nothing is repeated.
	phone.Client.Disconnect()
	s.Set(fakewhatsapp.Faults{DropOnMessage: true})
	id = send(awa, "Personne ne sait.")
	eventually(t, "the message", func() string {
		if s.Seen(device.MessageID(shop, id)) == 0 {
			return "WhatsApp has not seen it"
		}
		return ""
	})
	d.linked.kill()
	d.griot.kill()
	s.Set(fakewhatsapp.Faults{})
	d.startLinked(2)
	d.startGriot()
	d.answers("/messages/"+id, "outcome_unknown")
	seen(id, 1)
	if err := phone.Client.Connect(); err != nil {
		t.Fatal(err)
	}
	d.becomes(key, id, "DELIVERED")
	seen(id, 1)

	// The network drops the connection.
	s.Kick(shop, nil)
	id = send(awa, "Après la coupure.")
	d.becomes(key, id, "DELIVERED")

	// Error 463: nothing is sent to strangers, even after both programs were killed, and people who write get replies.
	d.senderIs(key, `"state":"connected"`)
	s.Set(fakewhatsapp.Faults{AckError: 463})
	seen(d.unreachable(key, moussa), 1)
	d.senderIs(key, `"state":"restricted","reason":"reach_out_timelock","until":"20`)
	s.Set(fakewhatsapp.Faults{})
	d.linked.kill()
	d.griot.kill()
	d.startLinked(1)
	d.startGriot()
	d.senderIs(key, `"state":"restricted","reason":"reach_out_timelock","until":"20`)
	seen(d.unreachable(key, moussa), 0)
	phone.Send(t, shop, "Êtes-vous ouvert ?")
	d.inInbox(key, "Êtes-vous ouvert ?")
	d.becomes(key, send(awa, "Oui."), "DELIVERED")

	// An outdated version, a closed number, and a number that is banned for an hour.
	s.Set(fakewhatsapp.Faults{ConnectFailure: &fakewhatsapp.Failure{Reason: 405, Phone: shop}})
	s.Kick(shop, nil)
	d.senderIs(key, `"state":"outdated","reason":"client_outdated"`)
	s.Set(fakewhatsapp.Faults{ConnectFailure: &fakewhatsapp.Failure{Reason: 406, Phone: receiver}})
	s.Kick(receiver, nil)
	eventually(t, "the closed number", func() string {
		if out := d.devices("list"); !strings.Contains(out, receiver+"\tbanned") {
			return out
		}
		return ""
	})
	s.Set(fakewhatsapp.Faults{ConnectFailure: &fakewhatsapp.Failure{Reason: 402, Phone: shop, Expire: time.Hour}})
	d.linked.stop()
	d.startLinked(0)
	d.senderIs(key, `"state":"restricted","reason":"temporary_ban","until":"20`)
	if r, err := call(t, "POST", d.api+"/api/send", `{"channel":"whatsapp","to":"`+awa+`","message":"x"}`, key); err != nil || r.status != http.StatusConflict {
		t.Errorf("by a banned number: %+v, %v, want 409", r, err)
	}
	for name, want := range map[string]float64{`griot_whatsapp_connections{state="restricted"}`: 1, `griot_whatsapp_connections{state="banned"}`: 1} {
		if got := d.metric(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

// set adds a line to the settings of griot-whatsapp.
func (d *deployment) set(line string) {
	d.t.Helper()
	d.edit("griot-whatsapp.yaml", func(text string) string { return text + line + "\n" })
}

// startSecond starts another griot-whatsapp on the same store and returns when it is ready.
func (d *deployment) startSecond() *process {
	d.t.Helper()
	address := func() string { return fmt.Sprintf("127.0.0.1:%d", freePort(d.t)) }
	probes := address()
	p := start(d.t, d.dir, append([]string{"GRIOT_WHATSAPP_LISTEN=" + address(), "GRIOT_WHATSAPP_METRICS_LISTEN=" + probes}, d.env...), linked, "serve")
	eventually(d.t, "the second griot-whatsapp", func() string {
		if r, err := call(d.t, "GET", "http://"+probes+"/readyz", ""); err != nil || r.status != http.StatusOK {
			return fmt.Sprintf("%v\n%s", err, p.out)
		}
		return ""
	})
	return p
}

// answers calls the gateway like Griot and compares the response.
func (d *deployment) answers(target, want string) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.gateway+target, http.NoBody)
	if err != nil {
		d.t.Fatal(err)
	}
	protocol.Key{ID: "k1", Secret: secret}.Sign(r, target, nil, time.Now())
	answer, err := noRedirects.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(raw), want) {
		d.t.Errorf("%s: %s, %v, want %s", target, raw, err, want)
	}
}

// unreachable sends a message to a stranger, which fails immediately, and returns its ID.
func (d *deployment) unreachable(key, to string) (id string) {
	d.t.Helper()
	r, err := call(d.t, "POST", d.api+"/api/send", `{"channel":"whatsapp","to":"`+to+`","message":"Promotion !"}`, key)
	if err != nil || r.status != http.StatusBadGateway || r.body["reason"] != "reach_out_timelock" {
		d.t.Fatalf("to a stranger: %+v, %v, want reach_out_timelock", r, err)
	}
	id, _ = r.body["messageId"].(string)
	return id
}

// senderIs waits until the account's list of senders contains a text.
func (d *deployment) senderIs(key, want string) {
	d.t.Helper()
	eventually(d.t, "the sender", func() string {
		r, err := call(d.t, "GET", d.api+"/api/senders", "", key)
		if err != nil || !strings.Contains(r.raw, want) {
			return fmt.Sprintf("got %+v, %v, want %s\n%s", r, err, want, d.linked.out)
		}
		return ""
	})
}
