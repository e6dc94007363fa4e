package hidden_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// A person without a number writes to an account, gets the reply, and is joined with the number after a receipt shows
// both.
func TestInbox_RepliesAndJoins(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		s := w.start()
		s.Must(t, "", "admin", "webhooks", "set", "--account", w.accountID, "--url", w.hook.Url)
		writes(t, s, oursID, "wamid.in1", awaID, "Where is my order?")
		list := w.conversations(s)
		if len(list) != 1 || !list[0].is("", awaID, "awa.t") || list[0].LastPreview != "Where is my order?" {
			t.Fatalf("the inbox has %v", list)
		}
		var event struct{ Event, From, FromID, FromUsername, Text string }
		body := w.hook.WaitFor(t, 1)[0].Body
		if err := json.Unmarshal([]byte(body), &event); err != nil || event.Event != "message.received" || event.From != awaID || event.FromID != awaID || event.FromUsername != "awa.t" {
			t.Errorf("the event is %s", body)
		}
		r := w.api(s, 200, "POST", "/api/inbox/conversations/"+list[0].ID+"/reply", `{"text":"It is on its way."}`)
		p := w.meta.waitFor(t, 1)
		if p.From != oursID || p.Recipient != awaID || p.To != "" {
			t.Errorf("the reply is %+v", p)
		}
		webhook(t, s, "messages", oursID, fmt.Sprintf(`"contacts":[{"profile":{"name":"Awa","username":"awa.t"},"wa_id":%q,"user_id":%q}],"statuses":[{"id":"wamid.1","status":"delivered","timestamp":"%d","recipient_id":%q,"recipient_user_id":%q,"biz_opaque_callback_data":%q,"pricing":{"billable":true,"pricing_model":"PMP","category":"service","type":"regular"}}]`,
			awa, awaID, now(), awa, awaID, p.Callback))
		waittest.Until(t, func() error {
			if list := w.conversations(s); len(list) != 1 || !list[0].is("+"+awa, awaID, "awa.t") {
				return fmt.Errorf("%w: the inbox has %v", systemtest.ErrNotYet, list)
			}
			if got := w.api(s, 200, "GET", "/api/status/"+r.Text("messageId"), ""); got.Text("status") != "DELIVERED" || !strings.Contains(got.Raw, `"pricing":{"billable":true,"category":"service"}`) {
				return fmt.Errorf("%w: the reply is %s", systemtest.ErrNotYet, got.Raw)
			}
			return nil
		})
		if got := w.api(s, 200, "GET", "/api/stats", ""); !strings.Contains(got.Raw, `"category":"service","charged":1,"free":0}]`) {
			t.Errorf("the statistics are %s", got.Raw)
		}
		writes(t, s, oursID, "wamid.in2", awaID, "Thank you") // known by the pair
		list = w.conversations(s)
		if len(list) != 1 || !list[0].is("+"+awa, awaID, "awa.t") || list[0].UnreadCount != 2 {
			t.Fatalf("after another message, the inbox has %v", list)
		}
		w.api(s, 200, "POST", "/api/inbox/conversations/"+list[0].ID+"/reply", `{"text":"You are welcome."}`)
		if p := w.meta.waitFor(t, 2); p.To != "+"+awa || p.Recipient != "" {
			t.Errorf("the second reply is %+v", p)
		}
	})
}

// STOP from an ID stops messages to it and to nobody else. What needs a number is refused for an ID, and costs nothing.
func TestSend_ToAnID(t *testing.T) {
	t.Parallel()
	eachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		s := w.start()
		send := func(want int, channel, to, code string) float64 {
			t.Helper()
			r := w.api(s, want, "POST", "/api/send", fmt.Sprintf(`{"channel":%q,"to":%q,"message":"Bonjour"}`, channel, to))
			if r.Text("code") != code {
				t.Errorf("%s to %s: %s, want code %q", channel, to, r.Raw, code)
			}
			used, _ := r.Body["messagesUsed"].(float64)
			return used
		}
		if used := send(200, "whatsapp", awaID, ""); used != 1 {
			t.Errorf("%v messages used, want 1", used)
		}
		send(400, "sms", awaID, "number_required")
		send(400, "whatsapp", strings.ToLower(awaID), "invalid_phone") // IDs are case-sensitive
		for path, body := range map[string]string{
			"/api/otp/send": fmt.Sprintf(`{"to":%q,"channel":"whatsapp"}`, awaID),
			"/api/send":     fmt.Sprintf(`{"to":%q,"channel":"whatsapp","preset":"otp","presetVariables":{"code":"123456"}}`, awaID),
		} {
			if r := w.api(s, 400, "POST", path, body); r.Text("code") != "number_required" {
				t.Errorf("%s: %s, want number_required", path, r.Raw)
			}
		}
		if used := send(200, "whatsapp", binID, ""); used != 2 {
			t.Errorf("%v messages used, want 2", used)
		}
		writes(t, s, oursID, "wamid.in1", awaID, "STOP")
		waittest.Until(t, func() error {
			r, err := systemtest.Call("POST", s.Api+"/api/send", fmt.Sprintf(`{"channel":"whatsapp","to":%q,"message":"Bonjour"}`, awaID), "X-API-Key: "+w.key)
			if err == nil && r.Text("code") != "recipient_opted_out" {
				return fmt.Errorf("%w: %+v, want recipient_opted_out", systemtest.ErrNotYet, r)
			}
			return err
		})
		send(200, "whatsapp", binID, "")
		send(200, "whatsapp", awa, "")
		send(200, "sms", awa, "")
		if n := len(w.sms.Seen()); n != 1 {
			t.Errorf("%d SMS, want 1", n)
		}
	})
}
