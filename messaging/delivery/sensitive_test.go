package delivery_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

const code = "482913 est votre code"

func secret() *message.Request {
	r := text("22376000001")
	r.Content.Text, r.Sensitive = code, true
	return r
}

// stored returns a message's content as stored in the database.
func stored(t *testing.T, w *messagingtest.World, id string) string {
	t.Helper()
	var content string
	if ok, err := w.DB.Read(t.Context()).Row(`SELECT content FROM messages WHERE id = $1`, id).Scan(&content); !ok || err != nil {
		t.Fatal(ok, err)
	}
	return content
}

// Rules: M23, M25.
func TestSensitive_IsSealedOnItsWayAndErasedAtItsEnd(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.SetWebhook(t, "https://example.com/hook")
		w.Gateway.FailWith(gateway.Unknown, "lost_ack")
		m := w.Submit(t, secret()).Message
		if on := stored(t, w, m.ID); on == "{}" || on == "" || strings.Contains(on, "482913") {
			t.Fatalf("on its way: %s", on)
		}
		if got := w.Gateway.Calls()[0]; got.Text != code || !got.Sensitive || got.ExpiresAt.Sub(w.Clock.Now()) != 5*time.Minute {
			t.Errorf("the gateway got %+v", got)
		}
		if err := w.Delivery.Receipt(t.Context(), gateway.Receipt{Gateway: "fake", Ref: m.ID, Status: gateway.ReceiptDelivered}); err != nil {
			t.Fatal(err)
		}
		if on := stored(t, w, m.ID); on != "{}" {
			t.Errorf("delivered: %s", on)
		}
		for name, class := range map[string]gateway.Class{"refused": gateway.Permanent, "taken": ""} {
			w.Gateway.SetScript(nil)
			if class != "" {
				w.Gateway.FailWith(class, "no")
			}
			if on := stored(t, w, w.Submit(t, secret()).Message.ID); on != "{}" {
				t.Errorf("%s: %s", name, on)
			}
		}
		sandboxed := secret()
		sandboxed.Sandbox = true
		if on := stored(t, w, w.Submit(t, sandboxed).Message.ID); on != "{}" {
			t.Errorf("simulated: %s", on)
		}
		for _, column := range []string{"SELECT count(*) FROM webhook_events WHERE body LIKE '%482913%'", "SELECT count(*) FROM messages WHERE timeline LIKE '%482913%'"} {
			if w.Int(t, column) != 0 {
				t.Errorf("the code is in %s", column)
			}
		}
	})
}

// Rules: M25.
func TestSensitive_IsReadBackAfterACrashAndDiesAfterFiveMinutes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.Deduplicates.Store(true)
		w.Gateway.FailWith(gateway.Unknown, "lost_ack")
		first, second := w.Submit(t, secret()).Message, w.Submit(t, secret()).Message
		w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			if out.Ref == second.ID {
				return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "lost_ack"}
			}
			return gateway.Ack{}, nil
		})
		w.Clock.Advance(time.Minute)
		w.Restart(t, w.NewDelivery())
		w.Becomes(t, first.ID, message.Sent)
		asked := w.Gateway.Calls()
		if last := asked[len(asked)-1]; last.Text != code {
			t.Errorf("after a crash the gateway got %q", last.Text)
		}
		w.Clock.Advance(5 * time.Minute)
		if m := w.Becomes(t, second.ID, message.Failed); m.Failure.Code != "outcome_unknown" || stored(t, w, m.ID) != "{}" {
			t.Errorf("after five minutes: %+v, %s", m.Failure, stored(t, w, m.ID))
		}
	})
}

// Rules: M24.
func TestSensitive_FingerprintsRevealNothing(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	r := secret()
	r.IdempotencyKey = "k"
	w.Submit(t, r)
	other := messagingtest.New(t, dbtest.SQLite(t), "free")
	other.Submit(t, r)
	read := func(w *messagingtest.World) (s string) {
		if _, err := w.DB.Read(t.Context()).Row(`SELECT fingerprint FROM idempotency_keys`).Scan(&s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if read(w) == read(other) {
		t.Error("two deployments keep the same fingerprint of a code: it can be found by trying")
	}
}
