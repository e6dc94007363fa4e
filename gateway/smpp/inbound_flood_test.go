package smpp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
)

// A flood while the sink hangs: a limited number is queued, the remaining messages stay at the center, sending
// continues, and in the end nothing is lost or duplicated.
func TestInbound_Flood(t *testing.T) {
	t.Parallel()
	const flood = 2000
	c := smpptest.Start(t, smpptest.Options{Receipt: func(smpptest.Submit) []*pdu.Message { return nil }})
	r := open(t, settingsFor(c.Port(), nil))
	var open atomic.Bool
	release := make(chan struct{})
	var inside atomic.Int32
	r.sink = sinkFunc(func(ctx context.Context, in gateway.Inbound) error {
		if !open.Load() {
			inside.Add(1)
			<-release
		}
		return r.Sink.Inbound(ctx, in)
	})
	r.run()
	r.must(r.connected(testContext(t)))
	refused := make(chan struct{}, flood)
	var all sync.WaitGroup
	for n := range flood {
		answers := c.Deliver(smpptest.Text(fmt.Sprint(22370000000+n%50), griot, fmt.Sprint("message ", n)))
		all.Go(func() {
			first := true
			for status := range answers {
				if status != pdu.OK && first {
					refused <- struct{}{}
					first = false
				}
			}
		})
	}
	for range flood - workers*(queueLength+1) {
		select {
		case <-refused:
		case <-testContext(t).Done():
			t.Fatal("too few deliver_sm are refused")
		}
	}
	if n := inside.Load(); n > workers {
		t.Errorf("the sink has %d at once, want at most %d", n, workers)
	}
	_, err := r.Send(testContext(t), text("Bonjour"))
	r.must(err)
	open.Store(true)
	close(release)
	all.Wait()
	seen := map[string]bool{}
	for _, m := range r.Sink.Messages() {
		if seen[m.Text] {
			t.Errorf("%q is stored twice", m.Text)
		}
		seen[m.Text] = true
	}
	if len(seen) != flood {
		t.Errorf("%d of %d are stored", len(seen), flood)
	}
}

// A flood of parts takes limited memory.
func TestInbound_FloodOfParts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	p := newReassembly(func() time.Time { return now })
	refused := 0
	for n := range 20_000 {
		key := textKey{from: fmt.Sprint(n / 20), reference: uint16(n), total: 3}
		if _, _, err := p.add(key, 1, segment{bytes: make([]byte, 140)}); errors.Is(err, errFull) {
			refused++
		}
	}
	if len(p.texts) > maxTexts || p.bytes > maxTextBytes || refused < 15_000 {
		t.Errorf("%d texts, %d octets, %d refused", len(p.texts), p.bytes, refused)
	}
	one := newReassembly(p.now)
	for n := range maxTextsOfOne + 1 {
		if _, _, err := one.add(textKey{from: aissata, reference: uint16(n), total: 2}, 1, segment{bytes: []byte("a")}); (err != nil) != (n == maxTextsOfOne) {
			t.Errorf("text %d of one person: %v", n+1, err)
		}
	}
	if _, _, err := newReassembly(p.now).add(textKey{total: 2}, 1, segment{bytes: make([]byte, maxTextBytes+1)}); !errors.Is(err, errFull) {
		t.Errorf("a part above the limit of all parts: %v", err)
	}
	now = now.Add(partsTimeout)
	for _, x := range p.due(false) {
		p.markStored(x)
	}
	if _, _, err := p.add(textKey{from: aissata, total: 2}, 1, segment{bytes: []byte("a")}); err != nil {
		t.Errorf("after the timeout of the others: %v", err)
	}
}

func TestDeduplicator_IsBounded(t *testing.T) {
	t.Parallel()
	s := newDeduplicator(100)
	for n := range 10_000 {
		s.identify([]byte(fmt.Sprint(n)), &linkHistory{}, time.Time{})
	}
	if n := len(s.recent) + len(s.older); n > 200 {
		t.Errorf("%d entries", n)
	}
}
