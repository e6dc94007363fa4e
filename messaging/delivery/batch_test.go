package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// batchOf returns a batch: "" is a valid item, "key:K" is one with a key, and "bad" is an invalid one.
func batchOf(kinds ...string) (items []*message.Request, errs []error) {
	for i, kind := range kinds {
		r := text(fmt.Sprintf("2237600%04d", i))
		switch {
		case kind == "bad":
			r.To = "nonsense"
		case len(kind) > 4:
			r.IdempotencyKey = kind[4:]
		}
		items = append(items, r)
	}
	return items, make([]error, len(items))
}

// shape returns the outcomes: sent, replay, the code of an error, or skipped.
func shape(out []delivery.Outcome) (s []string) {
	for _, o := range out {
		e, _ := errors.AsType[*apierror.Error](o.Err)
		switch {
		case e != nil:
			s = append(s, e.Kind.Code)
		case o.Result == nil:
			s = append(s, "skipped")
		case o.Result.Deduplicated:
			s = append(s, "replay")
		default:
			s = append(s, string(o.Result.Message.Status))
		}
	}
	return s
}

// Rules: M60.
func TestBatch(t *testing.T) {
	for name, tc := range map[string]struct {
		items []string
		goOn  bool
		want  []string
		sent  int
	}{
		"all good":                   {[]string{"", "", ""}, false, []string{"SENT", "SENT", "SENT"}, 3},
		"one bad ends it":            {[]string{"", "bad", ""}, false, []string{"SENT", "invalid_phone", "skipped"}, 1},
		"one bad, going on":          {[]string{"", "bad", ""}, true, []string{"SENT", "invalid_phone", "SENT"}, 2},
		"one key twice":              {[]string{"key:a", "key:a", "key:b"}, false, []string{"SENT", "replay", "SENT"}, 2},
		"more than the quota":        {[]string{"", "", "", "", "", "", "", "", "", "", "", ""}, false, []string{"SENT", "SENT", "SENT", "SENT", "SENT", "SENT", "SENT", "SENT", "SENT", "SENT", "quota_exceeded", "skipped"}, 10},
		"more than the quota, on":    {[]string{"", "", "", "", "", "", "", "", "", "", "", "bad"}, true, []string{"SENT", "SENT", "SENT", "SENT", "SENT", "SENT", "SENT", "SENT", "SENT", "SENT", "quota_exceeded", "invalid_phone"}, 10},
		"the first is bad, stopping": {[]string{"bad", "", ""}, false, []string{"invalid_phone", "skipped", "skipped"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free")
				items, errs := batchOf(tc.items...)
				before, _ := d.Stats()
				out, err := w.Delivery.SubmitBatch(t.Context(), w.LiveCaller, items, errs, tc.goOn)
				if err != nil {
					t.Fatal(err)
				}
				if got := shape(out); fmt.Sprint(got) != fmt.Sprint(tc.want) {
					t.Errorf("got %v, want %v", got, tc.want)
				}
				if len(w.Gateway.Calls()) != tc.sent || usedQuota(t, w) != tc.sent {
					t.Errorf("sent %d, counted %d, want %d", len(w.Gateway.Calls()), usedQuota(t, w), tc.sent)
				}
				if after, _ := d.Stats(); d.Engine() == db.SQLite && after-before > int64(1+tc.sent) {
					t.Errorf("%d transactions for %d messages: want at most one to accept them all, and one each to finish", after-before, tc.sent)
				}
				if n := w.Int(t, `SELECT count(*) FROM messages`); n != tc.sent {
					t.Errorf("%d messages stored", n)
				}
			})
		})
	}
}

// Rules: M62.
func TestBatch_SentAgainAfterALostAnswerSendsNothingTwice(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Run(t, w.Delivery)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				items, errs := batchOf("key:k:0", "key:k:1", "key:k:2", "key:k:3")
				out, err := w.Delivery.SubmitBatch(context.Background(), w.LiveCaller, items, errs, false)
				if err != nil {
					t.Error(err)
				}
				for _, o := range out {
					if o.Err != nil || o.Result.Message.Status != message.Sent {
						t.Errorf("got %+v", o)
					}
				}
			})
		}
		wg.Wait()
		if len(w.Gateway.Calls()) != 4 || usedQuota(t, w) != 4 {
			t.Errorf("sent %d, counted %d, want 4", len(w.Gateway.Calls()), usedQuota(t, w))
		}
	})
}

// A batch whose messages still wait is repeated to a process that has not accepted them. It is answered after one wait,
// not after one for each message.
// Rules: M62.
func TestBatch_SentAgainWhileItsMessagesWait(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		w.Gateway.SetState(messagingtest.SMS, gateway.Connecting)
		kinds := make([]string, delivery.MaxBatch)
		for n := range kinds {
			kinds[n] = fmt.Sprint("key:", n)
		}
		for _, want := range []string{"QUEUED", "replay"} {
			engine := w.NewDelivery(func(o *delivery.Options) { o.Wait = time.Second })
			items, errs := batchOf(kinds...)
			out, err := engine.SubmitBatch(waittest.Context(t), w.LiveCaller, items, errs, true)
			if err != nil {
				t.Fatal(err)
			}
			if got := shape(out); slices.ContainsFunc(got, func(s string) bool { return s != want }) {
				t.Errorf("got %v, want %s for each", got, want)
			}
		}
	})
}

// The key of a failed message is a refusal like any other, so the items after it are not sent.
func TestBatch_AKeyOfAFailedMessageEndsIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Gateway.FailWith(gateway.Permanent, "no")
		w.Submit(t, keyed("lost"))
		w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
			return gateway.Ack{ProviderID: "p"}, nil
		})
		asked := len(w.Gateway.Calls())
		items, errs := batchOf("", "key:lost", "")
		out, err := w.Delivery.SubmitBatch(t.Context(), w.LiveCaller, items, errs, false)
		if got := fmt.Sprint(shape(out)); err != nil || got != "[SENT message_failed skipped]" || len(w.Gateway.Calls()) != asked+1 {
			t.Errorf("got %s, %v, asked %d", got, err, len(w.Gateway.Calls())-asked)
		}
	})
}
