package delivery_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// world is a gateway that fails at random, phones that record their messages, and an engine that can be killed.
type world struct {
	*messagingtest.World
	engine      *delivery.Service
	stop        func()
	dead        *atomic.Bool
	untilKilled *atomic.Int64 // number that are passed before the engine is killed; below 0: all

	mu     sync.Mutex
	faults []gateway.Class   // of the next calls; empty: they succeed
	lost   bool              // the next response is lost
	phones map[string]int    // from a reference to the number of times that a phone got it
	asked  map[string]int    // from a reference to the number of times that the gateway accepted it, or did not respond
	ids    map[string]string // from a key to the message in its response
	live   map[string]bool   // ids of all accepted messages
}

// deliver is the gateway's Send.
func (w *world) deliver(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.faults) > 0 {
		class := w.faults[0]
		w.faults = w.faults[1:]
		// A gateway that deduplicates does not permanently refuse a reference that it has accepted ([gateway.Info]).
		has := w.Gateway.Deduplicates.Load() && w.phones[out.Ref] > 0 && (class == gateway.Permanent || class == gateway.Unreachable)
		if class != gateway.Unknown && !has {
			return gateway.Ack{}, &gateway.Error{Class: class, Code: "random"}
		}
		if class == gateway.Unknown && !w.lost { // the request never arrived, but this is unknown
			return gateway.Ack{}, &gateway.Error{Class: class, Code: "random"}
		}
	}
	w.asked[out.Ref]++
	if w.phones[out.Ref] == 0 || !w.Gateway.Deduplicates.Load() {
		w.phones[out.Ref]++
	}
	if w.lost {
		w.lost = false
		return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "lost"}
	}
	return gateway.Ack{ProviderID: "p_" + out.Ref}, nil
}

