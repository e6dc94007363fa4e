package gateway_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/logtest"
	"example.com/griot/internal/waittest"
)

// fakeSender records its calls.
type fakeSender struct {
	name    string
	started chan struct{}
	stopped atomic.Bool
	closed  chan struct{}
	once    sync.Once
	fails   error
}

func newFakeSender(name string) *fakeSender {
	return &fakeSender{name: name, started: make(chan struct{}), closed: make(chan struct{})}
}

func (f *fakeSender) Info() gateway.Info { return gateway.Info{} }

func (f *fakeSender) Send(context.Context, *gateway.Outbound) (gateway.Ack, error) {
	select {
	case <-f.closed:
		return gateway.Ack{}, errors.New("closed")
	default:
		return gateway.Ack{ProviderID: f.name}, nil
	}
}

func (f *fakeSender) Run(ctx context.Context) error {
	close(f.started)
	if f.fails != nil {
		return f.fails
	}
	<-ctx.Done()
	f.stopped.Store(true)
	return nil
}

func (f *fakeSender) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

func (f *fakeSender) WebhookHandler() http.Handler { return http.NotFoundHandler() }

func (f *fakeSender) isClosed() bool {
	select {
	case <-f.closed:
		return true
	default:
		return false
	}
}

// runs runs a set until the test ends or stop is called.
func runs(t *testing.T, s *gateway.Set, runners bool) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, runners) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return waittest.Receive(t, done)
	})
	t.Cleanup(func() { _ = stop() })
	return stop
}

func TestSet_AttemptsEndWithTheGatewayTheyBeganWith(t *testing.T) {
	t.Parallel()
	first, second := newFakeSender("first"), newFakeSender("second")
	s := gateway.NewSet(map[string]gateway.Sender{"sms": first})
	stop := runs(t, s, true)
	waittest.Receive(t, first.started)
	old, done := s.Use("sms")
	s.Put("sms", second)
	waittest.Receive(t, second.started)
	if s.Get("sms") != second || s.Webhook("sms") == nil {
		t.Error("the new one isn't there")
	}
	if _, err := old.Send(t.Context(), nil); err != nil || first.isClosed() || first.stopped.Load() {
		t.Errorf("the one in use was closed: %v", err)
	}
	done()
	waittest.Receive(t, first.closed)
	if !first.stopped.Load() {
		t.Error("it was closed while it worked in the background")
	}
	s.Remove("sms")
	waittest.Receive(t, second.closed)
	if s.Get("sms") != nil || s.Webhook("sms") != nil || len(s.Names()) != 0 || s.State("sms", gateway.SMS, "") != gateway.Disconnected {
		t.Error("the removed one is there")
	}
	if g, done := s.Use("sms"); g != nil {
		t.Error("the removed one can be used")
	} else {
		done()
	}
	if err := errors.Join(stop(), s.Close()); err != nil {
		t.Error(err)
	}
}

func TestSet_Ends(t *testing.T) {
	t.Parallel()
	open, drained := newFakeSender("open"), newFakeSender("drained")
	s := gateway.NewSet(map[string]gateway.Sender{"a": open, "b": drained})
	stop := runs(t, s, true)
	waittest.Receive(t, open.started)
	waittest.Receive(t, drained.started)
	_, done := s.Use("b")
	defer done()
	s.Remove("b")
	if err := stop(); err != nil { // though b is still used
		t.Error(err)
	}
	if !open.stopped.Load() || !drained.stopped.Load() {
		t.Error("the background work has not ended")
	}
	if open.isClosed() {
		t.Error("the open one is closed before Close")
	}
	if err := s.Close(); err != nil || !open.isClosed() || !drained.isClosed() {
		t.Error("not closed", err)
	}
}

