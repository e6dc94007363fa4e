package verbs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	messagingverbs "example.com/griot/messaging/verbs"
)

// remover is an operator who removes a sender of an account that has two SMS numbers.
type remover struct {
	*messagingtest.World
	t       *testing.T
	verbs   verb.Verbs
	removed string // the sender's ID
	other   string
}

const secondSMS = "22370000008"

func newRemover(t *testing.T, d *db.DB) *remover {
	t.Helper()
	r := &remover{t: t, World: messagingtest.New(t, d, "free", func(s *account.Spec) {
		s.Senders = append(s.Senders, account.Sender{Channel: gateway.SMS, Address: secondSMS, Gateway: "fake"})
	})}
	r.verbs = messagingverbs.Verbs(messagingverbs.Options{Directory: r.Directory, Delivery: r.Delivery})
	for _, s := range r.Account.Senders {
		switch s.Address {
		case messagingtest.SMS:
			r.removed = s.ID
		case secondSMS:
			r.other = s.ID
		}
	}
	return r
}

// scheduled stores a message by SMS that waits for an hour.
func (r *remover) scheduled(change func(*message.Request)) string {
	r.t.Helper()
	in := &message.Request{To: "+22376000001", Channel: gateway.SMS, Content: message.Content{Text: "Bonjour"}, Source: message.SourceAPI, ScheduledAt: r.Clock.Now().Add(time.Hour)}
	change(in)
	return r.Submit(r.t, in).Message.ID
}

func asItIs(*message.Request) {}

func (r *remover) byName(in *message.Request) { in.SenderID = r.removed }

// remove removes the sender with flags. It returns the number of changed messages, or the refusal.
func (r *remover) remove(flags ...string) (changed int64, refusal string) {
	r.t.Helper()
	in := messagingverbs.SenderRemoval{ID: r.removed, Cancel: strings.Contains(fmt.Sprint(flags), "cancel"), Reroute: strings.Contains(fmt.Sprint(flags), "reroute")}
	for range 100 {
		body, err := json.Marshal(in)
		if err != nil {
			r.t.Fatal(err)
		}
		var out messagingverbs.SenderRemoved
		raw, err := r.verbs.Call(r.t.Context(), "senders.remove", body)
		if text, refused := verb.Refusal(err); refused {
			return changed, text
		}
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		if changed = out.Changed; out.Continue == nil {
			return changed, ""
		}
		in.Continue = out.Continue
	}
	r.t.Fatal("it never ends")
	return 0, ""
}

func (r *remover) isThere() bool {
	r.t.Helper()
	return r.Int(r.t, `SELECT count(*) FROM senders WHERE id = $1`, r.removed) == 1
}

// Rules: M172.
func TestRemoveSender_IsRefusedWhileMessagesWait(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRemover(t, d)
		r.scheduled(asItIs)
		r.scheduled(asItIs)
		if _, refusal := r.remove(); !strings.Contains(refusal, "2 messages") || !r.isThere() {
			t.Errorf("refusal %q, still there %v; want it refused with 2 messages", refusal, r.isThere())
		}
		if _, refusal := r.remove("cancel", "reroute"); refusal == "" || !r.isThere() {
			t.Error("both at once are taken")
		}
	})
}

func TestRemoveSender_WithoutMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRemover(t, d)
		id := r.scheduled(asItIs)
		r.Clock.Advance(time.Hour)
		r.Run(t, r.Delivery)
		r.Becomes(t, id, message.Sent)
		if changed, refusal := r.remove(); refusal != "" || changed != 0 || r.isThere() {
			t.Errorf("refusal %q, %d changed, still there %v", refusal, changed, r.isThere())
		}
	})
}

func TestRemoveSender_Cancel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRemover(t, d)
		ids := []string{r.scheduled(asItIs), r.scheduled(r.byName)}
		if changed, refusal := r.remove("cancel"); refusal != "" || changed != 2 || r.isThere() {
			t.Fatalf("refusal %q, %d changed, still there %v", refusal, changed, r.isThere())
		}
		for _, id := range ids {
			if m := r.Message(t, id); m.Status != message.Canceled {
				t.Errorf("got %s, want CANCELED", m.Status)
			}
		}
		if used := r.Int(t, `SELECT used FROM quotas`); used != 0 {
			t.Errorf("quota %d, want 0", used)
		}
	})
}

