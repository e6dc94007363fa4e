package virtual

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"griot/gateway"
)

// Run implements [gateway.Runner]: it gives the sink the receipts, and what the sink did not take from a phone at once.
func (g *Gateway) Run(ctx context.Context) error {
	receipts := pump[gateway.Receipt]{
		waiting: func(ctx context.Context, after int64) ([]queued[gateway.Receipt], error) {
			return g.store.receipts(ctx, after, pumpBatch)
		},
		key:    func(r gateway.Receipt) string { return cmp.Or(r.Ref, r.ProviderID) },
		give:   g.sink.Receipt,
		settle: g.store.settleReceipts,
		wake:   g.receiptsWait,
		log:    g.log,
	}
	inbound := pump[gateway.Inbound]{
		waiting: g.abandoned,
		key:     func(in gateway.Inbound) string { return in.From },
		give:    g.sink.Inbound,
		settle:  g.store.settleInbound,
		wake:    g.inboundWaits,
		log:     g.log,
	}
	var wg sync.WaitGroup
	wg.Go(func() { receipts.run(ctx) })
	wg.Go(func() { inbound.run(ctx) })
	wg.Wait()
	return nil
}

// abandoned returns the waiting messages of phones, without those that an HTTP request is just giving to the sink.
func (g *Gateway) abandoned(ctx context.Context, after int64) ([]queued[gateway.Inbound], error) {
	list, err := g.store.inbound(ctx, after, pumpBatch)
	return slices.DeleteFunc(list, func(q queued[gateway.Inbound]) bool {
		_, busy := g.handing.Load(q.item.ID)
		return busy
	}), err
}
