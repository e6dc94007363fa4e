package virtual_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
)

func TestReceipts_OfEachDelivery(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		before := outbound(aissata)
		ack := g.send(before) // before Run
		g.run()
		g.wait("the first", func() bool { return len(g.sink.Receipts()) == 1 })
		want := gateway.Receipt{Ref: before.Ref, ProviderID: ack.ProviderID, Status: gateway.ReceiptDelivered, At: g.clock.Now()}
		if got := g.sink.Receipts()[0]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		refs := map[string]bool{}
		var wg sync.WaitGroup
		for range 400 {
			out := outbound(moussa)
			refs[out.Ref] = true
			wg.Go(func() { g.send(out) })
		}
		wg.Wait()
		g.wait("the others", func() bool { return len(g.sink.Receipts()) == 401 })
		for _, r := range g.sink.Receipts()[1:] {
			if !refs[r.Ref] {
				t.Fatalf("an unexpected or second receipt: %+v", r)
			}
			delete(refs, r.Ref)
		}
	})
}

func TestReceipts_RetriedUntilAccepted(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.sink.Refuse(5)
		g.run()
		for range 3 {
			g.send(outbound(aissata))
		}
		g.wait("all three", func() bool { return len(g.sink.Receipts()) == 3 })
		if g.sink.Refused() != 5 {
			t.Errorf("refused %d times", g.sink.Refused())
		}
		refs := members(g.messages(aissata), "reference")
		for _, r := range g.sink.Receipts() {
			if !slices.Contains(refs, r.Ref) {
				t.Errorf("%+v", r)
			}
		}
	})
}

func TestReceipts_SurviveARestart(t *testing.T) {
	t.Parallel()
	g := withFile(t)
	g.sink.Refuse(1 << 30)
	stop := g.run()
	out := outbound(aissata)
	g.send(out)
	g.wait("a refusal", func() bool { return g.sink.Refused() > 0 })
	stop()
	g.sink.Refuse(0)
	g.reopen()
	stop = g.run()
	g.wait("the receipt", func() bool { return len(g.sink.Receipts()) == 1 && g.sink.Receipts()[0].Ref == out.Ref })
	stop()
	g.reopen()
	g.run()
	second := outbound(aissata)
	g.send(second)
	g.wait("the second", func() bool { return len(g.sink.Receipts()) >= 2 })
	if got := g.sink.Receipts(); len(got) != 2 || got[1].Ref != second.Ref {
		t.Errorf("a stored receipt is delivered again: %+v", got)
	}
}

// refusingSink refuses the receipts of some messages.
type refusingSink struct {
	gateway.Sink
	mu    sync.Mutex
	refs  map[string]bool
	tried []time.Time
}

func (p *refusingSink) Receipt(ctx context.Context, r gateway.Receipt) error {
	p.mu.Lock()
	bad := p.refs[r.Ref] && r.Status == gateway.ReceiptDelivered
	if bad {
		p.tried = append(p.tried, time.Now())
	}
	p.mu.Unlock()
	if bad {
		return errors.New("no")
	}
	return p.Sink.Receipt(ctx, r)
}

func (p *refusingSink) acceptAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.refs)
}

func (g *fixture) useRefusingSink() *refusingSink {
	g.t.Helper()
	p := &refusingSink{Sink: g.sink, refs: map[string]bool{}}
	g.options.Sink = p
	g.reopen()
	return p
}

func TestReceipts_RefusalDelaysOnlyItsMessage(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		p := g.useRefusingSink()
		g.send(outbound(moussa))
		out := outbound(aissata)
		p.refs[out.Ref] = true
		ack := g.send(out)
		g.ok("POST", "/dev/phones/"+aissata+"/messages/"+ack.ProviderID+"/read", "{}")
		g.send(outbound(moussa))
		g.run()
		for range 600 {
			g.send(outbound(moussa))
		}
		g.wait("the others", func() bool { return len(g.sink.Receipts()) == 602 })
		p.acceptAll()
		g.wait("the refused one, and the next", func() bool { return len(g.sink.Receipts()) == 604 })
		got := g.sink.Receipts()[602:]
		if got[0].Ref != out.Ref || got[0].Status != gateway.ReceiptDelivered || got[1].Ref != out.Ref || got[1].Status != gateway.ReceiptRead {
			t.Errorf("at last: %+v", got)
		}
		if n := len(p.tried); n == 0 || n > 30 {
			t.Errorf("the refused one was tried %d times", n)
		}
	})
}

