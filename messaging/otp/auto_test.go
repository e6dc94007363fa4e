package otp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/otp"
)

// Rules: M47, M90.
func TestIssue_AutoNamesTheChannelThatWasUsed(t *testing.T) {
	const first, backup, sms = "22370000001", "22370000002", "22370000003"
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := &world{t: t, World: messagingtest.New(t, d, "business", func(s *account.Spec) {
			s.Senders = append(s.Senders, account.Sender{Channel: gateway.WhatsApp, Address: backup, Gateway: "fake"})
		})}
		w.OTP = w.NewOTP()
		auto := func(r *otp.Request) { r.Channel = message.Auto }
		for n, tc := range []struct {
			fails   string // the class of the failure of each of the three senders
			channel gateway.Channel
			want    string // the senders that were called
			verify  string
		}{
			{"- - -", gateway.WhatsApp, first, ""},
			{"temporary - -", gateway.WhatsApp, first + " " + backup, ""},
			{"permanent permanent -", gateway.SMS, first + " " + backup + " " + sms, ""},
			{"unreachable - -", gateway.SMS, first + " " + sms, ""},
			{"unknown - -", gateway.WhatsApp, first + " " + backup, ""},
			{"unknown permanent permanent", gateway.SMS, first + " " + backup + " " + sms, ""}, // the first may have arrived
			{"permanent permanent unknown", gateway.SMS, first + " " + backup + " " + sms, ""},
			{"permanent permanent permanent", gateway.SMS, first + " " + backup + " " + sms, "not_found"},
		} {
			class := map[string]gateway.Class{}
			for i, c := range strings.Fields(tc.fails) {
				if c != "-" {
					class[[]string{first, backup, sms}[i]] = gateway.Class(c)
				}
			}
			w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
				if c := class[out.From]; c != "" {
					return gateway.Ack{}, &gateway.Error{Class: c, Code: "no"}
				}
				return gateway.Ack{}, nil
			})
			before, address := w.sent(), fmt.Sprintf("2237600%04d", n)
			i := w.issue(withNumber(address), auto)
			var asked []string
			for _, out := range w.Gateway.Calls()[before:] {
				asked = append(asked, out.From)
				if out.Code != w.code(address) || out.Locale != "fr" {
					t.Errorf("for templates: %q, %q", out.Code, out.Locale)
				}
			}
			if got := strings.Join(asked, " "); got != tc.want || i.Send.Message.Channel != tc.channel {
				t.Errorf("%s: asked %s, by %s", tc.fails, got, i.Send.Message.Channel)
			}
			if got := w.verify(i.ChallengeID, w.code(address)); got != tc.verify {
				t.Errorf("%s: verify %q, want %q", tc.fails, got, tc.verify)
			}
			if handed := w.Message(t, i.Send.Message.ID).HandedOver(); handed != (tc.verify == "") && i.Send.Message.Status == message.Failed {
				t.Errorf("%s: the engine says handed over: %v", tc.fails, handed)
			}
		}
		w.Gateway.SetState(first, gateway.LoggedOut)
		w.Gateway.SetState(backup, gateway.LoggedOut)
		w.Gateway.SetScript(nil)
		if i := w.issue(withNumber("22376000100"), auto); i.Send.Message.Channel != gateway.SMS {
			t.Errorf("no WhatsApp connected: by %s", i.Send.Message.Channel)
		}
		w.refuses(apierror.GatewayNotConnected, func(r *otp.Request) { r.Channel = gateway.WhatsApp })
		w.Gateway.SetState(sms, gateway.LoggedOut)
		w.refuses(apierror.GatewayNotConnected, auto)
	})
}
