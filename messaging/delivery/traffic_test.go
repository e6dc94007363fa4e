package delivery_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/waittest"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/messagingtest"
)

// withoutWait returns an engine that responds immediately.
func withoutWait(w *messagingtest.World) *delivery.Service {
	return w.NewDelivery(func(o *delivery.Options) { o.Wait = time.Millisecond })
}

func numbered(to string, n int) *message.Request {
	r := text(to)
	r.Content.Text = fmt.Sprint(n)
	return r
}

// Rules: M184.
func TestTraffic_KeepsTheOrderOfASenderAndRecipient(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		e := withoutWait(w)
		w.Run(t, e)
		open := make(chan struct{})
		w.Gateway.SetScript(func(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			if out.Text == "0" {
				select {
				case <-open:
				case <-ctx.Done():
				}
			}
			return gateway.Ack{}, nil
		})
		const many = 60 // more than fit in the line
		var ids []string
		for n := range many {
			res, err := e.Submit(t.Context(), w.LiveCaller, numbered("22376000001", n))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, res.Message.ID)
		}
		other, err := e.Submit(t.Context(), w.LiveCaller, text("22376000002"))
		if err != nil {
			t.Fatal(err)
		}
		w.Becomes(t, other.Message.ID, message.Sent) // another recipient's does not wait
		close(open)
		w.Until(t, ids[many-1], "SENT", func(m *message.Message) bool {
			w.Clock.Advance(100 * time.Millisecond)
			return m.Status == message.Sent
		})
		var got []string
		for _, out := range w.Gateway.Calls() {
			if out.To == "22376000001" {
				got = append(got, out.Text)
			}
		}
		var want []string
		for n := range many {
			want = append(want, fmt.Sprint(n))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("handed over as %v", got)
		}
	})
}

// Rules: M184.
func TestTraffic_ARetryHoldsNobodyUp(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	w.Run(t, w.Delivery)
	failsFirst(w, 1, gateway.Error{Class: gateway.Temporary, Code: "busy"})
	r := numbered("22376000001", 0)
	r.Retry = message.Retry{Max: 3, Delay: 60_000}
	if m := w.Submit(t, r).Message; m.Status != message.Queued {
		t.Fatalf("the first is %s, want QUEUED", m.Status)
	}
	if m := w.Submit(t, numbered("22376000001", 1)).Message; m.Status != message.Sent {
		t.Errorf("the one behind is %s, want SENT", m.Status)
	}
}

func TestTraffic_ASenderThatHangsLeavesRoomForOthers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		never := make(chan struct{})
		w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			if out.From == ofSMS {
				<-never
			}
			return gateway.Ack{}, nil
		})
		t.Cleanup(func() { close(never) })
		e := withoutWait(w)
		var wg sync.WaitGroup
		for n := range 2100 { // more than there are slots
			wg.Go(func() {
				if _, err := e.Submit(context.Background(), w.LiveCaller, text(fmt.Sprintf("223%08d", n))); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		r := text("22376000001")
		r.Channel = gateway.WhatsApp
		res, err := e.Submit(t.Context(), w.LiveCaller, r)
		if err != nil {
			t.Fatal(err)
		}
		w.Becomes(t, res.Message.ID, message.Sent)
	})
}

