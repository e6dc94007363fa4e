package gatewaytest

import (
	"context"
	"errors"
	"slices"
	"sync"

	"griot/gateway"
)

// Sink is a [gateway.Sink] that records what it takes. The zero value takes everything.
// It is safe for concurrent use.
type Sink struct {
	mu       sync.Mutex
	refuse   int // how many of the next calls fail
	refused  int
	inbound  []gateway.Inbound
	receipts []gateway.Receipt
	changed  chan struct{} // closed at the next call; nil when nobody waits
}

// Refuse makes the next n calls fail.
func (k *Sink) Refuse(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = n
}

// Refused returns how many calls have failed because of Refuse.
func (k *Sink) Refused() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refused
}

// Messages returns the inbound messages taken so far, in order.
func (k *Sink) Messages() []gateway.Inbound {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.inbound)
}

// Receipts returns the receipts taken so far, in order.
func (k *Sink) Receipts() []gateway.Receipt {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.receipts)
}

// Counts returns how many inbound messages and receipts were taken so far.
func (k *Sink) Counts() (messages, receipts int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.inbound), len(k.receipts)
}

// Inbound implements [gateway.Sink].
func (k *Sink) Inbound(ctx context.Context, in gateway.Inbound) error {
	return k.take(ctx, func() { k.inbound = append(k.inbound, in) })
}

// Receipt implements [gateway.Sink].
func (k *Sink) Receipt(ctx context.Context, r gateway.Receipt) error {
	if r.Ref == "" && r.ProviderID == "" {
		return errors.New("a receipt names our reference, or else the gateway's own id")
	}
	return k.take(ctx, func() { k.receipts = append(k.receipts, r) })
}

// take stores what came in, unless it was told to fail or ctx has ended, as a database would.
func (k *Sink) take(ctx context.Context, store func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.changed != nil {
		close(k.changed)
		k.changed = nil
	}
	if k.refuse > 0 {
		k.refuse--
		k.refused++
		return errors.New("the sink was told to refuse")
	}
	store()
	return nil
}

// Wait returns once done, which looks at the sink's records, reports true. It is
// asked at once and after each call of the sink. When ctx ends first, its error is returned.
func (k *Sink) Wait(ctx context.Context, done func() bool) error {
	for {
		changed := k.next()
		if done() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// next returns a channel that is closed at the next call.
func (k *Sink) next() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.changed == nil {
		k.changed = make(chan struct{})
	}
	return k.changed
}
