package delivery_test

import (
	"database/sql"
	"encoding/json"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// A gateway's clock might be behind ours or ahead, and might have only whole seconds. The times of a message, and of
// its events, are still in order.
// Rules: M183.
func TestReceipt_TimesAreInTheirOrder(t *testing.T) {
	type receiptTime struct {
		status gateway.ReceiptStatus
		after  time.Duration // the message was sent; 0: it says no time
	}
	for name, receipts := range map[string][]receiptTime{
		"delivered before it was sent":  {{gateway.ReceiptDelivered, -time.Hour}},
		"read before it was delivered":  {{gateway.ReceiptDelivered, 30 * time.Second}, {gateway.ReceiptRead, 10 * time.Second}},
		"read before it was sent":       {{gateway.ReceiptRead, -time.Second}},
		"all in a second before":        {{gateway.ReceiptDelivered, -500 * time.Millisecond}, {gateway.ReceiptRead, -500 * time.Millisecond}},
		"no time after one to come":     {{gateway.ReceiptDelivered, 50 * time.Second}, {gateway.ReceiptRead, 0}},
		"failed, and delivered earlier": {{gateway.ReceiptFailed, time.Second}, {gateway.ReceiptDelivered, -time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "unlimited")
				w.SetWebhook(t, "https://example.com/hook")
				m := w.Submit(t, text("22376000001")).Message
				sent := w.Clock.Now()
				for _, n := range receipts {
					r := gateway.Receipt{Gateway: "fake", Ref: m.ID, Status: n.status}
					if n.after != 0 {
						r.At = sent.Add(n.after)
					}
					if err := w.Delivery.Receipt(t.Context(), r); err != nil {
						t.Fatal(err)
					}
				}
				m = w.Message(t, m.ID)
				if m.SentAt.Before(m.CreatedAt) || m.DeliveredAt.Before(m.SentAt) || !m.ReadAt.IsZero() && m.ReadAt.Before(m.DeliveredAt) {
					t.Errorf("created %v, sent %v, delivered %v, read %v", m.CreatedAt, m.SentAt, m.DeliveredAt, m.ReadAt)
				}
				for _, e := range statusEvents(t, w) {
					if e.Timestamp.Before(m.SentAt) || e.Status == "read" && e.Timestamp.Before(m.DeliveredAt) {
						t.Errorf("event %s is of %v", e.Status, e.Timestamp)
					}
				}
			})
		})
	}
}

// An event and the status that it reports have the same time, even if time passes while the change is written.
// Rules: M183.
func TestEvents_HaveTheTimeOfTheirStatus(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		w.SetWebhook(t, "https://example.com/hook")
		engine := w.NewDelivery(func(o *delivery.Options) {
			o.Now = func() time.Time {
				w.Clock.Advance(time.Millisecond)
				return w.Clock.Now()
			}
		})
		submit := func() *message.Message {
			t.Helper()
			res, err := engine.Submit(t.Context(), w.LiveCaller, text("22376000001"))
			if err != nil {
				t.Fatal(err)
			}
			return w.Message(t, res.Message.ID)
		}
		sent := submit()
		w.Gateway.FailWith(gateway.Permanent, "refused")
		failed := submit()
		events := statusEvents(t, w)
		if len(events) != 2 || !events[0].Timestamp.Equal(sent.SentAt) || !events[1].Timestamp.Equal(failed.FailedAt) {
			t.Errorf("events %+v; sent at %v, failed at %v", events, sent.SentAt, failed.FailedAt)
		}
	})
}

type statusEvent struct {
	Status    string
	Timestamp time.Time
}

// statusEvents returns the account's events.
func statusEvents(t *testing.T, w *messagingtest.World) (out []statusEvent) {
	t.Helper()
	err := w.DB.Read(t.Context()).Each(func(rows *sql.Rows) error {
		var body string
		var e statusEvent
		if err := rows.Scan(&body); err != nil {
			return err
		}
		err := json.Unmarshal([]byte(body), &e)
		out = append(out, e)
		return err
	}, `SELECT body FROM webhook_events ORDER BY id`)
	if err != nil || len(out) < 2 {
		t.Fatalf("%d events, %v", len(out), err)
	}
	return out
}
