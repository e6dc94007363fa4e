package api_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// Rules: M44.
func TestDryRun_ReturnsTheRoutesAndStoresNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newService(t, d, "free")
		s.send(`{"to":"+22376000001","channel":"sms","message":"x"}`)
		before, asked := s.countRows(), len(s.Gateway.Calls())
		for name, tc := range map[string]struct {
			body string
			want string
		}{
			"SMS":         {`{"to":"+22376000001","channel":"sms","message":"Bonjour","dryRun":true}`, "sms 7 1 GSM-7 1 9 [sms]"},
			"two of UCS":  {`{"to":"+22376000001","channel":"sms","message":"ê12345678901234567890123456789012345678901234567890123456789012345678901","dryRun":true}`, "sms 72 2 UCS-2 1 9 [sms]"},
			"a preset":    {`{"to":"+22376000001","channel":"sms","preset":"order_confirmed","presetVariables":{"orderId":"7","url":"https://b.example/` + strings.Repeat("x", 382) + `"},"dryRun":true}`, "sms 440 3 GSM-7 1 9 [sms]"},
			"auto":        {`{"to":"+22376000001","channel":"auto","message":"Bonjour","email":"awa@example.com","dryRun":true}`, "whatsapp 7 1 GSM-7 1 9 [whatsapp sms email]"},
			"a picture":   {`{"to":"+22376000001","channel":"auto","mediaUrl":"https://example.com/x.png","dryRun":true}`, "whatsapp 0 <nil> <nil> 1 9 [whatsapp]"},
			"sandbox":     {`{"to":"+22376000001","channel":"auto","message":"x","sandbox":true,"dryRun":true}`, "whatsapp 1 <nil> <nil> 1 9 []"},
			"a known key": {`{"to":"+22376000001","channel":"sms","message":"Bonjour","idempotencyKey":"k","dryRun":true}`, "sms 7 1 GSM-7 1 9 [sms]"},
		} {
			a := s.send(tc.body)
			var route []string
			for _, w := range a.body["route"].([]any) {
				route = append(route, fmt.Sprint(w.(map[string]any)["channel"]))
			}
			got := fmt.Sprint(a.body["channel"], " ", a.body["characters"], " ", a.body["segments"], " ", a.body["encoding"], " ", a.body["messagesUsed"], " ", a.body["remaining"], " ", route)
			if a.status != 200 || got != tc.want {
				t.Errorf("%s: %d %s, want %s", name, a.status, got, tc.want)
			}
		}
		s.Gateway.Transliterates.Store(true) // 72 characters with an e fit into one
		if a := s.send(`{"to":"+22376000001","channel":"sms","message":"ê12345678901234567890123456789012345678901234567890123456789012345678901","dryRun":true}`); a.body["segments"] != 1.0 || a.body["encoding"] != "GSM-7" {
			t.Errorf("%s", a.raw)
		}
		for body, code := range map[string]string{
			`{"to":"1","channel":"sms","message":"x","dryRun":true}`:                              "invalid_phone",
			`{"to":"22376000001","channel":"sms","message":"x","senderId":"snd_x","dryRun":true}`: "sender_not_found",
		} {
			if a := s.send(body); a.text("code") != code {
				t.Errorf("%s: %s", code, a.raw)
			}
		}
		for _, sender := range s.Account.Senders {
			s.Gateway.SetState(sender.Address, gateway.LoggedOut)
		}
		s.wants(s.send(`{"to":"22376000001","channel":"sms","message":"x","dryRun":true}`), 409, "gateway_not_connected")
		if s.countRows() != before || len(s.Gateway.Calls()) != asked {
			t.Error("something was stored or sent")
		}
	})
}
