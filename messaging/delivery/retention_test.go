package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/outbox"
)

const day = 24 * time.Hour

func sweeper(w *messagingtest.World) *outbox.Sweeper {
	return &outbox.Sweeper{DB: w.DB, Swept: message.NewSweptKeys(w.Master), Now: w.Clock.Now, Log: slog.New(slog.DiscardHandler), Messages: 400 * day, Content: 90 * day}
}

func sweepMessages(t *testing.T, w *messagingtest.World) {
	t.Helper()
	if err := sweeper(w).Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// The content of a message is deleted first, and its row later. Waiting messages stay until they are sent and have
// been kept as long as others.
func TestRetention_ContentGoesBeforeTheRow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		stop := w.Run(t, w.Delivery)
		started := w.Clock.Now()
		sent := w.Submit(t, &message.Request{To: "a@example.com", Channel: gateway.Email, Content: message.Content{Text: "said", HTML: "<p>said", Subject: "said"}, Metadata: message.Metadata{"order": "7"}}).Message
		scheduled := w.Submit(t, &message.Request{To: "22376000002", Channel: gateway.SMS, Content: message.Content{Text: "said"}, ScheduledAt: started.Add(200 * day)}).Message
		simulated := w.Submit(t, &message.Request{To: "22376000003", Channel: gateway.WhatsApp, MediaURL: "https://example.com/said.png", Caption: "said", Sandbox: true}).Message
		says := func(id string) bool {
			return w.Int(t, `SELECT count(*) FROM messages WHERE id = $1 AND (content LIKE '%said%' OR options LIKE '%said%')`, id) == 1
		}
		at := func(days time.Duration) {
			t.Helper()
			w.Clock.Advance(started.Add(days*day + time.Hour).Sub(w.Clock.Now()))
			sweepMessages(t, w)
		}
		wants := func(what string, said, rows [3]bool) {
			t.Helper()
			for i, id := range []string{sent.ID, scheduled.ID, simulated.ID} {
				if got := says(id); got != said[i] {
					t.Errorf("%s: message %d still says something: %v, want %v", what, i, got, said[i])
				}
				if got := w.Int(t, `SELECT count(*) FROM messages WHERE id = $1`, id) == 1; got != rows[i] {
					t.Errorf("%s: message %d is there: %v, want %v", what, i, got, rows[i])
				}
			}
		}
		no, yes := [3]bool{}, [3]bool{true, true, true}
		at(89)
		wants("after 89 days", yes, yes)
		at(91)
		wants("after 91 days", [3]bool{false, true, false}, yes)
		if m := w.Message(t, sent.ID); m.Status != message.Sent || m.To != "a@example.com" || m.Metadata["order"] != "7" || len(m.Timeline) == 0 {
			t.Errorf("of a message without its content there is %+v, want all else", m)
		}
		at(200)
		w.Becomes(t, scheduled.ID, message.Sent)
		if calls := w.Gateway.Calls(); calls[len(calls)-1].Text != "said" {
			t.Errorf("the scheduled message said %q", calls[len(calls)-1].Text)
		}
		at(289)
		wants("89 days after the scheduled one went", [3]bool{false, true, false}, yes)
		at(291)
		wants("91 days after it", no, yes)
		at(401)
		wants("after 401 days", no, [3]bool{false, true, false})
		at(601)
		wants("after 601 days", no, no)
		if n := w.Int(t, `SELECT count(*) FROM retention_later`) + w.Int(t, `SELECT count(*) FROM swept_keys`); n != 0 {
			t.Errorf("%d rows are left of messages without a key, want none", n)
		}
		stop()
	})
}