func TestTraffic_KeepsTheGatewaysPace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited")
		w.Gateway.SetPace(gateway.Pace{Pair: 6 * time.Second, Burst: 2})
		var at sync.Map
		w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
			at.Store(out.Text, w.Clock.Now())
			return gateway.Ack{}, nil
		})
		w.Run(t, w.Delivery)
		var last *message.Message
		for n := range 4 {
			last = w.Submit(t, numbered("22376000001", n)).Message
			if want := map[bool]message.Status{true: message.Sent, false: message.Queued}[n < 2]; last.Status != want {
				t.Errorf("message %d is %s, want %s", n, last.Status, want)
			}
		}
		if m := w.Submit(t, text("22376000002")).Message; m.Status != message.Sent {
			t.Errorf("another recipient's is %s", m.Status)
		}
		advanceUntilClosed(t, w, last.ID, 100*time.Millisecond)
		m := w.Message(t, last.ID)
		if steps, err := m.Timeline.Steps(); err != nil || m.Calls != 1 || len(steps) > 3 {
			t.Errorf("waiting counts: %d calls, %s", m.Calls, m.Timeline)
		}
		for n, want := range []time.Duration{0, 0, 6 * time.Second, 12 * time.Second} {
			got, _ := at.Load(fmt.Sprint(n))
			went, _ := got.(time.Time)
			if after := went.Sub(messagingtest.Start); after < want || after > want+3*time.Second {
				t.Errorf("message %d went after %v, want %v", n, after, want)
			}
		}
	})
}

// A gateway can have another pace for each sender, and can change it. A new pace starts without a burst, because the
// sender might have used it up.
func TestTraffic_PaceOfASender(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "unlimited")
	w.Run(t, w.Delivery)
	submitted := func(channel gateway.Channel, n int) message.Status {
		t.Helper()
		r := text(fmt.Sprintf("2237600%04d", n))
		r.Channel = channel
		return w.Submit(t, r).Message.Status
	}
	w.Gateway.SetPaceOf(messagingtest.SMS, gateway.Pace{Sender: time.Minute, Burst: 2})
	for n, want := range []message.Status{message.Sent, message.Sent, message.Queued} {
		if got := submitted(gateway.SMS, n); got != want {
			t.Errorf("message %d is %s, want %s", n, got, want)
		}
		if got := submitted(gateway.WhatsApp, n); got != message.Sent {
			t.Errorf("message %d of the other sender is %s", n, got)
		}
	}
	w.Gateway.SetPaceOf(messagingtest.WhatsApp, gateway.Pace{Sender: time.Hour, Burst: 2})
	w.Clock.Advance(time.Hour)
	if got := submitted(gateway.WhatsApp, 7); got != message.Sent {
		t.Errorf("the first message at a new pace is %s", got)
	}
	w.Gateway.SetPaceOf(messagingtest.WhatsApp, gateway.Pace{Sender: 2 * time.Hour, Burst: 2})
	if got := submitted(gateway.WhatsApp, 8); got != message.Queued {
		t.Errorf("a message right after the pace was changed is %s, want it to wait", got)
	}
}

// Slow paces are not exactly regular: waiting messages are sent slightly later, and never earlier. Fast paces are unchanged.
func TestTraffic_PaceHasJitter(t *testing.T) {
	const step = 50 * time.Millisecond // a 24th of the longest jitter, so that twelve equal waits are no coincidence
	for every, varies := range map[time.Duration]bool{6 * time.Second: true, 500 * time.Millisecond: false} {
		w := messagingtest.New(t, dbtest.SQLite(t), "unlimited")
		w.Gateway.SetPace(gateway.Pace{Pair: every, Burst: 1})
		w.Run(t, w.Delivery)
		waits := map[time.Duration]int{}
		for n := range 12 {
			to := fmt.Sprintf("223%08d", n)
			w.Submit(t, text(to))
			waiting, since := w.Submit(t, text(to)).Message.ID, w.Clock.Now()
			w.Clock.Advance(every - step)
			advanceUntilClosed(t, w, waiting, step)
			wait := w.Clock.Now().Sub(since)
			if wait < every || wait > every+every/5+2*step {
				t.Errorf("every %v: it waited %v", every, wait)
			}
			waits[wait]++
		}
		if got := len(waits) > 1; varies && !got {
			t.Errorf("every %v: always %v", every, waits)
		}
	}
}

// waitForFailures waits until n consecutive failures count for a message's sender, which might be after the response to its request.
func waitForFailures(t *testing.T, w *messagingtest.World, m *message.Message, n int) {
	t.Helper()
	w.Eventually(t, fmt.Sprint(n, " failures of ", m.From), func() (any, bool) {
		found := w.Delivery.Health(m.SenderID).Failures
		return found, found == n
	})
}

