package api_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/messagingtest"
)

// A reply to a message of the conversation reaches the gateway as a reply, with the ID by which the gateway knows that message.
// Rules: M132.
func TestInbox_RepliesQuote(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.Gateway.Replies.Store(true)
		s.Receive(t, awa, "wamid.1", "Ma commande ?")
		s.Receive(t, "22376000009", "wamid.2", "Une autre")
		path := s.conversationWith(awa)
		newest := func(path string) string {
			t.Helper()
			var page struct {
				Messages []struct {
					ID      string
					ReplyTo *string `json:"replyTo"`
				}
			}
			a := s.inbox("GET", path+"/messages?limit=1", "")
			if err := json.Unmarshal([]byte(a.raw), &page); err != nil || len(page.Messages) != 1 {
				t.Fatalf("%v: %s", err, a.raw)
			}
			return page.Messages[0].ID
		}
		question, foreign := newest(path), newest(s.conversationWith("22376000009"))
		last := func() gateway.Outbound { calls := s.Gateway.Calls(); return calls[len(calls)-1] }

		s.Clock.Advance(time.Second)
		answer := s.inbox("POST", path+"/reply", `{"text":"Elle arrive.","replyTo":"`+question+`"}`)
		want := gateway.Quote{Quoted: gateway.Quoted{ProviderID: "wamid.1"}, Text: "Ma commande ?"}
		if got := last(); answer.status != 200 || got.Text != "Elle arrive." || got.ReplyTo != want {
			t.Errorf("%d, the gateway got %+v, want an answer to %+v", answer.status, got, want)
		}
		if a := s.inbox("GET", path+"/messages?limit=1", ""); !strings.Contains(a.raw, `"replyTo":"`+question+`"`) {
			t.Errorf("the conversation does not show what is answered: %s", a.raw)
		}
		s.Clock.Advance(time.Second)
		tool, failed := s.result(s.assistant("reply", `{"conversationId":"`+strings.TrimPrefix(path, "conversations/")+`","text":"À 17 h.","replyTo":"`+answer.text("messageId")+`"}`))
		ours := answer.text("messageId")
		want = gateway.Quote{Quoted: gateway.Quoted{Ref: ours, ProviderID: "p_" + ours}, Text: "Elle arrive."}
		if got := last(); failed || got.Text != "À 17 h." || got.ReplyTo != want {
			t.Errorf("%s, the gateway got %+v, want an answer to %+v", tool, got, want)
		}
		for name, id := range map[string]string{"another conversation's": foreign, "none": "msg_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D", "no id": "x"} {
			if a := s.inbox("POST", path+"/reply", `{"text":"x","replyTo":"`+id+`"}`); a.status != 400 || a.text("code") != "invalid_request" || a.text("field") != "replyTo" {
				t.Errorf("%s: %d %s, want invalid_request of replyTo", name, a.status, a.raw)
			}
		}

		// The quoted message is looked up when the turn of a waiting message comes. It might be deleted by then.
		s.Gateway.Replies.Store(false)
		if s.inbox("POST", path+"/reply", `{"text":"Sans citation","replyTo":"`+question+`"}`); last().Text != "Sans citation" || last().ReplyTo != (gateway.Quote{}) {
			t.Errorf("a gateway that cannot quote got %+v", last())
		}
		s.Gateway.Replies.Store(true)
		s.Gateway.FailWith(gateway.Temporary, "later")
		waiting := s.inbox("POST", path+"/reply", `{"text":"Plus tard","replyTo":"`+question+`","idempotencyKey":"k"}`)
		if got := last(); got.Text != "Plus tard" || got.ReplyTo.ProviderID != "wamid.1" {
			t.Errorf("%s: the gateway got %+v", waiting.raw, got)
		}
		if a := s.inbox("POST", path+"/reply", `{"text":"Plus tard","idempotencyKey":"k"}`); a.body["payloadMismatch"] != true && a.text("code") != "message_failed" {
			t.Errorf("the same key without the quote: %s, want it told apart", a.raw)
		}
	})
}