// Rules: M172.
func TestRemoveSender_Reroute(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRemover(t, d)
		plain := r.scheduled(asItIs)
		auto := r.scheduled(func(in *message.Request) { in.Channel = message.Auto })
		r.Write(t, func(tx *db.Tx) error { // as after WhatsApp, without a call
			_, err := tx.Exec(`UPDATE messages SET channel = 'sms', sender_id = $1, from_address = $2 WHERE id = $3`, r.removed, messagingtest.SMS, auto)
			return err
		})
		if changed, refusal := r.remove("reroute"); refusal != "" || changed != 2 || r.isThere() {
			t.Fatalf("refusal %q, %d changed, still there %v", refusal, changed, r.isThere())
		}
		if m := r.Message(t, plain); m.Status != message.Scheduled || m.SenderID != r.other || m.From != secondSMS {
			t.Errorf("%s by %s, want SCHEDULED by %s", m.Status, m.SenderID, r.other)
		}
		if m := r.Message(t, auto); m.Channel != gateway.WhatsApp {
			t.Errorf("auto by %s, want WhatsApp", m.Channel)
		}
		r.Run(t, r.Delivery)
		r.Clock.Advance(time.Hour)
		r.Becomes(t, plain, message.Sent)
		r.Becomes(t, auto, message.Sent)
		for _, out := range r.Gateway.Calls() {
			if out.From == messagingtest.SMS {
				t.Error("the removed sender was used")
			}
		}
		if used := r.Int(t, `SELECT used FROM quotas WHERE used > 0`); used != 2 {
			t.Errorf("quota %d, want 2", used)
		}
	})
}

func TestRemoveSender_RerouteLeavesWhatMayNotMove(t *testing.T) {
	for name, change := range map[string]func(*remover, *message.Request){
		"a sender that was asked for": func(r *remover, in *message.Request) { in.SenderID = r.removed },
		"a retry": func(_ *remover, in *message.Request) {
			in.ScheduledAt, in.Retry = time.Time{}, message.Retry{Max: 2, Delay: 1000}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				r := newRemover(t, d)
				r.Gateway.FailWith(gateway.Temporary, "busy")
				moves := r.scheduled(asItIs)
				stays := r.scheduled(func(in *message.Request) { change(r, in) })
				if _, refusal := r.remove("reroute"); !strings.Contains(refusal, "1 message") || !r.isThere() {
					t.Errorf("refusal %q, still there %v", refusal, r.isThere())
				}
				if m := r.Message(t, moves); m.SenderID != r.other {
					t.Error("the one that may move stays")
				}
				if m := r.Message(t, stays); m.SenderID != r.removed {
					t.Error("it was moved")
				}
				if changed, refusal := r.remove("cancel"); refusal != "" || changed != 1 || r.isThere() {
					t.Errorf("refusal %q, %d changed, still there %v", refusal, changed, r.isThere())
				}
			})
		})
	}
}

// If an earlier route has sent a message, the waiting copy is dropped, and the message stays SENT.
func TestRemoveSender_CancelKeepsWhatWasSent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRemover(t, d)
		id := r.scheduled(func(in *message.Request) {
			in.Channel, in.ScheduledAt, in.FallbackAfter, in.Retry = message.Auto, time.Time{}, time.Minute, message.Retry{Max: 2, Delay: 60_000}
		})
		stop := r.Run(t, r.Delivery)
		r.Gateway.FailWith(gateway.Temporary, "busy")
		r.Clock.Advance(time.Minute)
		r.Until(t, id, "waiting for its retry by SMS", func(m *message.Message) bool { return m.Status == message.Queued && m.Channel == gateway.SMS })
		stop()
		if changed, refusal := r.remove("cancel"); refusal != "" || changed != 1 {
			t.Errorf("refusal %q, %d changed", refusal, changed)
		}
		if m := r.Message(t, id); m.Status != message.Sent || m.Channel != gateway.WhatsApp {
			t.Errorf("%s by %s, want SENT by WhatsApp", m.Status, m.Channel)
		}
	})
}
