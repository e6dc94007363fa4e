package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// messageIn brings a message into a status with the necessary events only.
func messageIn(t *testing.T, w *messagingtest.World, s message.Status) string {
	t.Helper()
	fails := func(class gateway.Class, r *message.Request) string {
		w.Gateway.FailWith(class, "busy")
		defer w.Gateway.SetScript(nil)
		return w.Submit(t, r).Message.ID
	}
	var id string
	switch s {
	case message.Scheduled:
		id = w.Submit(t, at(w, time.Hour)).Message.ID
	case message.Queued:
		id = fails(gateway.Temporary, retried(message.Retry{Max: 3, Delay: 60_000}))
	case message.Sending:
		id = fails(gateway.Unknown, text("22376000001"))
	case message.Failed:
		id = fails(gateway.Permanent, text("22376000001"))
	case message.Canceled:
		m := w.Submit(t, at(w, time.Hour)).Message
		if _, err := w.Delivery.Cancel(t.Context(), w.LiveCaller, m); err != nil {
			t.Fatal(err)
		}
		id = m.ID
	case message.Sandbox:
		r := text("22376000001")
		r.Sandbox = true
		id = w.Submit(t, r).Message.ID
	case message.Expired:
		r := retried(message.Retry{Max: 3, Delay: 60_000})
		r.ExpiresAt = w.Clock.Now().Add(2 * time.Minute)
		id = fails(gateway.Temporary, r)
		w.Clock.Advance(2 * time.Minute)
		w.Becomes(t, id, message.Expired)
	case message.Sent, message.Delivered, message.Read:
		id = w.Submit(t, text("22376000001")).Message.ID
		if s != message.Sent {
			receipt(t, w, id, map[message.Status]gateway.ReceiptStatus{message.Delivered: gateway.ReceiptDelivered, message.Read: gateway.ReceiptRead}[s])
		}
	}
	if m := w.Message(t, id); m.Status != s {
		t.Fatalf("it is %s, not %s", m.Status, s)
	}
	return id
}

// eventsOf counts the events about a message.
func eventsOf(t *testing.T, w *messagingtest.World, id string) int {
	t.Helper()
	return w.Int(t, `SELECT count(*) FROM webhook_events WHERE body LIKE '%' || $1 || '%'`, id)
}

// The whole table: each receipt in each status.
// Rules: M54.
func TestLifecycle_WhatEachReceiptMakesOfEachStatus(t *testing.T) {
	const (
		sent, delivered, read, failed = gateway.ReceiptSent, gateway.ReceiptDelivered, gateway.ReceiptRead, gateway.ReceiptFailed
	)
	table := map[message.Status]map[gateway.ReceiptStatus]message.Status{
		// A message that no gateway has gets no receipt. A gateway that refused a message temporarily might still have accepted it.
		message.Scheduled: {},
		message.Queued:    {sent: message.Sent, delivered: message.Delivered, read: message.Read},
		message.Canceled:  {},
		message.Sandbox:   {},
		message.Sending:   {sent: message.Sent, delivered: message.Delivered, read: message.Read, failed: message.Failed},
		message.Sent:      {delivered: message.Delivered, read: message.Read, failed: message.Failed},
		message.Failed:    {delivered: message.Delivered, read: message.Read},
		message.Expired:   {delivered: message.Delivered, read: message.Read},
		message.Delivered: {read: message.Read},
		message.Read:      {},
	}
	if len(table) != len(message.Statuses()) {
		t.Fatalf("the table has %d of %d statuses", len(table), len(message.Statuses()))
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		w.SetWebhook(t, "https://example.com/hook")
		w.Run(t, w.Delivery)
		for _, from := range message.Statuses() {
			for _, r := range []gateway.ReceiptStatus{sent, delivered, read, failed, "nonsense"} {
				t.Run(fmt.Sprintf("%s, %s", from, r), func(t *testing.T) {
					id := messageIn(t, w, from)
					before := w.Message(t, id)
					events := eventsOf(t, w, id)
					w.Clock.Advance(time.Second)
					receipt(t, w, id, r)
					want, moves := table[from][r]
					if !moves {
						want = from
					}
					m := w.Message(t, id)
					if m.Status != want {
						t.Fatalf("it became %s, want %s", m.Status, want)
					}
					notified := eventsOf(t, w, id) - events
					if (notified == 1) != moves || notified > 1 {
						t.Errorf("%d events, and the status changes: %v", notified, moves)
					}
					if !moves && (m.Timeline != before.Timeline || m.DueAt != before.DueAt || m.DeliveredAt != before.DeliveredAt) {
						t.Errorf("what changes nothing has changed %+v to %+v", before, m)
					}
					arrived := want == message.Delivered || want == message.Read
					if arrived && (m.DeliveredAt.IsZero() || m.SentAt.IsZero() || m.Failure != nil || !m.DueAt.IsZero()) || want == message.Read && m.ReadAt.IsZero() {
						t.Errorf("it arrived, and is %+v", m)
					}
					receipt(t, w, id, r) // and once more: nothing
					if again := w.Message(t, id); again.Status != want || again.Timeline != m.Timeline || eventsOf(t, w, id) != events+notified {
						t.Errorf("the same receipt twice made it %s", again.Status)
					}
				})
			}
		}
	})
}