func TestTraffic_ASenderThatFailsIsPaused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := messagingtest.New(t, d, "unlimited", withBackups)
		w.Run(t, w.Delivery)
		failsFrom(w, gateway.SenderDown, ofSMS)
		for n := range 10 {
			m := w.Submit(t, text(fmt.Sprintf("223%08d", n))).Message
			if m.Status != message.Failed {
				t.Fatalf("message %d: got %s, want FAILED", n, m.Status)
			}
			waitForFailures(t, w, m, n+1)
		}
		m := w.Submit(t, text("22376000001")).Message
		if m.Status != message.Queued || len(w.Gateway.Calls()) != 10 {
			t.Fatalf("%s after %d attempts: the sender should rest", m.Status, len(w.Gateway.Calls()))
		}
		failsFrom(w, gateway.SenderDown, first) // SMS works again
		for n := range 10 {
			r := text(fmt.Sprintf("223%08d", n))
			r.Channel = gateway.WhatsApp
			waitForFailures(t, w, w.Submit(t, r).Message, n+1)
		}
		if a := w.Submit(t, auto()).Message; a.Status != message.Sent || a.From != backup {
			t.Errorf("auto went by %s, want the backup of what rests", a.From)
		}
		if advanceUntilClosed(t, w, m.ID, time.Second); w.Message(t, m.ID).Status != message.Sent {
			t.Errorf("after its rest: %s", w.Message(t, m.ID).Status)
		}
		if again := w.Submit(t, text("22376000002")).Message; again.Status != message.Sent {
			t.Errorf("the one after: %s", again.Status)
		}
	})
}

func TestTraffic_WaitsForAGatewayThatConnects(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	w.Run(t, w.Delivery)
	w.Gateway.SetState(ofSMS, gateway.Connecting)
	m := w.Submit(t, text("22376000001")).Message
	if m.Status != message.Queued || len(w.Gateway.Calls()) != 0 {
		t.Fatalf("%s after %d attempts", m.Status, len(w.Gateway.Calls()))
	}
	w.Clock.Advance(10 * time.Second)
	w.Gateway.SetState(ofSMS, gateway.Connected)
	if m := advanceUntilClosed(t, w, m.ID, time.Second); m.Status != message.Sent || m.Calls != 1 {
		t.Errorf("%s, %d calls", m.Status, m.Calls)
	}
}

// Rules: M184.
func TestTraffic_ACodeWaitsBehindNobody(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	w.Gateway.SetScript(func(_ context.Context, out *gateway.Outbound) (gateway.Ack, error) {
		if out.Text == "0" {
			<-never
		}
		return gateway.Ack{}, nil
	})
	e := withoutWait(w)
	if _, err := e.Submit(t.Context(), w.LiveCaller, numbered("22376000001", 0)); err != nil {
		t.Fatal(err)
	}
	code := numbered("22376000001", 1)
	code.Sensitive = true
	res, err := e.Submit(t.Context(), w.LiveCaller, code)
	if err != nil {
		t.Fatal(err)
	}
	w.Becomes(t, res.Message.ID, message.Sent)
}

func TestTraffic_TheNextGoesWhenTheGatewayHasTheOneBefore(t *testing.T) {
	w := messagingtest.New(t, dbtest.SQLite(t), "free")
	open, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	e := w.NewDelivery(func(o *delivery.Options) {
		o.Wait = time.Millisecond
		o.Failpoint = func(name string) {
			if name == "apply.before" {
				once.Do(func() { close(held); <-open }) // the acceptance cannot be stored yet
			}
		}
	})
	if _, err := e.Submit(t.Context(), w.LiveCaller, numbered("22376000001", 0)); err != nil {
		t.Fatal(err)
	}
	waittest.Receive(t, held)
	if _, err := e.Submit(t.Context(), w.LiveCaller, numbered("22376000001", 1)); err != nil {
		t.Fatal(err)
	}
	w.WaitForCalls(t, 2)
	close(open)
}
