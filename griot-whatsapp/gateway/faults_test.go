package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/device"
	"example.com/griot/griot-whatsapp/fakewhatsapp"
	"example.com/griot/griot-whatsapp/gateway"
	"example.com/griot/griot-whatsapp/internal/db"
	"example.com/griot/griot-whatsapp/phonetest"
	"example.com/griot/griot-whatsapp/protocol"
	"example.com/griot/griot-whatsapp/store"
	"example.com/griot/griot-whatsapp/storetest"
)

func TestGateway_LostAcknowledgement(t *testing.T) {
	for name, deduplicates := range map[string]bool{"is never repeated": false, "is repeated where the setting says so": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(c *gateway.Config) { c.Deduplicates, c.FirstContact = deduplicates, true }, storetest.Limits)
			phone := phonetest.New(t, w.whatsApp, awa)
			w.whatsApp.Set(fakewhatsapp.Faults{DropOnMessage: true})
			if f := w.refused(message("msg_1", "Une fois", nil)); f.Class != "unknown" {
				t.Errorf("refused with %+v, want unknown", f)
			}
			w.whatsApp.Set(fakewhatsapp.Faults{})
			got := phone.Message(t)
			w.next("receipt", func(e protocol.Event) bool { return e.Receipt != nil && e.Receipt.Reference == "msg_1" })
			a := w.taken(message("msg_1", "Une fois", nil)) // the receipt has shown that it was sent
			if n := w.whatsApp.Seen(got.Info.ID); n != 1 || a.ProviderID != got.Info.ID {
				t.Errorf("WhatsApp saw it %d times as %s, want once as %s", n, a.ProviderID, got.Info.ID)
			}

			phone.Client.Disconnect() // no receipts
			w.whatsApp.Set(fakewhatsapp.Faults{DropOnMessage: true})
			if f := w.settled(message("msg_2", "Encore", nil)); f.Class != "unknown" {
				t.Errorf("refused with %+v, want unknown", f)
			}
			w.whatsApp.Set(fakewhatsapp.Faults{})
			if status, r := ask[protocol.Refusal](t, w.gateway, "GET", "/messages/msg_2", nil); status != http.StatusNotFound || r.Error.Code != "outcome_unknown" {
				t.Errorf("asked for: %d %+v, want outcome_unknown", status, r)
			}
			id := device.MessageID(shop, "msg_2")
			want, refusal := 1, protocol.Failure{Class: "unknown", Code: "outcome_unknown"}
			if deduplicates {
				want, refusal = 2, protocol.Failure{}
			}
			for deadline := time.Now().Add(patience); ; { // for a repeated message, "unknown" also means that the number is connecting
				f := w.settled(message("msg_2", "Encore", nil))
				if f == refusal {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("the second time: %+v, want %+v", f, refusal)
				}
			}
			if n := w.whatsApp.Seen(id); n != want {
				t.Errorf("WhatsApp saw it %d times, want %d", n, want)
			}
		})
	}
}

// A message about whose recipient WhatsApp gave no information goes when it is sent again.
func TestGateway_RefusedQueryCanBeRepeated(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.FirstContact = true }, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	w.whatsApp.Set(fakewhatsapp.Faults{Refuse: map[fakewhatsapp.Query]int{fakewhatsapp.Devices: 429}})
	if f := w.refused(message("msg_1", "Une fois", nil)); f != (protocol.Failure{Class: "rate_limited", Code: "slow_down", ProviderCode: "429", RetryAfter: 60}) {
		t.Errorf("refused with %+v, want slow_down", f)
	}
	w.whatsApp.Set(fakewhatsapp.Faults{})
	a := w.taken(message("msg_1", "Une fois", nil))
	if got := phone.Message(t); got.Info.ID != a.ProviderID || w.whatsApp.Seen(a.ProviderID) != 1 {
		t.Errorf("the phone got %s, and WhatsApp saw %s %d times, want once", got.Info.ID, a.ProviderID, w.whatsApp.Seen(a.ProviderID))
	}
}

func TestGateway_KeepsEventsWhileGriotIsAway(t *testing.T) {
	w := newWorld(t, nil, store.Limits{Events: 2, Bytes: 1 << 20})
	phone := phonetest.New(t, w.whatsApp, awa)
	w.away.Store(true)
	texts := []string{"un", "deux", "trois", "quatre"}
	for _, text := range texts {
		phone.Send(t, shop, text)
	}
	deadline := time.Now().Add(patience)
	for n := 0; n < 2; {
		var err error
		if n, err = w.store.Waiting(t.Context()); err != nil || time.Now().After(deadline) {
			t.Fatalf("%d events are stored, %v, want 2", n, err)
		}
	}
	if n := w.whatsApp.Waiting(shop); n < 2 {
		t.Errorf("%d messages wait at WhatsApp, want the two that have no place here", n)
	}
	w.away.Store(false)
	var got []string
	for len(got) < len(texts) {
		if m := w.inbound(); !slices.Contains(got, m.Text) {
			got = append(got, m.Text)
		}
	}
	slices.Sort(got)
	slices.Sort(texts)
	if !slices.Equal(got, texts) {
		t.Errorf("Griot got %v, want %v", got, texts)
	}
}

