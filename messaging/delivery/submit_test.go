package delivery_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
	"example.com/griot/messaging/quota"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func text(to string) *message.Request {
	return &message.Request{To: to, Channel: gateway.SMS, Content: message.Content{Text: "Bonjour"}, Source: message.SourceAPI}
}

func keyed(key string) *message.Request {
	r := text("+22376000001")
	r.IdempotencyKey = key
	return r
}

func usedQuota(t *testing.T, w *messagingtest.World) int {
	t.Helper()
	return w.Int(t, `SELECT COALESCE(SUM(used), 0) FROM quotas WHERE account_id = $1 AND day = $2`, w.Account.ID, quota.Day(w.Clock.Now()))
}

// Rules: M153.
func TestSubmit_StoresDeliversAndReturnsTheResult(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.SetWebhook(t, "https://example.com/hook")
		res := w.Submit(t, text("+22376000001"))
		if res.Message.Status != message.Sent || res.Used != 1 || res.Limit != 10 || !strings.HasPrefix(res.Message.ID, "msg_") {
			t.Fatalf("got %+v", res)
		}
		asked := w.Gateway.Calls()
		if len(asked) != 1 || asked[0].Ref != res.Message.ID || asked[0].To != "22376000001" || asked[0].From != "22370000003" || asked[0].Text != "Bonjour" {
			t.Errorf("the gateway was asked %+v", asked)
		}
		m := w.Message(t, res.Message.ID)
		if m.Status != message.Sent || m.ProviderID != "p_"+m.ID || m.SentAt.IsZero() || !m.DueAt.IsZero() || m.To != "+22376000001" {
			t.Errorf("stored %+v", m)
		}
		steps, err := m.Timeline.Steps()
		if err != nil || len(steps) != 2 || steps[0].Status != message.Queued || steps[1].Status != message.Sent {
			t.Errorf("timeline %v, %v", steps, err)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE type = 'message.status' AND body LIKE '%"status":"sent"%'`); n != 1 {
			t.Errorf("%d events", n)
		}
		if n := w.Int(t, `SELECT count(*) FROM webhook_events WHERE body LIKE '%Bonjour%'`); n != 0 {
			t.Error("an event carries the text")
		}
	})
}

// Rules: M79.
func TestSubmit_AFailureGivesTheQuotaBack(t *testing.T) {
	for _, class := range []gateway.Class{gateway.Permanent, gateway.Temporary, gateway.RateLimited, gateway.SenderDown, gateway.Unreachable} {
		t.Run(string(class), func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				w := messagingtest.New(t, d, "free", func(s *account.Spec) { s.RecipientCap = 3 })
				w.Gateway.FailWith(class, "no_luck")
				res := w.Submit(t, text("22376000001"))
				if res.Message.Status != message.Failed || res.Message.Failure.Code != "no_luck" {
					t.Fatalf("got %+v", res.Message)
				}
				if n := len(w.Gateway.Calls()); n != 1 {
					t.Errorf("%d attempts without retry, want 1", n)
				}
				if n := usedQuota(t, w); n != 0 {
					t.Errorf("quota %d, want it given back", n)
				}
				if n := w.Int(t, `SELECT used FROM recipient_counts`); n != 0 {
					t.Errorf("recipient's count %d, want it given back", n)
				}
			})
		})
	}
}

// Rules: M75, M78, M149.
func TestSubmit_AStampedeTakesExactlyTheQuota(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Run(t, w.Delivery)
		var sent, refused atomic.Int64
		var wg sync.WaitGroup
		for range 500 {
			wg.Go(func() {
				_, err := w.Delivery.Submit(context.Background(), w.LiveCaller, text("22376000001"))
				switch {
				case err == nil:
					sent.Add(1)
				case errors.Is(err, apierror.QuotaExceeded.Err()):
					refused.Add(1)
				default:
					t.Errorf("got %v, want no error or %v", err, apierror.QuotaExceeded.Err())
				}
			})
		}
		wg.Wait()
		if sent.Load() != 10 || refused.Load() != 490 || usedQuota(t, w) != 10 || len(w.Gateway.Calls()) != 10 {
			t.Errorf("sent %d, refused %d, counted %d, delivered %d; want 10, 490, 10, 10", sent.Load(), refused.Load(), usedQuota(t, w), len(w.Gateway.Calls()))
		}
		if n := w.Int(t, `SELECT count(*) FROM messages`); n != 10 {
			t.Errorf("%d messages stored", n)
		}
		w.Clock.Advance(12 * time.Hour) // 00:00 UTC
		if res := w.Submit(t, text("22376000001")); res.Used != 1 {
			t.Errorf("a new day begins at %d", res.Used)
		}
	})
}

// Rules: M39, M80.
func TestSubmit_ARefusalLeavesNothingBehind(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free", func(s *account.Spec) { s.RecipientCap = 1 })
		w.Submit(t, text("22376000001"))
		_, err := w.Delivery.Submit(t.Context(), w.LiveCaller, keyed("again"))
		e := apierror.As(err, apierror.Internal)
		if e.Kind != apierror.RecipientLimitReached || e.Extra["recipientLimit"] != int64(1) || e.RetryAfter != 12*time.Hour {
			t.Fatalf("got %+v", e)
		}
		if n := w.Int(t, `SELECT count(*) FROM idempotency_keys`) + w.Int(t, `SELECT count(*) FROM messages`); n != 1 || usedQuota(t, w) != 1 {
			t.Errorf("%d rows, %d used: the refused request left something", n, usedQuota(t, w))
		}
		w.Clock.Advance(12 * time.Hour)
		if res := w.Submit(t, keyed("again")); res.Deduplicated {
			t.Error("the key of a refused request is taken")
		}
	})
}

// Rules: M72.
func TestSubmit_OneKeySendsOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Run(t, w.Delivery)
		var fresh atomic.Int64
		var ids sync.Map
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				res, err := w.Delivery.Submit(context.Background(), w.LiveCaller, keyed("order-1"))
				if err != nil {
					t.Error(err)
					return
				}
				if !res.Deduplicated {
					fresh.Add(1)
				}
				if res.Message.Status != message.Sent {
					t.Errorf("a duplicate was answered %s before the first had ended", res.Message.Status)
				}
				ids.Store(res.Message.ID, true)
			})
		}
		wg.Wait()
		n := 0
		ids.Range(func(any, any) bool { n++; return true })
		if fresh.Load() != 1 || n != 1 || len(w.Gateway.Calls()) != 1 || usedQuota(t, w) != 1 {
			t.Errorf("fresh %d, ids %d, delivered %d, used %d: want 1 each", fresh.Load(), n, len(w.Gateway.Calls()), usedQuota(t, w))
		}
	})
}

// Rules: M67, M71, M74.
func TestSubmit_ReplayAnswersWithTheStoredMessage(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		first := w.Submit(t, keyed("k"))
		if again := w.Submit(t, keyed("k")); !again.Deduplicated || again.PayloadMismatch || again.Message.ID != first.Message.ID || again.Used != 1 {
			t.Errorf("replay: %+v", again)
		}
		other := keyed("k")
		other.Content.Text = "another"
		if again := w.Submit(t, other); !again.Deduplicated || !again.PayloadMismatch {
			t.Errorf("replay with another body: %+v", again)
		}
		bad := keyed("k")
		bad.To = "nonsense" // a replay is answered before the body is judged
		if again := w.Submit(t, bad); !again.Deduplicated || !again.PayloadMismatch {
			t.Errorf("replay with a bad body: %+v", again)
		}
		w.Gateway.FailWith(gateway.Permanent, "no")
		w.Submit(t, keyed("fails"))
		if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, keyed("fails")); !errors.Is(err, apierror.MessageFailed.Err()) {
			t.Errorf("replay of a failed message: %v", err)
		}
		if len(w.Gateway.Calls()) != 2 {
			t.Errorf("%d attempts, want one a key", len(w.Gateway.Calls()))
		}
	})
}

// Rules: M4.
func TestSubmit_WithoutAGatewayNothingIsStored(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "business")
		w.Gateway.LoggedOut.Store(true)
		if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, keyed("k")); !errors.Is(err, apierror.GatewayNotConnected.Err()) {
			t.Errorf("got %v", err)
		}
		r := text("22376000001")
		r.SenderID = "snd_unknown"
		if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, r); !errors.Is(err, apierror.SenderNotFound.Err()) {
			t.Errorf("got %v", err)
		}
		if n := w.Int(t, `SELECT count(*) FROM messages`) + w.Int(t, `SELECT count(*) FROM idempotency_keys`) + usedQuota(t, w); n != 0 {
			t.Errorf("%d rows and units", n)
		}
	})
}

// A number that cannot send to strangers can reply. A temporarily banned one accepts nothing.
func TestSubmit_ByARestrictedSender(t *testing.T) {
	for reason, accepted := range map[string]bool{gateway.ReachOutTimelock: true, "temporary_ban": false, "": false} {
		w := messagingtest.New(t, dbtest.SQLite(t), "business")
		for _, s := range w.Account.Senders {
			w.Gateway.SetDetail(s.Address, gateway.ConnDetail{State: gateway.Restricted, Reason: reason})
		}
		_, err := w.Delivery.Submit(t.Context(), w.LiveCaller, text("22376000001"))
		if accepted && err != nil || !accepted && !errors.Is(err, apierror.GatewayNotConnected.Err()) {
			t.Errorf("restricted by %q: %v, want accepted: %v", reason, err, accepted)
		}
	}
}

// Rules: M10, M86, M87.
func TestSubmit_SandboxReachesNoGateway(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		w.Gateway.LoggedOut.Store(true)
		test, err := w.Directory.Authenticate(t.Context(), w.Key(t, w.Account.ID, "", account.Test))
		if err != nil {
			t.Fatal(err)
		}
		asked := keyed("s")
		asked.Sandbox = true
		for name, res := range map[string]func() (*delivery.Result, error){
			"asked for":  func() (*delivery.Result, error) { return w.Delivery.Submit(t.Context(), w.LiveCaller, asked) },
			"a test key": func() (*delivery.Result, error) { return w.Delivery.Submit(t.Context(), test, text("22376000001")) },
			"the server": func() (*delivery.Result, error) {
				return w.NewDelivery(func(o *delivery.Options) { o.Sandbox = true }).Submit(t.Context(), w.LiveCaller, text("22376000001"))
			},
		} {
			r, err := res()
			if err != nil || r.Message.Status != message.Sandbox || !strings.HasPrefix(r.Message.ID, "sb_") || r.Used != 0 {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		}
		if res, err := w.Delivery.Submit(t.Context(), w.LiveCaller, keyed("s")); !errors.Is(err, apierror.IdempotencyKeyUsed.Err()) {
			t.Errorf("a live send under a sandbox key: got %+v, %v, want idempotency_key_used", res, err)
		}
		if len(w.Gateway.Calls()) != 0 || usedQuota(t, w) != 0 {
			t.Error("the sandbox reached a gateway or the quota")
		}
	})
}

// Rules: M49.
func TestSubmit_ASlowGatewayIsNotWaitedForLongerThanTheLimit(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "free")
		release := make(chan struct{})
		w.Gateway.SetScript(func(context.Context, *gateway.Outbound) (gateway.Ack, error) {
			<-release
			return gateway.Ack{ProviderID: "late"}, nil
		})
		w.ReplaceDelivery(func(o *delivery.Options) { o.Wait = time.Millisecond })
		res := w.Submit(t, keyed("slow"))
		if res.Message.Status != message.Sending {
			t.Errorf("got %s", res.Message.Status)
		}
		if again := w.Submit(t, keyed("slow")); !again.Deduplicated || !again.Message.Status.Open() {
			t.Errorf("replay meanwhile: %+v", again)
		}
		close(release)
		if m := w.Becomes(t, res.Message.ID, message.Sent); m.ProviderID != "late" {
			t.Errorf("stored %+v", m)
		}
	})
}

// Rules: M163.
func TestSubmit_WithoutADatabaseNothingIsSent(t *testing.T) {
	d := dbtest.Postgres(t)
	w := messagingtest.New(t, d, "free")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Delivery.Submit(t.Context(), w.LiveCaller, text("22376000001")); !db.Unavailable(err) {
		t.Errorf("got %v", err)
	}
	if len(w.Gateway.Calls()) != 0 {
		t.Error("an unstored message was sent")
	}
}