func TestReceipts_ManyRefusals(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		p := g.useRefusingSink()
		for range 600 {
			out := outbound(aissata)
			p.refs[out.Ref] = true
			g.send(out)
		}
		g.send(outbound(moussa))
		g.run()
		g.wait("the other", func() bool { return len(g.sink.Receipts()) == 1 })
		p.acceptAll()
		g.wait("all of them", func() bool { return len(g.sink.Receipts()) == 601 })
		if pause := p.tried[256].Sub(p.tried[255]); pause < 50*time.Millisecond {
			t.Errorf("the pause after a batch that was refused is %v", pause)
		}
	})
}

// reentrantSink sends a message for each receipt, until it has accepted the one that it refused once.
type reentrantSink struct {
	gateway.Sink
	g       *fixture
	ref     string
	refused atomic.Bool
	taken   atomic.Bool
}

func (e *reentrantSink) Receipt(ctx context.Context, r gateway.Receipt) error {
	switch {
	case r.Ref == e.ref && e.refused.CompareAndSwap(false, true):
		return errors.New("not yet")
	case r.Ref == e.ref:
		e.taken.Store(true)
	case !e.taken.Load() && ctx.Err() == nil:
		e.g.send(outbound(moussa))
		return nil
	}
	return e.Sink.Receipt(ctx, r)
}

func TestReceipts_RetriedWhileNewOnesCome(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		first := outbound(aissata)
		e := &reentrantSink{Sink: g.sink, g: g, ref: first.Ref}
		g.options.Sink = e
		g.reopen()
		g.send(first)
		for range 4 {
			g.send(outbound(moussa))
		}
		g.run()
		g.wait("the refused one", func() bool {
			return slices.ContainsFunc(g.sink.Receipts(), func(r gateway.Receipt) bool { return r.Ref == first.Ref })
		})
	})
}

func TestRead_IsReportedOnceOnWhatsApp(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		whatsApp, sms := outbound(aissata), outbound(aissata)
		sms.Channel = gateway.SMS
		first, second := g.send(whatsApp), g.send(sms)
		g.run()
		g.wait("the deliveries", func() bool { return len(g.sink.Receipts()) == 2 })
		g.clock.Advance(time.Minute)
		for range 2 {
			if got := g.ok("POST", "/dev/phones/%2B"+aissata+"/messages/"+first.ProviderID+"/read", ""); len(got) != 0 {
				t.Errorf("answer: %v", got)
			}
			g.ok("POST", "/dev/phones/"+aissata+"/messages/"+second.ProviderID+"/read", "{}")
		}
		if got := members(g.messages(aissata), "status"); !slices.Equal(got, []string{"read", "read"}) {
			t.Errorf("statuses %v", got)
		}
		g.wait("the read receipt", func() bool { return len(g.sink.Receipts()) == 3 })
		end := outbound(moussa)
		g.send(end)
		g.wait("the receipts", func() bool { return len(g.sink.Receipts()) >= 4 })
		if phone := g.list("/dev/phones-list", "phones")[0]; phone["unread"] != 0.0 {
			t.Errorf("all is read: %v", phone)
		}
		var statuses []string
		for _, r := range g.sink.Receipts() {
			if r.Ref == whatsApp.Ref {
				statuses = append(statuses, string(r.Status))
			}
			if r.Status == gateway.ReceiptRead && (!r.At.Equal(g.clock.Now()) || r.ProviderID != first.ProviderID) {
				t.Errorf("%+v", r)
			}
		}
		if len(g.sink.Receipts()) != 4 || strings.Join(statuses, " ") != "delivered read" {
			t.Errorf("%+v", g.sink.Receipts())
		}
		written := g.ok("POST", "/dev/phones/"+aissata+"/messages", `{"channel":"whatsapp","to":"`+ourNumber+`","text":"Oui"}`)
		for _, path := range []string{
			aissata + "/messages/vp_unknown/read",
			moussa + "/messages/" + first.ProviderID + "/read",
			aissata + "/messages/" + written["id"].(string) + "/read",
		} {
			if status, answer := g.call("POST", "/dev/phones/"+path, "{}"); status != 404 || answer["error"] != "message_not_found" {
				t.Errorf("%s: %d, %v", path, status, answer)
			}
		}
	})
}

func TestReceipts_CanBeTurnedOff(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		g.run()
		g.ok("PUT", "/dev/phones-options", `{"receipts":false}`)
		if g.Info().Receipts {
			t.Error("receipts are still promised")
		}
		g.send(outbound(aissata))
		g.ok("PUT", "/dev/phones-options", `{"receipts":true}`)
		loud := outbound(aissata)
		g.send(loud)
		g.wait("the one that was sent with receipts on", func() bool { return len(g.sink.Receipts()) > 0 })
		if got := g.sink.Receipts(); len(got) != 1 || got[0].Ref != loud.Ref {
			t.Errorf("receipts %+v, want one for the second message", got)
		}
	})
}
