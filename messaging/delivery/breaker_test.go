package delivery_test

import (
	"testing"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// A sender's new owner waits for the end of the pause that the previous node has stored, but no longer than the
// pause's length if that node's clock was ahead.
func TestBreaker_ANewOwnerKeepsThePause(t *testing.T) {
	for name, tc := range map[string]struct{ until, want time.Duration }{
		"half of it is over":                     {10 * time.Second, 10 * time.Second},
		"the clock of the node before was ahead": {time.Hour, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			w := messagingtest.New(t, dbtest.Postgres(t), "unlimited")
			sender := ""
			for _, s := range w.Account.Senders {
				if s.Address == ofSMS {
					sender = s.ID
				}
			}
			w.Exec(t, `INSERT INTO sender_owners (sender_id, node_id, node_epoch, pause, paused_until) VALUES ($1, 'gone', 1, 20000, $2)`, sender, db.Ms(w.Clock.Now().Add(tc.until)))
			w.Run(t, w.Delivery)
			m := w.Submit(t, text("22376000001")).Message
			if m.Status != message.Queued || len(w.Gateway.Calls()) != 0 {
				t.Fatalf("%s after %d attempts, want QUEUED after none", m.Status, len(w.Gateway.Calls()))
			}
			if got := w.Delivery.Health(sender).PausedUntil.Sub(w.Clock.Now()); got != tc.want {
				t.Errorf("it is paused for %s, want %s", got, tc.want)
			}
			if m := advanceUntilClosed(t, w, m.ID, time.Second); m.Status != message.Sent {
				t.Errorf("after the pause it is %s, want SENT", m.Status)
			}
			if got := w.Delivery.Health(sender).PausedUntil; !got.IsZero() {
				t.Errorf("after the probe it is paused until %s", got)
			}
		})
	}
}
