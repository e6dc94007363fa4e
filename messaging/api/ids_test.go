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

// A person with an ID alone, and one with both, are shown in the inbox and its events, and get replies.
// Rules: M195, M196.
func TestIDs_Inbox(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.SetWebhook(t, "https://example.com/hook")
		receive := func(number string, of gateway.PersonID, id string) {
			t.Helper()
			in := gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.WhatsApp, From: number, Person: of, To: messagingtest.WhatsApp, Text: "Bonjour", At: s.Clock.Now()}
			if err := s.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
		}
		receive("", gateway.PersonID{ID: "ML.9001", Username: "awa.t"}, "1")
		if body, _ := s.newestEvent(); !strings.Contains(body, `"from":"ML.9001","fromId":"ML.9001","fromUsername":"awa.t",`) {
			t.Errorf("event %s", body)
		}
		for _, q := range []string{"ML.9001", "awa.t", "%40awa"} {
			list := s.owner("GET", "/api/inbox/conversations?q="+q, "").raw
			if !strings.Contains(list, `"contactPhone":null,"contactId":"ML.9001","contactUsername":"awa.t","contactName":null`) {
				t.Errorf("conversations with %s: %s", q, list)
			}
		}
		list, _ := s.owner("GET", "/api/inbox/conversations", "").body["conversations"].([]any)
		id, _ := list[0].(map[string]any)["id"].(string)
		if answer := s.owner("POST", "/api/inbox/conversations/"+id+"/reply", `{"text":"Oui"}`); answer.status != 200 || answer.text("to") != "ML.9001" {
			t.Errorf("the reply: %d %s", answer.status, answer.raw)
		}
		s.Clock.Advance(10 * time.Millisecond)
		receive("22376000001", gateway.PersonID{ID: "ML.9001"}, "2")
		if body, _ := s.newestEvent(); !strings.Contains(body, `"from":"+22376000001","fromId":"ML.9001","displayName"`) {
			t.Errorf("event %s", body)
		}
		if answer := s.owner("POST", "/api/inbox/conversations/"+id+"/reply", `{"text":"Oui"}`); answer.text("to") != "+22376000001" {
			t.Errorf("the reply: %s", answer.raw)
		}
	})
}

// Sending, logs, and opt-outs take IDs. What needs a number says so.
// Rules: M193, M194.
func TestIDs_SendListAndOptOut(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		for _, to := range []string{"ML.9001", "123456789@lid"} {
			if sent := s.send(`{"channel":"whatsapp","to":"` + to + `","message":"x"}`); sent.status != 200 || sent.text("to") != to {
				t.Errorf("to %s: %d %s", to, sent.status, sent.raw)
			}
			if logs := s.owner("GET", "/api/svc-logs?to="+to, ""); fmt.Sprint(logs.body["count"]) != "1" {
				t.Errorf("logs of %s: %s", to, logs.raw)
			}
			if search := s.owner("GET", "/api/svc-logs?q="+to, ""); fmt.Sprint(search.body["count"]) != "1" {
				t.Errorf("search for %s: %s", to, search.raw)
			}
		}
		for what, answer := range map[string]*answer{
			"SMS":     s.send(`{"channel":"sms","to":"ML.9001","message":"x"}`),
			"otp":     s.send(`{"channel":"auto","to":"ML.9001","preset":"otp","presetVariables":{"code":"123456"}}`),
			"code":    s.owner("POST", "/api/otp/send", `{"to":"123456789@lid"}`),
			"opt-out": s.owner("POST", "/api/opt-outs", `{"channel":"sms","address":"ML.9001"}`),
		} {
			if answer.status != 400 || answer.text("code") != "number_required" {
				t.Errorf("%s: %d %s, want number_required", what, answer.status, answer.raw)
			}
		}
		if added := s.owner("POST", "/api/opt-outs", `{"channel":"whatsapp","address":"ML.9001"}`); added.status != 201 {
			t.Errorf("opt-out: %d %s", added.status, added.raw)
		}
		for _, filter := range []string{"address=ML.9001", "q=ml.90", "q=ML.9001"} {
			if list := s.owner("GET", "/api/opt-outs?"+filter, ""); fmt.Sprint(list.body["count"]) != "1" {
				t.Errorf("opt-outs with %s: %s", filter, list.raw)
			}
		}
		if sent := s.send(`{"channel":"whatsapp","to":"ML.9001","message":"x"}`); sent.status != 409 || sent.text("code") != "recipient_opted_out" {
			t.Errorf("after the opt-out: %d %s", sent.status, sent.raw)
		}
	})
}

// A message that arrives while the provider's own agent has the conversation is marked. Others are as ever.
// Rules: M186, M196.
func TestInbox_Standby(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.SetWebhook(t, "https://example.com/hook")
		for id, standby := range map[string]bool{"1": true, "2": false} {
			in := gateway.Inbound{ID: id, Gateway: "fake", Channel: gateway.WhatsApp, From: "22376000001", To: messagingtest.WhatsApp, Text: "Bonjour " + id, Standby: standby, At: s.Clock.Now()}
			if err := s.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			if body, _ := s.newestEvent(); strings.Contains(body, `"mediaMissing":null,"standby":true,"timestamp":`) != standby || !standby && strings.Contains(body, "standby") {
				t.Errorf("event %s of a message with standby %v", body, standby)
			}
			s.Clock.Advance(10 * time.Millisecond)
		}
		list, _ := s.owner("GET", "/api/inbox/conversations", "").body["conversations"].([]any)
		id, _ := list[0].(map[string]any)["id"].(string)
		for _, path := range []string{"/api/inbox/conversations/" + id + "/messages", "/api/inbox/messages?q=bonjour"} {
			if shown := s.owner("GET", path, "").raw; strings.Count(shown, `"content":"Bonjour`) != 2 || strings.Count(shown, `"deletedAt":null,"standby":true}`) != 1 || strings.Count(shown, `"deletedAt":null}`) != 1 {
				t.Errorf("%s: %s", path, shown)
			}
		}
	})
}

// A message that the owner wrote on the phone is an outgoing one without a status.
// Rules: M209.
func TestInbox_FromPhone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		in := gateway.Inbound{ID: "1", Gateway: "fake", Channel: gateway.WhatsApp, From: "22376000001", To: messagingtest.WhatsApp, Text: "Bonjour 1", At: s.Clock.Now()}
		if err := s.Inbox.Receive(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Second)
		own := gateway.Change{Gateway: "fake", Channel: gateway.WhatsApp, Kind: gateway.MessageSent, From: in.From, To: in.To, MessageID: "2", Content: &gateway.Inbound{Text: "Bonjour 2"}, At: s.Clock.Now()}
		if err := s.Inbox.Change(t.Context(), own); err != nil {
			t.Fatal(err)
		}
		list, _ := s.owner("GET", "/api/inbox/conversations", "").body["conversations"].([]any)
		id, _ := list[0].(map[string]any)["id"].(string)
		for _, path := range []string{"/api/inbox/conversations/" + id + "/messages", "/api/inbox/messages?q=bonjour"} {
			shown := s.owner("GET", path, "").raw
			if strings.Count(shown, `"fromPhone":true`) != 1 || !strings.Contains(shown, `"direction":"out","type":"text","content":"Bonjour 2"`) || strings.Count(shown, `"status":null`) != 2 {
				t.Errorf("%s: %s", path, shown)
			}
		}
	})
}