// The response to a request whose message was deleted is the same as before: its status or a refusal, but never another message.
// Rules: M68, M70.
func TestRetention_KeysAreNeverUsedAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		w.Run(t, w.Delivery)
		p, err := w.Directory.CreateProject(t.Context(), w.Account.ID, "shop")
		if err != nil {
			t.Fatal(err)
		}
		project, err := w.Directory.Authenticate(t.Context(), w.Key(t, w.Account.ID, p.ID, account.ProjectKey))
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]string{}
		for _, key := range []string{"sent", "simulated", "project", "erased"} {
			c, r := w.LiveCaller, keyed(key)
			r.Sandbox = key == "simulated"
			if key == "project" {
				c = project
			}
			res, err := w.Delivery.Submit(t.Context(), c, r)
			if err != nil {
				t.Fatal(err)
			}
			ids[key] = res.Message.ID
		}
		w.Gateway.FailWith(gateway.Permanent, "unknown_number")
		failed := w.Submit(t, keyed("failed")).Message
		w.Gateway.SetScript(nil)
		for _, key := range []string{"expired", "canceled"} {
			r := keyed(key)
			r.ScheduledAt, r.ExpiresAt = w.Clock.Now().Add(time.Hour), w.Clock.Now().Add(2*time.Hour)
			ids[key] = w.Submit(t, r).Message.ID
		}
		if _, err := w.Delivery.Cancel(t.Context(), w.LiveCaller, w.Message(t, ids["canceled"])); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(3 * time.Hour) // past its time and its lifetime
		w.Becomes(t, ids["expired"], message.Expired)
		if done, err := w.Delivery.Erase(t.Context(), w.Account, ids["erased"], "erased_x", func(*db.Tx, *message.Message) error { return nil }); err != nil || !done {
			t.Fatal(done, err)
		}
		if n := w.Int(t, `SELECT count(*) FROM idempotency_keys WHERE key = 'erased'`); n != 0 {
			t.Error("the key of an erased message is left, which may have the number in it")
		}
		sent := len(w.Gateway.Calls())
		check := func(when string) {
			t.Helper()
			for _, tt := range []struct {
				key     string
				caller  *account.Caller
				sandbox bool
				text    string
				want    string // a message's key, or an error
			}{
				{"sent", w.LiveCaller, false, "Bonjour", "sent"},
				{"sent", w.LiveCaller, false, "another", "mismatch"},
				{"sent", w.LiveCaller, true, "Bonjour", "idempotency_key_used"},
				{"sent", project, false, "Bonjour", "idempotency_key_used"},
				{"simulated", w.LiveCaller, true, "Bonjour", "simulated"},
				{"simulated", w.LiveCaller, false, "Bonjour", "idempotency_key_used"},
				{"project", project, false, "Bonjour", "project"},
				{"project", w.LiveCaller, false, "Bonjour", "project"},
				{"failed", w.LiveCaller, false, "Bonjour", "message_failed FAILED"},
				{"expired", w.LiveCaller, false, "Bonjour", "message_failed EXPIRED"},
				{"canceled", w.LiveCaller, false, "Bonjour", "mismatch"}, // a replay: this request is not scheduled
				{"erased", w.LiveCaller, false, "Bonjour", "erased"},
			} {
				r := keyed(tt.key)
				r.Sandbox, r.Content.Text = tt.sandbox, tt.text
				res, err := w.Delivery.Submit(t.Context(), tt.caller, r)
				got := ""
				switch refused, _ := errors.AsType[*apierror.Error](err); {
				case refused != nil && refused.Kind == apierror.MessageFailed:
					got = fmt.Sprintf("%s %s", refused.Kind.Code, refused.Extra["status"])
				case refused != nil:
					got = refused.Kind.Code
				case err != nil:
					got = err.Error()
				case res.PayloadMismatch && res.Message.ID == ids[tt.key]:
					got = "mismatch"
				case res.Deduplicated && res.Message.ID == ids[tt.key] && res.Message.NotificationID != "" && res.Message.Channel == gateway.SMS && res.Message.To != "":
					got = tt.key
				default:
					got = fmt.Sprintf("%+v", res.Message)
				}
				if got != tt.want {
					t.Errorf("%s: key %s, simulated %v, %q: got %s, want %s", when, tt.key, tt.sandbox, tt.text, got, tt.want)
				}
			}
		}
		check("before the sweep")
		w.Clock.Advance(401 * day)
		sweepMessages(t, w)
		if n := w.Int(t, `SELECT count(*) FROM messages`) + w.Int(t, `SELECT count(*) FROM idempotency_keys`); n != 0 {
			t.Fatalf("%d messages and keys are left, want none", n)
		}
		check("after it")
		if n := w.Int(t, `SELECT count(*) FROM swept_keys WHERE message_id = $1 AND status = 'FAILED'`, failed.ID); n != 1 {
			t.Error("the failed message's last status is not kept")
		}
		if n := w.Int(t, `SELECT count(*) FROM swept_keys WHERE key_hash LIKE '1.%'`); n != 7 || len(w.Gateway.Calls()) != sent || w.Int(t, `SELECT count(*) FROM idempotency_keys`) != 0 {
			t.Errorf("%d keys are kept after %d calls, want 7 after %d", n, len(w.Gateway.Calls()), sent)
		}
	})
}

// Two processes sweep while callers repeat their requests. Each request has only one message, and no step is large.
func TestRetention_BesideCallersAndOtherSweeps(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		nodes := twoNodes(t, w)
		const keys = 450 // more than two steps
		ids := make([]string, keys)
		for first := 0; first < keys; first += 50 {
			var batch []*message.Request
			for i := range 50 {
				r := keyed(fmt.Sprint("k", first+i))
				r.Sandbox = true
				batch = append(batch, r)
			}
			out, err := nodes[0].SubmitBatch(t.Context(), w.LiveCaller, batch, make([]error, len(batch)), false)
			if err != nil {
				t.Fatal(err)
			}
			for i, o := range out {
				ids[first+i] = o.Result.Message.ID
			}
		}
		w.Clock.Advance(401 * day)
		stopped, stop := context.WithCancel(t.Context())
		stop()
		_ = sweeper(w).Sweep(stopped) // ends after its first step, if it gets so far
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if err := sweeper(w).Sweep(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		for k, id := range ids {
			wg.Go(func() {
				r := keyed(fmt.Sprint("k", k))
				r.Sandbox = true
				res, err := nodes[k%2].Submit(context.Background(), w.LiveCaller, r)
				if err != nil || !res.Deduplicated || res.Message.ID != id {
					t.Errorf("key %d: %+v, %v; want message %s", k, res, err, id)
				}
			})
		}
		wg.Wait()
		sweepMessages(t, w)
		if messages, kept := w.Int(t, `SELECT count(*) FROM messages`), w.Int(t, `SELECT count(*) FROM swept_keys`); messages != 0 || kept != keys {
			t.Errorf("%d messages and %d hashes of keys are left, want 0 and %d", messages, kept, keys)
		}
		if n := w.Int(t, `SELECT count(*) FROM retention_marks WHERE position <> '' AND name LIKE 'messages:%'`); n != 0 {
			t.Errorf("%d sweeps stand still, want none", n)
		}
	})
}