// boot creates an engine, like a new process.
func (w *world) boot(t testing.TB) {
	dead, untilKilled := &atomic.Bool{}, &atomic.Int64{}
	untilKilled.Store(-1)
	w.dead, w.untilKilled = dead, untilKilled
	w.engine = w.NewDelivery(func(o *delivery.Options) {
		o.Wait, o.QuickWait = 2*time.Millisecond, 2*time.Millisecond // a dead process sends no responses
		o.UnknownWait = time.Minute
		o.Failpoint = func(string) {
			if untilKilled.Load() >= 0 && untilKilled.Add(-1) < 0 {
				dead.Store(true)
			}
			if dead.Load() {
				runtime.Goexit() // a dead process does nothing more
			}
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	w.FenceAll(t) // the previous one's lease has expired
	if err := w.engine.Recover(ctx); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	e := w.engine
	go func() {
		defer close(ended) // also when it dies
		_ = e.Run(ctx)
	}()
	w.stop = func() {
		cancel()
		<-ended
	}
}

// restart kills the engine and creates another.
func (w *world) restart(t testing.TB) {
	w.dead.Store(true)
	w.stop()
	w.boot(t)
}

// submit repeats a request until there is a response, like a client with a key.
func (w *world) submit(t testing.TB, r *message.Request) {
	for {
		var res *delivery.Result
		var err error
		answered := make(chan bool, 1)
		request := *r
		go func() {
			ok := false
			defer func() { answered <- ok }()
			res, err = w.engine.Submit(context.Background(), w.LiveCaller, &request)
			ok = true
		}()
		if !<-answered || w.dead.Load() { // a response of a dead process is lost
			w.restart(t)
			continue
		}
		var id string
		switch refusal, refused := err.(*apierror.Error); { //nolint:errorlint // the engine returns it bare
		case err == nil:
			id = res.Message.ID
		case refused && refusal.Kind == apierror.MessageFailed:
			id, _ = refusal.Extra["messageId"].(string)
		case refused && refusal.Kind == apierror.QuotaExceeded:
			return
		default:
			t.Fatalf("%+v: %v", r, err)
		}
		if known := w.ids[r.IdempotencyKey]; known != "" && known != id {
			t.Fatalf("the key %s stands for %s and for %s", r.IdempotencyKey, known, id)
		}
		w.ids[r.IdempotencyKey], w.live[id] = id, true
		return
	}
}

func request(rt *rapid.T, n int) *message.Request {
	r := &message.Request{
		To: fmt.Sprintf("2237620%04d", rapid.IntRange(1, 3).Draw(rt, "to")), Source: message.SourceAPI, Content: message.Content{Text: "x"},
		Channel:        rapid.SampledFrom([]gateway.Channel{gateway.SMS, gateway.WhatsApp, message.Auto, message.Auto}).Draw(rt, "channel"),
		IdempotencyKey: fmt.Sprintf("key-%d", n),
	}
	if rapid.Bool().Draw(rt, "retry") {
		r.Retry = message.Retry{Max: rapid.IntRange(1, 4).Draw(rt, "max"), Delay: 100}
	}
	if r.Channel == message.Auto {
		r.Email = rapid.SampledFrom([]string{"", "awa@example.com"}).Draw(rt, "email")
		r.FallbackAfter = rapid.SampledFrom([]time.Duration{0, 0, 10 * time.Second}).Draw(rt, "fallback")
		r.Quick = rapid.IntRange(0, 3).Draw(rt, "quick") == 0
		r.Sensitive = r.Quick
	}
	return r
}

// TestProperty_WhateverHappens makes requests, faults, crashes of the process, jumps of the clock, and receipts in
// any order. In the end, each accepted message has one final status, no phone has a reference twice, the quota counts
// the submitted messages, and the counters of statistics agree with the messages.
func TestProperty_WhateverHappens(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dbtest.Property(t, d, checksOnPostgres, func(t testing.TB, rt *rapid.T, n int) {
			w := &world{
				World:  messagingtest.New(t, d, "business", withBackups, func(s *account.Spec) { named(s, n) }),
				phones: map[string]int{}, asked: map[string]int{}, ids: map[string]string{}, live: map[string]bool{},
			}
			w.Gateway.Deduplicates.Store(rapid.Bool().Draw(rt, "deduplicates"))
			w.Gateway.SetScript(w.deliver)
			w.boot(t)
			var sent []*message.Request
			for step := range rapid.IntRange(3, 12).Draw(rt, "steps") {
				switch rapid.IntRange(0, 9).Draw(rt, "what") {
				case 0, 1, 2, 3:
					r := request(rt, step)
					sent = append(sent, r)
					w.submit(t, r)
				case 4:
					if len(sent) > 0 { // an uncertain client repeats its request
						w.submit(t, rapid.SampledFrom(sent).Draw(rt, "again"))
					}
				case 5:
					faults := rapid.SliceOfN(rapid.SampledFrom([]gateway.Class{gateway.Temporary, gateway.Permanent, gateway.Unreachable, gateway.SenderDown, gateway.RateLimited, gateway.Unknown}), 1, 4).Draw(rt, "faults")
					w.mu.Lock()
					w.faults, w.lost = faults, rapid.Bool().Draw(rt, "lost")
					w.mu.Unlock()
				case 6:
					w.untilKilled.Store(int64(rapid.IntRange(0, 12).Draw(rt, "dies after")))
				case 7:
					w.restart(t)
				case 8:
					w.Clock.Advance(time.Duration(rapid.IntRange(1, 120).Draw(rt, "seconds")) * time.Second)
				case 9:
					w.receipts(t, rapid.SampledFrom([]gateway.ReceiptStatus{gateway.ReceiptDelivered, gateway.ReceiptFailed, gateway.ReceiptRead, gateway.ReceiptSent}).Draw(rt, "receipt"))
				}
			}
			w.untilKilled.Store(-1)
			w.restart(t)
			w.mu.Lock()
			w.faults, w.lost = nil, false
			w.mu.Unlock()
			w.comesToAnEnd(t)
			w.stop()
			w.checkEnd(t)
		})
	})
}

const checksOnPostgres = 15

// named gives each run's account its own addresses in the shared database.
func named(s *account.Spec, n int) {
	s.Email = fmt.Sprintf("run-%d@example.com", n)
	for i := range s.Senders {
		s.Senders[i].Address = strings.Replace(s.Senders[i].Address, "hello", fmt.Sprintf("hello-%d", n), 1)
		s.Senders[i].Address = strings.Replace(s.Senders[i].Address, "2237", fmt.Sprintf("2%03d7", n), 1)
	}
}

// receipts sends the receipts of all messages that phones have.
func (w *world) receipts(t testing.TB, s gateway.ReceiptStatus) {
	w.mu.Lock()
	var refs []string
	for ref := range w.phones {
		refs = append(refs, ref)
	}
	w.mu.Unlock()
	for _, ref := range refs {
		done := make(chan error, 1)
		go func() {
			err := errAway
			defer func() { done <- err }()
			err = w.engine.Receipt(context.Background(), gateway.Receipt{Gateway: "fake", Ref: ref, Status: s, At: w.Clock.Now()})
		}()
		if err := waittest.Receive(t, done); err != nil && !w.dead.Load() {
			t.Fatal(err)
		}
	}
}

var errAway = fmt.Errorf("the process died")

// comesToAnEnd moves the clock until nothing waits anymore.
func (w *world) comesToAnEnd(t testing.TB) {
	waittest.Until(t, func() error { // the engine works in the background; only the database shows when it is done
		open := w.Int(t, `SELECT count(*) FROM messages WHERE account_id = $1 AND (due_at IS NOT NULL OR status IN ('QUEUED', 'SENDING'))`, w.Account.ID)
		if open == 0 {
			return nil
		}
		w.Clock.Advance(5 * time.Second)
		return fmt.Errorf("%d messages still wait", open)
	})
}

// checkEnd compares the phones with the accepted messages after all messages are done.
func (w *world) checkEnd(t testing.TB) {
	t.Helper()
	for ref, n := range w.phones {
		if n != 1 {
			t.Errorf("a phone has %s %d times", ref, n)
		}
	}
	if n := w.Int(t, `SELECT count(*) FROM messages WHERE account_id = $1`, w.Account.ID); n != len(w.live) {
		t.Errorf("%d messages are stored, %d were answered", n, len(w.live))
	}
	charged := 0
	for id := range w.live {
		m := w.Message(t, id)
		has := false
		for ref := range w.phones {
			if of, _, _ := message.ParseRef(ref); of == id {
				has = true
			}
		}
		unknown := m.Failure != nil && m.Failure.Code == "outcome_unknown"
		switch m.Status {
		case message.Sent, message.Delivered, message.Read:
			if !has {
				t.Errorf("%s is %s, but no phone has it: %s", id, m.Status, m.Timeline)
			}
			charged++
		case message.Failed, message.Expired:
			if m.HandedOver() || has {
				charged++
			}
			if has && !unknown && !strings.Contains(string(m.Timeline), `"why":"receipt"`) && !strings.Contains(string(m.Timeline), `"why":"left"`) && !strings.Contains(string(m.Timeline), `"why":"late"`) {
				t.Errorf("%s failed, but a phone has it: %s", id, m.Timeline)
			}
		default:
			t.Errorf("%s ended as %s: %s", id, m.Status, m.Timeline)
		}
	}
	w.CheckCounts(t)
	if used := w.Int(t, `SELECT COALESCE(SUM(used), 0) FROM quotas WHERE account_id = $1`, w.Account.ID); used != charged {
		t.Errorf("the quota counts %d, %d were handed over", used, charged)
	}
}
