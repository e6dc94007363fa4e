package outbox

import (
	"context"
	"runtime"
	"sync"

	"example.com/griot/internal/metrics"
)

// A batcher collects the operations of concurrent callers into batches. Operations that arrive while a batch is being
// written go into the next one.
type batcher[T any] struct {
	maxSize int        // maximum size of a batch
	write   func([]*T) // writes a batch and sets the results
	done    func(*T) chan struct{}
	sizes   *metrics.Batches // nil: no metrics

	mu      sync.Mutex
	waiting []*T
	running bool
}

// submit runs an operation in a batch and waits until it is done. After the operation is queued, ctx does not cancel it.
func (c *batcher[T]) submit(ctx context.Context, op *T) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	c.waiting = append(c.waiting, op)
	first := !c.running
	c.running = true
	c.mu.Unlock()
	if first {
		go c.loop()
	}
	<-c.done(op)
	return nil
}

// maxYields is the maximum number of times that a batch waits for callers that are about to submit, because a commit
// costs the same for one operation as for many.
const maxYields = 4

// yield lets other goroutines run until no more operations arrive.
func (c *batcher[T]) yield() {
	for n, i := 0, 0; i < maxYields; i++ {
		runtime.Gosched()
		c.mu.Lock()
		now := len(c.waiting)
		c.mu.Unlock()
		if now == n {
			return
		}
		n = now
	}
}

func (c *batcher[T]) loop() {
	for {
		c.yield()
		c.mu.Lock()
		n := min(len(c.waiting), c.maxSize)
		batch := append([]*T(nil), c.waiting[:n]...)
		c.waiting = append(c.waiting[:0:0], c.waiting[n:]...)
		c.running = n > 0
		c.mu.Unlock()
		if n == 0 {
			return
		}
		c.write(batch)
		c.sizes.Written(len(batch))
		for _, op := range batch {
			close(c.done(op))
		}
	}
}
