package client_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"
	"time"

	"example.com/griot/client/webhook"
	"example.com/griot/gateway"
	signing "example.com/griot/internal/webhook"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/events"
	"example.com/griot/messaging/message"
)

// What the service posts is what the client verifies, and each member of it is in the client's types.
func TestWebhookEvents_AreTheServices(t *testing.T) {
	m := &message.Message{ID: "msg_1", NotificationID: "ntf_1", Channel: gateway.SMS, To: "+22376000001", SenderID: "snd_1", Metadata: message.Metadata{"order": "42"}, RouteIndex: 1}
	failure := &message.Failure{Code: "recipient_unreachable", ProviderCode: "EC_1"}
	said := gateway.Inbound{ID: "in_1", Channel: gateway.WhatsApp, From: awa, To: "22370000001", Text: "Oui", DisplayName: "Awa", Choice: gateway.Choice{ID: "yes", Title: "Oui"}, Response: `{"size":42}`, At: march}
	for want, e := range map[string]*events.Event{
		webhook.TypeMessageStatus:   events.StatusChanged(m, message.Sending, message.Failed, march, "p_1", failure),
		webhook.TypeMessageReceived: events.Received("acc", "msg_2", "msg_1", said, march),
		webhook.TypeSenderStatus:    events.SenderChanged(account.Sender{ID: "snd_1", Channel: gateway.WhatsApp, Address: "22370000001"}, gateway.Connected, gateway.ConnDetail{State: gateway.Banned, Reason: "temporary_ban", Until: march}, march),
		webhook.TypePing:            events.NewPing("acc", march),
	} {
		secret := signing.NewSecret()
		key, err := signing.ParseSecret(secret)
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		signing.Sign(h, [][]byte{[]byte("the previous secret, 24 B"), key}, e.ID, march, []byte(e.Body))
		v, err := webhook.New(webhook.Options{Now: func() time.Time { return march.Add(time.Minute) }}, secret)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Event(h, []byte(e.Body))
		if err != nil || got.Type != want || got.ID != e.ID || !got.At.Equal(march) || got.Data == nil {
			t.Fatalf("%s: got %+v, %v", want, got, err)
		}
		again, err := json.Marshal(got.Data)
		if err != nil {
			t.Fatal(err)
		}
		var sent, kept any
		if json.Unmarshal([]byte(e.Body), &sent) != nil || json.Unmarshal(again, &kept) != nil {
			t.Fatal("no JSON")
		}
		for _, name := range lost("", sent, kept) {
			if name != ".event" && name != ".eventId" {
				t.Errorf("%s: the member %s is not in %T", want, name, got.Data)
			}
		}
		if reflect.ValueOf(got.Data).Elem().FieldByName("Timestamp").Interface() != any(march) {
			t.Errorf("%s: got %+v, want its time", want, got.Data)
		}
	}
}
