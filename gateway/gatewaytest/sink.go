package gatewaytest

import (
	"context"
	"errors"
	"slices"
	"sync"

	"example.com/griot/gateway"
)

// Sink is a [gateway.Sink] that records its calls. The zero value accepts everything. It is safe for concurrent use.
type Sink struct {
	mu       sync.Mutex
	refuse   int // the number of upcoming calls that fail
	refused  int
	inbound  []gateway.Inbound
	receipts []gateway.Receipt
	changes  []gateway.Change
	changed  chan struct{} // closed at the next call; nil if no goroutine waits
}

// Refuse makes the next n calls fail.
func (k *Sink) Refuse(n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = n
}

// Refused returns the number of calls that have failed because of Refuse.
func (k *Sink) Refused() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refused
}

// Messages returns the recorded inbound messages, in order.
func (k *Sink) Messages() []gateway.Inbound {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.inbound)
}

// Receipts returns the recorded receipts, in order.
func (k *Sink) Receipts() []gateway.Receipt {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.receipts)
}

// Changes returns the recorded changes, in order.
func (k *Sink) Changes() []gateway.Change {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.changes)
}

// Counts returns the numbers of recorded inbound messages and receipts.
func (k *Sink) Counts() (messages, receipts int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.inbound), len(k.receipts)
}

// Inbound implements [gateway.Sink].
func (k *Sink) Inbound(ctx context.Context, in gateway.Inbound) error {
	return k.record(ctx, func() { k.inbound = append(k.inbound, in) })
}

// Receipt implements [gateway.Sink].
func (k *Sink) Receipt(ctx context.Context, r gateway.Receipt) error {
	if r.Ref == "" && r.ProviderID == "" {
		return errors.New("the receipt has neither Ref nor ProviderID")
	}
	return k.record(ctx, func() { k.receipts = append(k.receipts, r) })
}

// Change implements [gateway.Sink].
func (k *Sink) Change(ctx context.Context, c gateway.Change) error {
	if !c.Kind.Known() {
		return errors.New("the change has no known kind")
	}
	return k.record(ctx, func() { k.changes = append(k.changes, c) })
}

// record calls store, unless Refuse has made this call fail or ctx has ended.
func (k *Sink) record(ctx context.Context, store func()) error {
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

// Wait returns once done reports true. It calls done immediately and after each call of the sink. If ctx ends first,
// Wait returns its error.
func (k *Sink) Wait(ctx context.Context, done func() bool) error {
	for {
		changed := k.nextCall()
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

// nextCall returns a channel that is closed at the next call.
func (k *Sink) nextCall() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.changed == nil {
		k.changed = make(chan struct{})
	}
	return k.changed
}
