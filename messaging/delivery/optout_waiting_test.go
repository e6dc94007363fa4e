package delivery_test

import (
	"context"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/optout"
	"example.com/griot/messaging/person"
)

// optOutElsewhere stores opt-outs like another node, so this engine's directory does not know them yet.
func optOutElsewhere(t *testing.T, w *messagingtest.World, address string, channels ...gateway.Channel) {
	t.Helper()
	w.Write(t, func(tx *db.Tx) error {
		for _, c := range channels {
			if _, err := optout.Add(tx, w.Account.ID, c, address, optout.Requested, w.Clock.Now()); err != nil {
				return err
			}
		}
		return account.NoteChange(tx)
	})
}

// waitingOptOut is one case of a message that waits when its recipient opts out.
type waitingOptOut struct {
	waits  func(t *testing.T, w *messagingtest.World) string // submits the message and returns its ID
	on     []gateway.Channel
	status message.Status
	code   string
	routes string
	used   int
}

// Rules: M174.
func TestOptOut_StopsWhatWaits(t *testing.T) {
	scheduled := func(r *message.Request) func(*testing.T, *messagingtest.World) string {
		return func(t *testing.T, w *messagingtest.World) string {
			t.Helper()
			q := *r // both engines submit it
			q.ScheduledAt = w.Clock.Now().Add(message.MaxAhead)
			return w.Submit(t, &q).Message.ID
		}
	}
	retry := func(r *message.Request) func(*testing.T, *messagingtest.World) string {
		return func(t *testing.T, w *messagingtest.World) string {
			t.Helper()
			q := *r
			q.Retry = message.Retry{Max: 3, Delay: 1000}
			failsFirst(w, 1, gateway.Error{Class: gateway.Temporary, Code: "busy"})
			return w.Submit(t, &q).Message.ID
		}
	}
	code := auto()
	code.Preset, code.Content.Text, code.Variables = "otp", "", map[string]string{"code": "482913"}
	fallback := auto()
	fallback.FallbackAfter = time.Minute
	all := []gateway.Channel{gateway.WhatsApp, gateway.SMS, gateway.Email}
	for name, tc := range map[string]waitingOptOut{
		"a year ahead":       {scheduled(text("22376000001")), all[1:2], message.Failed, "recipient_opted_out", "", 0},
		"a retry":            {retry(text("22376000001")), all[1:2], message.Failed, "recipient_opted_out", ofSMS, 0},
		"on another channel": {scheduled(text("22376000001")), all[:1], message.Sent, "", ofSMS, 1},
		"auto":               {scheduled(auto()), all[:1], message.Sent, "", ofSMS, 1},
		"auto, a backup":     {retry(auto()), all[:1], message.Sent, "", first + " " + ofSMS, 1},
		"auto, everywhere":   {scheduled(auto()), all, message.Failed, "recipient_opted_out", "", 0},
		"a code":             {retry(code), all, message.Sent, "", first + " " + first, 1},
		"sent before": {func(t *testing.T, w *messagingtest.World) string {
			t.Helper()
			q := *fallback
			return w.Submit(t, &q).Message.ID
		}, all, message.Sent, "", first, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free", withBackups)
				w.SetWebhook(t, "https://example.com/hook")
				id := tc.waits(t, w)
				for _, address := range []string{"22376000001", "awa@example.com"} {
					optOutElsewhere(t, w, address, tc.on...)
				}
				waits := w.Message(t, id)
				w.Clock.Advance(waits.DueAt.Sub(w.Clock.Now()))
				w.Run(t, w.Delivery)
				m := w.Until(t, id, string(tc.status), func(m *message.Message) bool {
					return m.Version != waits.Version && m.Status == tc.status && m.DueAt.IsZero()
				})
				if code := failureCode(m); code != tc.code || routesTried(w) != tc.routes {
					t.Errorf("failure %q by %q, want %q by %q", code, routesTried(w), tc.code, tc.routes)
				}
				if used := w.Int(t, `SELECT COALESCE(SUM(used), 0) FROM quotas`); used != tc.used {
					t.Errorf("quota %d, want %d", used, tc.used)
				}
				if events := eventsOf(t, w, id); events != 1 {
					t.Errorf("%d events, want 1", events)
				}
			})
		})
	}
}

func failureCode(m *message.Message) string {
	if m.Failure == nil {
		return ""
	}
	return m.Failure.Code
}

// A STOP that is committed during a request stops the message, even if the accepting node does not know the STOP.
func TestOptOut_StopsWhatIsAcceptedToGoAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		optOutElsewhere(t, w, "22376000001", gateway.SMS, gateway.WhatsApp)
		if m := w.Submit(t, text("22376000001")).Message; m.Status != message.Failed || failureCode(m) != "recipient_opted_out" {
			t.Errorf("%s with %q, want FAILED with recipient_opted_out", m.Status, failureCode(m))
		}
		if m := w.Submit(t, text("22376000002")).Message; m.Status != message.Sent {
			t.Errorf("to somebody else: %s", m.Status)
		}
		if m := w.Submit(t, auto()).Message; m.Channel != gateway.Email {
			t.Errorf("auto: %s by %s, want email", m.Status, m.Channel)
		}
		if calls := len(w.Gateway.Calls()); calls != 2 || usedQuota(t, w) != 2 {
			t.Errorf("%d calls, quota %d; want 2 and 2", calls, usedQuota(t, w))
		}
	})
}

// The opt-out of a person who was erased since is kept under their pseudonym.
func TestOptOut_OfAnErasedPersonStopsWhatWaits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		id := w.Submit(t, at(w, time.Hour)).Message.ID
		kept := person.NewKey(w.Master).Pseudonym(w.Account.ID, "22376000001")
		optOutElsewhere(t, w, kept, gateway.SMS)
		w.Run(t, w.Delivery)
		if m := w.Submit(t, text("22376000001")).Message; m.Status != message.Failed {
			t.Errorf("at once: %s, want FAILED", m.Status)
		}
		w.Clock.Advance(time.Hour)
		if m := w.Becomes(t, id, message.Failed); failureCode(m) != "recipient_opted_out" || len(w.Gateway.Calls()) != 0 {
			t.Errorf("%q after %d calls", failureCode(m), len(w.Gateway.Calls()))
		}
	})
}

// A message that a gateway might have is not submitted again, and its outcome is unknown.
// Rules: M174.
func TestOptOut_WhatMayHaveLeftIsNotCalledAgain(t *testing.T) {
	for name, waits := range map[string]func(*testing.T, *messagingtest.World) string{
		"after a crash": func(t *testing.T, w *messagingtest.World) string {
			t.Helper()
			id := submitAndDie(t, w)
			optOutElsewhere(t, w, "22376000001", gateway.SMS)
			restart(t, w)
			return id
		},
		"at once": func(t *testing.T, w *messagingtest.World) string {
			t.Helper()
			w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
				optOutElsewhere(t, w, "22376000001", gateway.SMS)
				return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "lost_ack"}
			})
			return w.Submit(t, text("22376000001")).Message.ID
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free")
				w.Gateway.Deduplicates.Store(true)
				m := w.Becomes(t, waits(t, w), message.Failed)
				if failureCode(m) != "outcome_unknown" || len(w.Gateway.Calls()) != 1 || usedQuota(t, w) != 1 {
					t.Errorf("%q after %d calls, quota %d; want outcome_unknown after 1, quota 1", failureCode(m), len(w.Gateway.Calls()), usedQuota(t, w))
				}
			})
		})
	}
}
