package virtual

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	pumpBatch    = 256
	pumpInFlight = 32 // so that the sink's group commit has something to group
	firstPause   = 50 * time.Millisecond
	longestPause = 2 * time.Second
)

// pump hands what waits in the store to the sink, many at a time, until the sink has it.
//
// It goes through what waits from the oldest to the newest. What the sink refuses stays, and is tried again after a
// pause, without keeping back what came later, except what has the same key. When the sink refuses everything, the
// pause comes before anything else.
type pump[T any] struct {
	waiting func(ctx context.Context, after int64) ([]queued[T], error)
	key     func(T) string // what has the same key is handed over in order
	give    func(ctx context.Context, item T) error
	settle  func(ctx context.Context, seqs []int64) error
	wake    <-chan struct{} // something new waits
	log     *slog.Logger
}

// pass is where a pump is in what waits.
type pass struct {
	after int64           // the last one that stays
	stay  map[string]bool // the keys of those that stay
	retry <-chan time.Time
	pause time.Duration
}

// restart goes back to the oldest.
func (p *pass) restart() {
	p.after, p.retry = 0, nil
	clear(p.stay)
}

// retryLater sees to it that what stays is tried again.
func (p *pass) retryLater() {
	if p.retry == nil && len(p.stay) > 0 {
		p.retry = time.After(p.nextPause())
	}
}

// nextPause is longer each time, until something goes well.
func (p *pass) nextPause() time.Duration {
	pause := p.pause
	p.pause = min(2*p.pause, longestPause)
	return pause
}

func (p *pump[T]) run(ctx context.Context) {
	at := &pass{stay: map[string]bool{}, pause: firstPause}
	for ctx.Err() == nil {
		select {
		case <-at.retry:
			at.restart()
		default:
		}
		batch, err := p.waiting(ctx, at.after)
		switch {
		case err != nil:
			p.complain(ctx, err)
			p.rest(ctx, at)
		case len(batch) > 0:
			p.carry(ctx, batch, at)
		default:
			at.retryLater()
			select {
			case <-ctx.Done():
			case <-p.wake:
			case <-at.retry:
				at.restart()
			}
		}
	}
}

// carry hands over one batch.
func (p *pump[T]) carry(ctx context.Context, batch []queued[T], at *pass) {
	todo, more := p.choose(batch, at)
	errs := p.handOver(ctx, todo)
	var done []int64
	var failed error
	for i, q := range todo {
		if errs[i] != nil {
			failed = errs[i]
			at.stay[p.key(q.item)] = true
			continue
		}
		done = append(done, q.seq)
	}
	if len(done) > 0 {
		if err := p.settle(context.WithoutCancel(ctx), done); err != nil { // the sink will be given them again
			p.complain(ctx, err)
			p.rest(ctx, at)
			return
		}
	}
	if failed != nil {
		p.complain(ctx, failed)
	}
	if len(at.stay) == 0 {
		at.pause = firstPause
		return
	}
	none := len(todo) > 0 && len(done) == 0
	if none || !more {
		at.after = lastStaying(batch, done, at.after)
	}
	if none {
		p.rest(ctx, at)
		return
	}
	at.retryLater()
}

// choose returns what of the batch is to be handed over now: the first of each key. There is more when another one
// of the same key is in it.
func (p *pump[T]) choose(batch []queued[T], at *pass) (todo []queued[T], more bool) {
	seen := make(map[string]bool, len(batch))
	for _, q := range batch {
		switch key := p.key(q.item); {
		case at.stay[key]:
		case seen[key]:
			more = true
		default:
			seen[key] = true
			todo = append(todo, q)
		}
	}
	return todo, more
}

func (p *pump[T]) handOver(ctx context.Context, todo []queued[T]) []error {
	errs := make([]error, len(todo))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(pumpInFlight, len(todo)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(todo)); i = next.Add(1) - 1 {
				errs[i] = p.give(ctx, todo[i].item)
			}
		})
	}
	wg.Wait()
	return errs
}

// lastStaying returns the highest number in the batch that isn't done.
func lastStaying[T any](batch []queued[T], done []int64, before int64) int64 {
	for i, j := len(batch)-1, len(done)-1; i >= 0; i-- {
		if j < 0 || batch[i].seq != done[j] {
			return batch[i].seq
		}
		j--
	}
	return before
}

// rest waits because nothing could be handed over.
func (p *pump[T]) rest(ctx context.Context, at *pass) {
	timer := time.NewTimer(at.nextPause())
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (p *pump[T]) complain(ctx context.Context, err error) {
	if ctx.Err() == nil {
		p.log.WarnContext(ctx, "virtual phones: not everything could be handed to the sink; it is tried again", "err", err)
	}
}
