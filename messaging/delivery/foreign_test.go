package delivery_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// A receipt is used only if it comes from one of the gateways to which the message was submitted.
func TestReceipt_OfAGatewayThatHadTheMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited", func(s *account.Spec) { s.Senders[1].Gateway = "sms" })
		w.Gateway.FailWith(gateway.Unreachable, "not_on_whatsapp")
		second := &messagingtest.Gateway{}
		w.ReplaceDelivery(func(o *delivery.Options) {
			o.Gateways = gateway.NewSet(map[string]gateway.Sender{"fake": w.Gateway, "sms": second, "other": &messagingtest.Gateway{}})
		})
		m := w.Submit(t, auto()).Message
		if m.Status != message.Sent || m.Gateway != "sms" || len(m.Tried) != 1 {
			t.Fatalf("%s by %s after %d other routes, want SENT by sms after one", m.Status, m.Gateway, len(m.Tried))
		}
		before := w.Message(t, m.ID)
		for _, r := range []gateway.Receipt{
			{Gateway: "other", Ref: m.Ref(), Status: gateway.ReceiptRead},
			{Gateway: "other", Ref: m.ID, Status: gateway.ReceiptRead},
			{Gateway: "other", Ref: m.Ref(), Status: gateway.ReceiptFailed},
			{Gateway: "other", ProviderID: m.ProviderID, Status: gateway.ReceiptRead},
			{Ref: m.Ref(), Status: gateway.ReceiptRead},
		} {
			err := w.Delivery.Receipt(t.Context(), r)
			if r.Ref != "" && !errors.Is(err, gateway.ErrForeign) {
				t.Errorf("%+v: %v, want ErrForeign", r, err)
			}
			if got := w.Message(t, m.ID); got.Status != message.Sent || got.Timeline != before.Timeline {
				t.Errorf("%+v made it %s", r, got.Status)
			}
		}
		for _, r := range []gateway.Receipt{
			{Gateway: "fake", Ref: m.ID, Status: gateway.ReceiptDelivered}, // on the previous route after all
			{Gateway: "sms", Ref: m.Ref(), Status: gateway.ReceiptRead},
		} {
			err := w.Delivery.Receipt(t.Context(), r)
			if want := message.Status(strings.ToUpper(string(r.Status))); err != nil || w.Message(t, m.ID).Status != want {
				t.Errorf("%+v: %v, and it is %s", r, err, w.Message(t, m.ID).Status)
			}
		}
	})
}
