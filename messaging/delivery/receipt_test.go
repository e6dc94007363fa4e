package delivery_test

import (
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// A process remembers the messages that it has submitted, for their receipts. In the meantime, another process changes them.
func TestReceipt_OfAMessageThatAnotherProcessHasChanged(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(t *testing.T, w *messagingtest.World, other *delivery.Service, id string)
		then   gateway.ReceiptStatus
		want   message.Status // empty: the message is gone
		body   string         // what one event says
		events int
	}{
		"delivered": {func(t *testing.T, w *messagingtest.World, other *delivery.Service, id string) {
			if err := other.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: gateway.ReceiptDelivered, At: w.Clock.Now()}); err != nil {
				t.Fatal(err)
			}
		}, gateway.ReceiptRead, message.Read, `"previousStatus":"delivered"`, 3},
		"read": {func(t *testing.T, w *messagingtest.World, other *delivery.Service, id string) {
			if err := other.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: id, Status: gateway.ReceiptRead, At: w.Clock.Now()}); err != nil {
				t.Fatal(err)
			}
		}, gateway.ReceiptDelivered, message.Read, `"status":"read"`, 2},
		"erased": {func(t *testing.T, w *messagingtest.World, other *delivery.Service, id string) {
			if done, err := other.Erase(t.Context(), w.Account, id, "erased-1", func(*db.Tx, *message.Message) error { return nil }); !done || err != nil {
				t.Fatal(done, err)
			}
		}, gateway.ReceiptDelivered, message.Delivered, `"to":"erased-1"`, 2},
		"on another route": {func(t *testing.T, w *messagingtest.World, _ *delivery.Service, id string) {
			w.Exec(t, `UPDATE messages SET route_index = 2, version = version + 1 WHERE id = $1`, id)
		}, gateway.ReceiptFailed, message.Failed, `"sequence":135`, 2},
		"deleted": {func(t *testing.T, w *messagingtest.World, _ *delivery.Service, id string) {
			w.Exec(t, `DELETE FROM messages WHERE id = $1`, id)
		}, gateway.ReceiptDelivered, "", `"status":"sent"`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "unlimited")
				w.SetWebhook(t, "http://127.0.0.1:9/hook")
				w.Run(t, w.Delivery)
				id := w.Submit(t, text("22376000001")).Message.ID
				tc.change(t, w, w.NewDelivery(), id)
				ref := id
				if name == "on another route" {
					ref += "-2"
				}
				receipt(t, w, ref, tc.then)
				if tc.want != "" && w.Message(t, id).Status != tc.want {
					t.Errorf("it is %s, want %s", w.Message(t, id).Status, tc.want)
				}
				if n := eventsOf(t, w, id); n != tc.events {
					t.Errorf("%d events, want %d", n, tc.events)
				}
				if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE body LIKE '%' || $1 || '%'`, tc.body); n != 1 {
					t.Errorf("%d events say %s, want 1", n, tc.body)
				}
			})
		})
	}
}
