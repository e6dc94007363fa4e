package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
)

// newestEvent returns the body of the account's newest event, as sent to its endpoint, and the event's ID.
func (s *service) newestEvent() (body, eventID string) {
	s.t.Helper()
	list, _ := s.owner("GET", "/api/webhooks/events?limit=1", "").body["events"].([]any)
	if len(list) != 1 {
		s.t.Fatal("no event")
	}
	eventID = fmt.Sprint(list[0].(map[string]any)["eventId"])
	return s.owner("GET", "/api/webhooks/events/"+eventID, "").text("body"), eventID
}

// Programs read the bodies of events, so every event must have these fields.
// Rules: M185, M186, M199.
func TestEvents_HaveTheirMembers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.SetWebhook(t, "https://example.com/hook")
		// at returns now, and the clock advances, so that one event is the newest.
		at := func(later time.Duration) string {
			return `"timestamp":"` + s.Clock.Now().Add(later).UTC().Format("2006-01-02T15:04:05.000Z") + `"`
		}
		next := func() { s.Clock.Advance(10 * time.Millisecond) }
		check := func(what, want string, values ...any) {
			t.Helper()
			body, eventID := s.newestEvent()
			want = fmt.Sprintf(strings.ReplaceAll(want, "EVENT", eventID), values...)
			if body != want {
				t.Errorf("%s:\n got %s\nwant %s", what, body, want)
			}
		}
		senders := map[string]string{}
		list, _ := s.owner("GET", "/api/senders", "").body["senders"].([]any)
		for _, item := range list {
			sender := item.(map[string]any)
			senders[fmt.Sprint(sender["address"])] = fmt.Sprint(sender["id"])
		}
		status := `{"event":"message.status","eventId":"EVENT","messageId":%q,"notifMessageId":%q,`

		sent := s.send(sms + `,"metadata":{"order":"1"},"idempotencyKey":"k"}`)
		id, notification := sent.text("messageId"), sent.text("notifMessageId")
		check("sent", status+`"providerMessageId":%q,"channel":"sms","to":"+22376000001","status":"sent","previousStatus":"sending",`+at(0)+
			`,"sequence":30,"attempt":1,"fallbackFrom":null,"error":null,"senderId":%q,"groupId":null,"projectId":null,"idempotencyKey":"k","metadata":{"order":"1"},"sandbox":false}`,
			id, notification, "p_"+id, senders["+"+messagingtest.SMS])

		next()
		if err := s.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: gateway.ReceiptRead, At: s.Clock.Now()}); err != nil {
			t.Fatal(err)
		}
		check("read", status+`"providerMessageId":%q,"channel":"sms","to":"+22376000001","status":"read","previousStatus":"sent",`+at(0)+
			`,"sequence":50,"attempt":1,"fallbackFrom":null,"error":null,"senderId":%q,"groupId":null,"projectId":null,"idempotencyKey":"k","metadata":{"order":"1"},"sandbox":false}`,
			id, notification, "p_"+id, senders["+"+messagingtest.SMS])

		next()
		s.Gateway.FailWith(gateway.Permanent, "refused")
		failed := s.send(`{"to":"22376000001","channel":"auto","message":"x"}`)
		check("failed by both channels", status+`"providerMessageId":null,"channel":"sms","to":"+22376000001","status":"failed","previousStatus":"sending",`+at(0)+
			`,"sequence":135,"attempt":2,"fallbackFrom":"whatsapp","error":{"code":"refused","message":%q,"providerCode":null,"retryable":false},"senderId":%q,"groupId":null,"projectId":null,"idempotencyKey":null,"metadata":null,"sandbox":false}`,
			failed.text("messageId"), failed.text("notifMessageId"), failed.text("message"), senders["+"+messagingtest.SMS])

		next()
		played := s.send(sms + `,"sandbox":true}`)
		check("simulated", status+`"providerMessageId":null,"channel":"sms","to":"+22376000001","status":"delivered","previousStatus":"sent",`+at(time.Millisecond)+
			`,"sequence":40,"attempt":0,"fallbackFrom":null,"error":null,"senderId":null,"groupId":null,"projectId":null,"idempotencyKey":null,"metadata":null,"sandbox":true}`,
			played.text("messageId"), played.text("notifMessageId"))

		next()
		s.Receive(t, awa, "1", "Bonjour")
		messages, _ := s.inbox("GET", s.conversationWith(awa)+"/messages", "").body["messages"].([]any)
		check("received", `{"event":"message.received","eventId":"EVENT","messageId":%q,"from":"+22376000001","displayName":null,"to":"+%s","channel":"whatsapp","type":"text","text":"Bonjour",`+
			`"mediaUrl":null,"mimeType":null,"fileName":null,"choice":null,"response":null,"replyTo":null,"mediaMissing":null,`+at(0)+`}`,
			fmt.Sprint(messages[0].(map[string]any)["id"]), messagingtest.WhatsApp)

		next()
		messageID := fmt.Sprint(messages[0].(map[string]any)["id"])
		revision := gateway.Change{Gateway: "fake", Channel: gateway.WhatsApp, Kind: gateway.MessageEdited, To: messagingtest.WhatsApp, From: awa, Person: gateway.PersonID{ID: "ML.9001", Username: "awa.t"}, MessageID: "1", Content: &gateway.Inbound{Text: "Bonsoir"}, At: s.Clock.Now()}
		for _, kind := range []gateway.ChangeKind{gateway.MessageEdited, gateway.MessageDeleted} {
			text := ""
			if revision.Kind = kind; kind == gateway.MessageEdited {
				text = `"text":"Bonsoir",`
			}
			if err := s.Inbox.Change(t.Context(), revision); err != nil {
				t.Fatal(err)
			}
			check(string(kind), `{"event":%q,"eventId":"EVENT","messageId":%q,"from":"+22376000001","fromId":"ML.9001","fromUsername":"awa.t","to":"+%s","channel":"whatsapp","type":"text",`+text+at(0)+`}`,
				strings.ReplaceAll(string(kind), "_", "."), messageID, messagingtest.WhatsApp)
			m := s.inbox("GET", s.conversationWith(awa)+"/messages", "").body["messages"].([]any)[0].(map[string]any)
			if want := float64(s.Clock.Now().UnixMilli()); kind == gateway.MessageEdited && (m["editedAt"] != want || m["deletedAt"] != nil || m["content"] != "Bonsoir") || kind == gateway.MessageDeleted && (m["deletedAt"] == nil || m["content"] != "") {
				t.Errorf("%s: the inbox has %v", kind, m)
			}
			next()
			revision.At = s.Clock.Now()
		}

		next()
		s.wants(s.owner("POST", "/api/webhooks/ping", ""), 202, "")
		check("ping", `{"event":"webhook.ping","eventId":"EVENT",`+at(0)+`}`)
	})
}