func TestSet_WithoutRunners(t *testing.T) {
	t.Parallel()
	f := newFakeSender("w")
	s := gateway.NewSet(map[string]gateway.Sender{"w": f})
	stop := runs(t, s, false)
	s.Remove("w")
	waittest.Receive(t, f.closed)
	select {
	case <-f.started:
		t.Error("it ran")
	default:
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestSet_AFailingRunnerEndsRun(t *testing.T) {
	t.Parallel()
	f, other := newFakeSender("w"), newFakeSender("other")
	f.fails = errors.New("broken")
	s := gateway.NewSet(map[string]gateway.Sender{"w": f, "other": other})
	if err := s.Run(t.Context(), true); !errors.Is(err, f.fails) {
		t.Errorf("Run: got %v, want %v", err, f.fails)
	}
	if !other.stopped.Load() {
		select {
		case <-other.started:
			t.Error("the other gateway runs on after one failed, want it stopped")
		default: // it never started
		}
	}
}

// Concurrent attempts and changes: no attempt uses a closed gateway.
func TestSet_Race(t *testing.T) {
	t.Parallel()
	s := gateway.NewSet(map[string]gateway.Sender{"x": newFakeSender("0")})
	runs(t, s, true)
	var users sync.WaitGroup
	var stop atomic.Bool
	for range 4 {
		users.Go(func() {
			for !stop.Load() {
				g, done := s.Use("x")
				if g != nil {
					if _, err := g.Send(t.Context(), nil); err != nil {
						t.Error(err)
					}
				}
				done()
			}
		})
	}
	for i := range 200 {
		if i%5 == 4 {
			s.Remove("x")
		}
		s.Put("x", newFakeSender("n"))
	}
	stop.Store(true)
	users.Wait()
	if !slices.Equal(s.Names(), []string{"x"}) {
		t.Errorf("got %q, want only x", s.Names())
	}
}

type recordingSink struct {
	in []gateway.Inbound
	r  []gateway.Receipt
	c  []gateway.Change
}

func (h *recordingSink) Inbound(_ context.Context, in gateway.Inbound) error {
	h.in = append(h.in, in)
	return nil
}

func (h *recordingSink) Receipt(_ context.Context, r gateway.Receipt) error {
	h.r = append(h.r, r)
	return nil
}

func (h *recordingSink) Change(_ context.Context, c gateway.Change) error {
	h.c = append(h.c, c)
	return nil
}

// A driver can't set another gateway's name. The set adds what drivers can leave empty.
func TestSet_SinkCompletesReports(t *testing.T) {
	s, h := gateway.NewSet(nil), &recordingSink{}
	sink := s.Sink("mine", h)
	named := gateway.PersonID{ID: "ML.9001", Portfolio: "shops"}
	if err := errors.Join(
		sink.Inbound(t.Context(), gateway.Inbound{ID: "1", Gateway: "other", From: "22376000001"}), sink.Inbound(t.Context(), gateway.Inbound{ID: "2", Person: named}),
		sink.Receipt(t.Context(), gateway.Receipt{Ref: "r", Gateway: "other"}), sink.Receipt(t.Context(), gateway.Receipt{Ref: "r", Person: named}),
		sink.Change(t.Context(), gateway.Change{ID: "c", Gateway: "other"}), sink.Change(t.Context(), gateway.Change{ID: "c", Person: named}),
	); err != nil {
		t.Fatal(err)
	}
	if h.in[0].Gateway != "mine" || h.r[0].Gateway != "mine" || h.c[0].Gateway != "mine" || h.in[0].ID != "1" || h.r[0].Ref != "r" || h.c[0].ID != "c" {
		t.Errorf("the sink got %+v, %+v, and %+v, want all from mine", h.in[0], h.r[0], h.c[0])
	}
	for _, p := range []gateway.PersonID{h.in[0].Person, h.r[0].Person, h.c[0].Person} {
		if p.Portfolio != "gateway:mine" {
			t.Errorf("the portfolio is %q, want the gateway's own", p.Portfolio)
		}
	}
	for _, p := range []gateway.PersonID{h.in[1].Person, h.r[1].Person, h.c[1].Person} {
		if p != named {
			t.Errorf("the person is %+v, want %+v", p, named)
		}
	}
	if h.in[0].Source != gateway.NumberShown || h.in[1].Source != "" {
		t.Errorf("the sources are %q and %q, want shown and none", h.in[0].Source, h.in[1].Source)
	}
}

func TestInbound_AddressAndKey(t *testing.T) {
	for _, c := range []struct {
		in           gateway.Inbound
		address, key string
	}{
		{gateway.Inbound{From: "22376000001", Person: gateway.PersonID{ID: "ML.9001", Portfolio: "a"}}, "22376000001", "22376000001"},
		{gateway.Inbound{Person: gateway.PersonID{ID: "ML.9001", Portfolio: "a"}}, "ML.9001", "a ML.9001"},
		{gateway.Inbound{Person: gateway.PersonID{ID: "ML.9001", Portfolio: "b"}}, "ML.9001", "b ML.9001"},
		{gateway.Inbound{Person: gateway.PersonID{Portfolio: "a", Username: "awa.t"}}, "", ""},
	} {
		if got := c.in.Address(); got != c.address {
			t.Errorf("%+v: address %q, want %q", c.in, got, c.address)
		}
		if got := c.in.Key(); got != c.key {
			t.Errorf("%+v: key %q, want %q", c.in, got, c.key)
		}
	}
}

// Every drop is counted, and logged once a minute.
func TestSet_Dropped(t *testing.T) {
	s, j, at := gateway.NewSet(nil), &logtest.Recorder{}, clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s.LogTo(j.Logger(), at.Now)
	for range 50 {
		s.RecordDropped("mine", "code")
	}
	at.Advance(time.Minute)
	if !s.RecordDropped("mine", "code") || s.RecordDropped("mine", "code") || !s.RecordDropped("other", "code") {
		t.Error("not logged once a minute and gateway")
	}
	if got := s.Stats("mine"); got.Dropped != 52 || !got.DroppedAt.Equal(at.Now()) {
		t.Errorf("recorded %+v, want 52 dropped", got)
	}
	if got := strings.Count(j.String(), "WARN"); got != 3 {
		t.Errorf("%d lines, want 3\n%s", got, j)
	}
}
