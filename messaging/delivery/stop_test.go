package delivery_test

import (
	"context"
	"testing"
	"time"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// A message that is being marked as SENDING when Run must stop is submitted. Otherwise, a commit without a waiting
// caller might succeed, and the message would be treated as submitted.
func TestRun_FinishesWhatItHasBegun(t *testing.T) {
	d := dbtest.Postgres(t)
	w := messagingtest.New(t, d, "business")
	beginning := make(chan struct{}, 8)
	e := w.NewDelivery(func(o *delivery.Options) {
		o.Failpoint = func(name string) {
			if name == "begin.before" {
				beginning <- struct{}{}
			}
		}
	})
	r := text("22376000001")
	r.ScheduledAt = w.Clock.Now().Add(time.Minute)
	res, err := e.Submit(t.Context(), w.LiveCaller, r)
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(2 * time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	waittest.Receive(t, beginning)
	cancel() // before that is written
	if err := waittest.Receive(t, done); err != nil {
		t.Fatal(err)
	}
	if m := w.Message(t, res.Message.ID); m.Status != message.Sent {
		t.Errorf("it is left %s: %s", m.Status, m.Timeline)
	}
}
