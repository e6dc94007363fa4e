package virtual

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	batchSize          = 256
	parallelDeliveries = 32 // so that the sink can group commits
	firstPause         = 50 * time.Millisecond
	longestPause       = 2 * time.Second
)

// sinkWorker delivers pending items of the store to the sink, in batches, from the oldest to the newest. An item that
// the sink refuses is retried after a pause, and delays only later items with the same key. If the sink refuses a
// whole batch, nothing is delivered until the pause has passed.
type sinkWorker[T any] struct {
	pending  func(ctx context.Context, after int64) ([]queued[T], error)
	key      func(T) string // items with the same key are delivered in order
	deliver  func(ctx context.Context, item T) error
	markDone func(ctx context.Context, seqs []int64) error
	wake     <-chan struct{} // signals new items
	log      *slog.Logger
}

// cursor is a sinkWorker's position in the pending items.
type cursor struct {
	after      int64           // the last item that has failed
	failedKeys map[string]bool // keys of the items that have failed
	retry      <-chan time.Time
	pause      time.Duration
}

// restart goes back to the oldest item.
func (p *cursor) restart() {
	p.after, p.retry = 0, nil
	clear(p.failedKeys)
}

// scheduleRetry schedules a retry of the items that have failed.
func (p *cursor) scheduleRetry() {
	if p.retry == nil && len(p.failedKeys) > 0 {
		p.retry = time.After(p.nextPause())
	}
}

// nextPause returns a pause and doubles the next one.
func (p *cursor) nextPause() time.Duration {
	pause := p.pause
	p.pause = min(2*p.pause, longestPause)
	return pause
}

func (p *sinkWorker[T]) run(ctx context.Context) {
	cur := &cursor{failedKeys: map[string]bool{}, pause: firstPause}
	for ctx.Err() == nil {
		select {
		case <-cur.retry:
			cur.restart()
		default:
		}
		batch, err := p.pending(ctx, cur.after)
		switch {
		case err != nil:
			p.logFailure(ctx, err)
			p.sleep(ctx, cur)
		case len(batch) > 0:
			p.deliverBatch(ctx, batch, cur)
		default:
			cur.scheduleRetry()
			select {
			case <-ctx.Done():
			case <-p.wake:
			case <-cur.retry:
				cur.restart()
			}
		}
	}
}

// deliverBatch delivers one batch.
func (p *sinkWorker[T]) deliverBatch(ctx context.Context, batch []queued[T], cur *cursor) {
	todo, more := p.firstOfEachKey(batch, cur)
	errs := p.deliverAll(ctx, todo)
	var done []int64
	var failed error
	for i, q := range todo {
		if errs[i] != nil {
			failed = errs[i]
			cur.failedKeys[p.key(q.item)] = true
			continue
		}
		done = append(done, q.seq)
	}
	if len(done) > 0 {
		if err := p.markDone(context.WithoutCancel(ctx), done); err != nil { // the items are delivered again
			p.logFailure(ctx, err)
			p.sleep(ctx, cur)
			return
		}
	}
	if failed != nil {
		p.logFailure(ctx, failed)
	}
	if len(cur.failedKeys) == 0 {
		cur.pause = firstPause
		return
	}
	none := len(todo) > 0 && len(done) == 0
	if none || !more {
		cur.after = lastFailed(batch, done, cur.after)
	}
	if none {
		p.sleep(ctx, cur)
		return
	}
	cur.scheduleRetry()
}

// firstOfEachKey returns the first item of each key that has not failed. more reports whether the batch has another
// item with one of these keys.
func (p *sinkWorker[T]) firstOfEachKey(batch []queued[T], cur *cursor) (todo []queued[T], more bool) {
	seen := make(map[string]bool, len(batch))
	for _, q := range batch {
		switch key := p.key(q.item); {
		case cur.failedKeys[key]:
		case seen[key]:
			more = true
		default:
			seen[key] = true
			todo = append(todo, q)
		}
	}
	return todo, more
}

func (p *sinkWorker[T]) deliverAll(ctx context.Context, todo []queued[T]) []error {
	errs := make([]error, len(todo))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(parallelDeliveries, len(todo)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(todo)); i = next.Add(1) - 1 {
				errs[i] = p.deliver(ctx, todo[i].item)
			}
		})
	}
	wg.Wait()
	return errs
}

// lastFailed returns the highest number in the batch that is not done.
func lastFailed[T any](batch []queued[T], done []int64, before int64) int64 {
	for i, j := len(batch)-1, len(done)-1; i >= 0; i-- {
		if j < 0 || batch[i].seq != done[j] {
			return batch[i].seq
		}
		j--
	}
	return before
}

// sleep waits for a pause.
func (p *sinkWorker[T]) sleep(ctx context.Context, cur *cursor) {
	timer := time.NewTimer(cur.nextPause())
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (p *sinkWorker[T]) logFailure(ctx context.Context, err error) {
	if ctx.Err() == nil {
		p.log.WarnContext(ctx, "virtual phones: delivering to the sink has failed; it is retried", "err", err)
	}
}
