package command_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// Every fault of the virtual phones, with a plain send, one with retry, and auto: the response, the final status, the
// units of the quota, and the messages on the phone.
func TestDev_EveryFault(t *testing.T) {
	t.Parallel()
	p := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	const plain, retry, auto = "plain", "retry", "auto"
	body := map[string]string{
		plain: `{"channel":"whatsapp","to":%q,"message":"x"}`,
		retry: `{"channel":"whatsapp","to":%q,"message":"x","retry":{"maxAttempts":3,"delayMs":100}}`,
		auto:  `{"channel":"auto","to":%q,"message":"x"}`,
	}
	type end struct {
		answer  int    // HTTP; 0: 202, or 200 if the receipt was faster
		status  string // final
		code    string // of its failure
		channel string // final
		asked   int    // attempts
		has     int    // messages on the phone
	}
	const ok = "DELIVERED"
	for n, tc := range []struct {
		fault, send string
		count       int
		deduplicate bool
		want        end
	}{
		{"temporary", plain, 1, true, end{502, "FAILED", "virtual_temporary", "whatsapp", 1, 0}},
		{"temporary", retry, 2, true, end{202, ok, "", "whatsapp", 3, 1}},
		{"temporary", retry, 9, true, end{202, "FAILED", "virtual_temporary", "whatsapp", 3, 0}},
		{"temporary", auto, 1, true, end{200, ok, "", "whatsapp", 2, 1}}, // by the backup gateway
		{"temporary", auto, 2, true, end{200, ok, "", "sms", 3, 1}},
		{"permanent", plain, 1, true, end{502, "FAILED", "virtual_permanent", "whatsapp", 1, 0}},
		{"permanent", retry, 1, true, end{502, "FAILED", "virtual_permanent", "whatsapp", 1, 0}},
		{"permanent", auto, 1, true, end{200, ok, "", "whatsapp", 2, 1}},
		{"permanent", auto, 2, true, end{200, ok, "", "sms", 3, 1}},
		{"unreachable", plain, 1, true, end{502, "FAILED", "virtual_unreachable", "whatsapp", 1, 0}},
		{"unreachable", retry, 1, true, end{502, "FAILED", "virtual_unreachable", "whatsapp", 1, 0}},
		{"unreachable", auto, 1, true, end{200, ok, "", "sms", 2, 1}},    // if the recipient is not on WhatsApp, the backup isn't tried
		{"lost_ack", plain, 1, true, end{200, ok, "", "whatsapp", 1, 1}}, // the phone's receipt settles it
		{"lost_ack", retry, 1, true, end{200, ok, "", "whatsapp", 1, 1}},
		{"lost_ack", auto, 1, true, end{200, ok, "", "whatsapp", 1, 1}},
		{"lost_ack", plain, 1, false, end{0, ok, "", "whatsapp", 1, 1}},
		{"lost_ack", retry, 1, false, end{0, ok, "", "whatsapp", 1, 1}},
		{"lost_ack", auto, 1, false, end{0, ok, "", "whatsapp", 1, 1}},
		{"timeout", plain, 1, true, end{202, ok, "", "whatsapp", 2, 1}},
	} {
		t.Run(fmt.Sprintf("%s %d, %s, deduplicate=%v", tc.fault, tc.count, tc.send, tc.deduplicate), func(t *testing.T) {
			p.T = t
			phone := fmt.Sprintf("2237630%04d", n)
			p.Call("PUT", p.BaseURL+"/dev/phones-options", fmt.Sprintf(`{"deduplicate":%v}`, tc.deduplicate))
			p.Call("PUT", p.BaseURL+"/dev/faults/whatsapp", fmt.Sprintf(`{"outcome":%q,"count":%d}`, tc.fault, tc.count))
			used := p.Send(p.Accounts.Business.LiveKey, `{"channel":"sms","to":"22376390000","message":"x"}`).Body["messagesUsed"].(float64)
			r := p.Send(p.Accounts.Business.LiveKey, fmt.Sprintf(body[tc.send], phone))
			if r.Status != tc.want.answer && (tc.want.answer != 0 || r.Status != 200 && r.Status != 202) {
				t.Errorf("answered %d %s", r.Status, r.Raw)
			}
			var s *systemtest.Reply
			waittest.Until(t, func() error {
				if s = p.Call("GET", p.BaseURL+"/api/status/"+r.Text("messageId"), "", "X-API-Key: "+p.Accounts.Business.LiveKey); s.Text("status") != tc.want.status {
					return fmt.Errorf("%w: %s", systemtest.ErrNotYet, s.Raw)
				}
				return nil
			})
			failure, _ := s.Body["error"].(map[string]any)
			if code, _ := failure["code"].(string); code != tc.want.code || s.Text("channel") != tc.want.channel {
				t.Errorf("it ended as %s", s.Raw)
			}
			var list struct{ Attempts []json.RawMessage } // of all routes
			if err := json.Unmarshal([]byte(p.Call("GET", p.BaseURL+"/dev/attempts/"+r.Text("messageId"), "").Raw), &list); err != nil {
				t.Fatal(err)
			}
			asked, has := len(list.Attempts), len(p.Phone(phone))
			if asked == 2 && tc.fault == "lost_ack" && tc.deduplicate {
				asked = 1 // the phone's receipt took longer than the pause before the repeated call
			}
			if asked != tc.want.asked || has != tc.want.has {
				t.Errorf("%d attempts, want %d; the phone has %d, want %d", asked, tc.want.asked, has, tc.want.has)
			}
			cost := p.Send(p.Accounts.Business.LiveKey, `{"channel":"sms","to":"22376390000","message":"x"}`).Body["messagesUsed"].(float64) - used - 1
			if want := float64(tc.want.has); cost != want {
				t.Errorf("it cost %v, want %v", cost, want)
			}
			p.Call("PUT", p.BaseURL+"/dev/faults/whatsapp", `{"outcome":"none"}`)
		})
	}
}