// A pressed choice, the data of a form, and a reply appear in the conversation, in the event, and for the assistant.
// Rules: M130, M154, M186.
func TestInbox_Answers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "business")
		s.SetWebhook(t, "https://example.com/hook")
		s.Gateway.ByProviderID.Store(true)
		sent := s.send(`{"channel":"whatsapp","to":"` + awa + `","message":"On livre demain ?","whatsapp":{"interactive":{"buttons":[{"id":"oui","title":"Oui"}]}}}`)
		asked := sent.text("messageId")
		provider := s.Message(t, asked).ProviderID
		other := s.send(`{"channel":"whatsapp","to":"22376000009","message":"Bonjour"}`).text("messageId")
		if asked == "" || provider == "" || other == "" {
			t.Fatalf("sent %s, provider's id %q", sent.raw, provider)
		}
		write := func(id string, in gateway.Inbound) {
			t.Helper()
			in.ID, in.Gateway, in.Channel, in.From, in.To, in.At = id, "fake", gateway.WhatsApp, awa, messagingtest.WhatsApp, s.Clock.Now()
			if err := s.Inbox.Receive(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			s.Clock.Advance(time.Second)
		}
		pressed := gateway.Choice{ID: "oui", Title: "Oui"}
		write("1", gateway.Inbound{Text: "Oui", Choice: pressed, ReplyTo: gateway.Quoted{Ref: s.Message(t, asked).Ref()}, DisplayName: "Awa T."})
		write("2", gateway.Inbound{Text: "Oui", Choice: gateway.Choice{Title: "Oui"}, ReplyTo: gateway.Quoted{ProviderID: provider}})
		write("3", gateway.Inbound{Text: "Sent", Response: `{"taille": 42, "nom": "Awa"}`})
		write("4", gateway.Inbound{Text: "enfin", ReplyTo: gateway.Quoted{ProviderID: "1"}})
		write("5", gateway.Inbound{Text: "d'une autre", ReplyTo: gateway.Quoted{Ref: other}})
		write("6", gateway.Inbound{Text: "de rien", ReplyTo: gateway.Quoted{ProviderID: "unknown"}, Response: "[1]"})

		type answer struct {
			Content     string          `json:"content"`
			Text        string          `json:"text"`
			DisplayName *string         `json:"displayName"`
			ID          string          `json:"id"`
			Choice      json.RawMessage `json:"choice"`
			Response    json.RawMessage `json:"response"`
			ReplyTo     *string         `json:"replyTo"`
		}
		show := func(a *answer) string {
			to := "null"
			if a.ReplyTo != nil {
				to = *a.ReplyTo
			}
			return a.Content + a.Text + " " + string(a.Choice) + " " + string(a.Response) + " " + to
		}
		path := s.conversationWith(awa)
		page := s.do("GET", "/api/inbox/"+path+"/messages", "", "X-API-Key: "+s.LiveKey)
		var out struct{ Messages []answer }
		if err := json.Unmarshal([]byte(page.raw), &out); err != nil || page.status != 200 || len(out.Messages) != 6 {
			t.Fatalf("%v, %d %s", err, page.status, page.raw)
		}
		want := []string{ // newest first
			"de rien null null null",
			"d'une autre null null null", // sent to another person
			"enfin null null " + out.Messages[5].ID,
			`Sent null {"nom":"Awa","taille":42} null`,
			`Oui {"id":null,"title":"Oui"} null ` + asked,
			`Oui {"id":"oui","title":"Oui"} null ` + asked,
		}
		for i := range out.Messages {
			if got := show(&out.Messages[i]); got != want[i] {
				t.Errorf("message %d: %s, want %s", i, got, want[i])
			}
		}
		for i := range want {
			var body string
			if _, err := d.Read(t.Context()).Row(`SELECT body FROM webhook_events WHERE type = 'message.received' ORDER BY id LIMIT 1 OFFSET $1`, len(want)-1-i).Scan(&body); err != nil {
				t.Fatal(err)
			}
			var e answer
			if err := json.Unmarshal([]byte(body), &e); err != nil || show(&e) != want[i] {
				t.Errorf("%v, event %s, want %s", err, body, want[i])
			}
			if named := e.DisplayName != nil && *e.DisplayName == "Awa T."; named != (i == len(want)-1) {
				t.Errorf("event %s: a display name where there is one", body)
			}
		}
		tool, _ := s.result(s.assistant("read_conversation", `{"conversationId":"`+strings.TrimPrefix(path, "conversations/")+`"}`))
		for _, part := range []string{`"choice":{"id":"oui","title":"Oui"}`, `"response":{"nom":"Awa","taille":42}`, `"replyTo":"` + asked + `"`} {
			if !strings.Contains(tool, part) {
				t.Errorf("read_conversation has no %s: %s", part, tool)
			}
		}
	})
}
