package virtual

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"example.com/griot/gateway"
)

// Run implements [gateway.Runner]. It delivers receipts and changes to the sink, and the phones' messages
// that the sink has refused.
func (g *Gateway) Run(ctx context.Context) error {
	receipts := sinkWorker[gateway.Receipt]{
		pending: func(ctx context.Context, after int64) ([]queued[gateway.Receipt], error) {
			return g.store.receipts(ctx, after, batchSize)
		},
		key:      func(r gateway.Receipt) string { return cmp.Or(r.Ref, r.ProviderID) },
		deliver:  func(ctx context.Context, r gateway.Receipt) error { return g.sink.Receipt(ctx, g.people.complete(r)) },
		markDone: g.store.removeReceipts,
		wake:     g.wakeReceipts,
		log:      g.log,
	}
	inbound := sinkWorker[gateway.Inbound]{
		pending:  g.pendingInbound,
		key:      func(in gateway.Inbound) string { return cmp.Or(in.Person.ID, in.From) },
		deliver:  g.sink.Inbound,
		markDone: g.store.markInboundDelivered,
		wake:     g.wakeInbound,
		log:      g.log,
	}
	changes := sinkWorker[gateway.Change]{
		pending: func(ctx context.Context, after int64) ([]queued[gateway.Change], error) {
			return g.store.changes(ctx, after, batchSize)
		},
		key:      func(c gateway.Change) string { return cmp.Or(c.MessageID, c.OldID, c.OldNumber) },
		deliver:  g.sink.Change,
		markDone: g.store.removeChanges,
		wake:     g.wakeChanges,
		log:      g.log,
	}
	var wg sync.WaitGroup
	wg.Go(func() { receipts.run(ctx) })
	wg.Go(func() { inbound.run(ctx) })
	wg.Go(func() { changes.run(ctx) })
	wg.Wait()
	return nil
}

// inRequest contains the IDs of the inbound messages that HTTP requests are delivering to the sink.
type inRequest struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (r *inRequest) add(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ids == nil {
		r.ids = map[string]bool{}
	}
	r.ids[id] = true
}

// remove must be called after the message is marked as delivered, if it was delivered.
func (r *inRequest) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.ids, id)
}

// pendingInbound returns the phones' messages that wait for the sink, except for those that an HTTP request is
// delivering. The lock covers the read and the comparison. Otherwise, a request that ended between the two would
// leave its message in the list.
func (g *Gateway) pendingInbound(ctx context.Context, after int64) ([]queued[gateway.Inbound], error) {
	g.inRequest.mu.Lock()
	defer g.inRequest.mu.Unlock()
	list, err := g.store.inbound(ctx, after, batchSize)
	return slices.DeleteFunc(list, func(q queued[gateway.Inbound]) bool { return g.inRequest.ids[q.item.ID] }), err
}