func TestGateway_HasOneHolder(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.FirstContact = true }, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	second, _ := w.run()
	status, r := 0, protocol.Refusal{}
	for deadline := time.Now().Add(patience); r.Error.Code != "number_held_elsewhere"; {
		if status, r = ask[protocol.Refusal](t, second, "POST", "/send", message("msg_1", "x", nil)); time.Now().After(deadline) {
			t.Fatalf("the second gateway: %d %+v, want number_held_elsewhere", status, r)
		}
	}
	connects := len(w.whatsApp.Connects())
	w.taken(message("msg_1", "du premier", nil))
	if n := w.whatsApp.Online(shop); n != 1 || len(w.whatsApp.Connects()) != connects {
		t.Errorf("the number has %d connections, want the first gateway's", n)
	}
	w.stop()
	w.await(device.Connected)
	if status, a := ask[protocol.Accepted](t, second, "POST", "/send", message("msg_2", "du second", nil)); status != http.StatusOK || a.Reference != "msg_2" {
		t.Errorf("the second gateway, when the first has ended: %d %+v, want it taken", status, a)
	}
	for _, want := range []string{"du premier", "du second"} {
		if got := phonetest.Text(phone.Message(t).Message); got != want {
			t.Errorf("the phone got %q, want %q", got, want)
		}
	}
}

func TestGateway_RefusesWhatIsWrong(t *testing.T) {
	w := newWorld(t, nil, storetest.Limits)
	for name, tt := range map[string]struct {
		message object
		want    protocol.Failure
	}{
		"another channel":   {message("msg_1", "x", object{"channel": "sms"}), protocol.Failure{Class: "permanent", Code: "channel_unsupported"}},
		"no reference":      {message("", "x", nil), protocol.Failure{Class: "permanent", Code: "reference_invalid"}},
		"no text":           {message("msg_1", "", nil), protocol.Failure{Class: "permanent", Code: "message_invalid"}},
		"nobody":            {message("msg_1", "x", object{"to": "x"}), protocol.Failure{Class: "permanent", Code: "message_invalid"}},
		"a link":            {message("msg_1", "x", object{"media": object{"url": "https://example.com"}}), protocol.Failure{Class: "permanent", Code: "media_unsupported"}},
		"its time is over":  {message("msg_1", "x", object{"expiresAt": time.Now().Add(-time.Second)}), protocol.Failure{Class: "permanent", Code: "expired"}},
		"another sender":    {message("msg_1", "x", object{"from": "22370000099"}), protocol.Failure{Class: "sender_down", Code: "number_not_paired"}},
		"an unknown group":  {message("msg_1", "x", object{"groupId": "12036309999@g.us"}), protocol.Failure{Class: "permanent", Code: "group_unknown"}},
		"an invalid number": {message("msg_1", "x", object{"to": "0612"}), protocol.Failure{Class: "permanent", Code: "message_invalid"}},
	} {
		if f := w.refused(tt.message); f != tt.want {
			t.Errorf("%s: %+v, want %+v", name, f, tt.want)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/send", strings.NewReader("{}"))
	protocol.Key{ID: "k1", Secret: "another-secret-of-32-characters-or-more"}.Sign(r, "/send", []byte("{}"), time.Now())
	rec := httptest.NewRecorder()
	w.gateway.Handler().ServeHTTP(rec, r)
	if rec.Code != http.StatusUnauthorized {
		t.Errorf("with a wrong signature: %d, want 401", rec.Code)
	}
	w.whatsApp.Kick(shop, fakewhatsapp.Removed())
	w.await(device.LoggedOut)
	if f := w.refused(message("msg_1", "x", nil)); f != (protocol.Failure{Class: "sender_down", Code: "number_logged_out"}) {
		t.Errorf("logged out: %+v, want number_logged_out", f)
	}
}

// WhatsApp sends a message and a receipt again if the store did not accept them.
func TestGateway_WhatWasNotStoredComesAgain(t *testing.T) {
	w := newWorld(t, func(c *gateway.Config) { c.FirstContact, c.MissedPause = true, 100*time.Millisecond }, storetest.Limits)
	phone := phonetest.New(t, w.whatsApp, awa)
	raw, err := db.Open(t.Context(), w.path, storetest.Box(t))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	exec := func(statement string) {
		t.Helper()
		if _, err := raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TRIGGER broken BEFORE INSERT ON griot_events BEGIN SELECT RAISE(ABORT, 'broken'); END`)
	phone.Send(t, shop, "Avez-vous du riz ?")
	w.taken(message("msg_1", "Bonjour", nil))
	phone.Message(t)
	time.Sleep(300 * time.Millisecond)
	exec(`DROP TRIGGER broken`)
	question, receipt := false, false // in either order: WhatsApp sends both again after the next login
	w.next("question and receipt", func(e protocol.Event) bool {
		question = question || e.Inbound != nil && e.Inbound.Text == "Avez-vous du riz ?"
		receipt = receipt || e.Receipt != nil && e.Receipt.Reference == "msg_1"
		return question && receipt
	})
}
