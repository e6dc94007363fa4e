package virtual_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/gateway"
	"example.com/griot/internal/waittest"
)

func TestFaults_Outcomes(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		for _, tt := range []struct {
			outcome string
			class   gateway.Class
			shown   int
		}{
			{"temporary", gateway.Temporary, 0},
			{"permanent", gateway.Permanent, 0},
			{"unreachable", gateway.Unreachable, 0},
			{"lost_ack", gateway.Unknown, 1},
		} {
			before := len(g.messages(aissata))
			want := object{"channel": "whatsapp", "outcome": tt.outcome, "count": 2.0}
			if diff := cmp.Diff(want, g.ok("PUT", "/dev/faults/whatsapp", `{"outcome":"`+tt.outcome+`","count":2}`)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			out := outbound(aissata)
			g.refused(out, tt.class, "virtual_"+tt.outcome)
			sms := outbound(moussa)
			sms.Channel = gateway.SMS
			g.send(sms) // other channels have no fault
			g.refused(out, tt.class, "virtual_"+tt.outcome)
			if n := len(g.messages(aissata)) - before; n != tt.shown {
				t.Errorf("%s: %d messages, want %d", tt.outcome, n, tt.shown)
			}
			g.send(out) // the fault is used up
			if n := len(g.messages(aissata)) - before; n != 1 {
				t.Errorf("after %s: %d messages, want 1", tt.outcome, n)
			}
			last := "delivered"
			if tt.shown == 1 {
				last = "duplicate"
			}
			if got := g.outcomes(out.Ref); !slices.Equal(got, []string{tt.outcome, tt.outcome, last}) {
				t.Errorf("attempts: %v", got)
			}
		}
	})
}

// With deduplication, a reference that was delivered is not refused permanently. Temporary errors are allowed.
func TestFaults_DeliveredReferenceIsNotRefused(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		out := outbound(aissata)
		first := g.send(out)
		for _, outcome := range []string{"permanent", "unreachable"} {
			g.ok("PUT", "/dev/faults/whatsapp", `{"outcome":"`+outcome+`","count":1}`)
			if again := g.send(out); again.ProviderID != first.ProviderID {
				t.Errorf("%s: acks %+v and %+v, want the same", outcome, first, again)
			}
		}
		g.ok("PUT", "/dev/phones/"+aissata, `{"blocked":true}`)
		if again := g.send(out); again.ProviderID != first.ProviderID {
			t.Errorf("blocked: %+v", again)
		}
		g.refused(outbound(aissata), gateway.Unreachable, "virtual_blocked")
		g.ok("PUT", "/dev/phones-options", `{"deduplicate":false}`)
		g.refused(out, gateway.Unreachable, "virtual_blocked")
		if got := g.outcomes(out.Ref); !slices.Equal(got, []string{"delivered", "duplicate", "duplicate", "duplicate", "unreachable"}) {
			t.Errorf("attempts: %v", got)
		}
	})
}

func TestFaults_LostAckHasReceipt(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.run()
		g.ok("PUT", "/dev/faults/whatsapp", `{"outcome":"lost_ack"}`)
		out := outbound(aissata)
		g.refused(out, gateway.Unknown, "virtual_lost_ack")
		g.wait("a receipt", func() bool { return len(g.sink.Receipts()) == 1 && g.sink.Receipts()[0].Ref == out.Ref })
	})
}

func TestFaults_TimeoutEndsWithContext(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.ok("PUT", "/dev/faults/whatsapp", `{"outcome":"timeout"}`)
		ctx, cancel := context.WithCancel(context.Background())
		out := outbound(aissata)
		done := make(chan error, 1)
		go func() {
			_, err := g.Send(ctx, out)
			done <- err
		}()
		g.waitForAttempt(out.Ref)
		cancel()
		err := waittest.Receive(t, done)
		if e := gateway.AsError(err); e.Class != gateway.Unknown || e.Code != "virtual_timeout" || ctx.Err() == nil {
			t.Errorf("%v, with the context %v", err, ctx.Err())
		}
		if n := len(g.messages(aissata)); n != 0 {
			t.Errorf("%d messages", n)
		}
		g.send(out)
		if got := g.outcomes(out.Ref); !slices.Equal(got, []string{"timeout", "delivered"}) {
			t.Errorf("attempts: %v", got)
		}
	})
}

func TestFaults_Count(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.ok("PUT", "/dev/faults/whatsapp", `{"outcome":"permanent","count":20}`)
		var failed atomic.Int64
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, err := g.Send(context.Background(), outbound(aissata)); err != nil {
					failed.Add(1)
				}
			})
		}
		wg.Wait()
		if n := failed.Load(); n != 20 {
			t.Errorf("%d sends failed, want 20", n)
		}
	})
}

func TestFaults_AreListedAndCleared(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	noFault := func(channel string) object { return object{"channel": channel, "outcome": "none", "count": 0.0} }
	g.ok("PUT", "/dev/faults/sms", `{"outcome":"timeout"}`)
	want := []object{noFault("whatsapp"), {"channel": "sms", "outcome": "timeout", "count": 1.0}, noFault("email")}
	if diff := cmp.Diff(want, g.list("/dev/faults", "faults")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, clear := range []string{`{"outcome":"none"}`, `{"outcome":"none","count":5}`, `{"outcome":"timeout","count":0}`} {
		g.ok("PUT", "/dev/faults/sms", `{"outcome":"timeout","count":1000000}`)
		if diff := cmp.Diff(noFault("sms"), g.ok("PUT", "/dev/faults/sms", clear)); diff != "" {
			t.Errorf("%s: %s", clear, diff)
		}
	}
	sms := outbound(aissata)
	sms.Channel = gateway.SMS
	g.send(sms)
	for body, code := range map[string]string{
		`{}`:                                    "invalid_outcome",
		`{"outcome":"delivered"}`:               "invalid_outcome",
		`{"outcome":"duplicate"}`:               "invalid_outcome",
		`{"outcome":"offline"}`:                 "invalid_outcome",
		`{"outcome":"pigeon"}`:                  "invalid_outcome",
		`{"outcome":7}`:                         "invalid_json",
		`{"outcome":"timeout","count":-1}`:      "invalid_count",
		`{"outcome":"timeout","count":1000001}`: "invalid_count",
		`{"outcome":"timeout","count":1.5}`:     "invalid_json",
		`{"outcome":"timeout","count":"1"}`:     "invalid_json",
		`{"outcome":"timeout","counts":1}`:      "invalid_json",
	} {
		if status, answer := g.call("PUT", "/dev/faults/sms", body); status != 400 || answer["error"] != code {
			t.Errorf("%s: %d, %v; want %s", body, status, answer, code)
		}
	}
	if status, answer := g.call("PUT", "/dev/faults/pigeon", `{"outcome":"timeout"}`); status != 400 || answer["error"] != "invalid_channel" {
		t.Errorf("pigeon: %d, %v", status, answer)
	}
}
