package outbox

import (
	"context"
	"runtime"
	"sync"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/metrics"
)

// A batcher collects the operations of concurrent callers into batches. Operations that arrive while a batch is being
// written go into the next one.
//
// Operations in bulk ([InBulk]) let the others go first. A batch that leaves out waiting operations in bulk is followed by
// one with both kinds, so each kind waits for at most one batch of the other.
type batcher[T any] struct {
	write func([]*T)          // writes a batch and sets the results
	op    func(*T) *operation // returns the common part of an operation
	sizes *metrics.Batches    // nil: no metrics

	mu      sync.Mutex
	waiting []*T
	spare   []*T // for waiting, from the last batch
	running bool
	held    bool          // the last batch left out the operations in bulk
	single  time.Duration // when an operation that isn't in bulk was last written, by [clock.Running]; 0: never
}

// An operation is the common part of what a batcher writes.
type operation struct {
	rows int  // that it writes, about
	bulk bool // see [InBulk]
	err  error
	done chan struct{}
}

// Limits of the rows in a batch. Operations are never divided, so the last one can exceed them.
const (
	maxRows     = 256         // of each kind
	maxBulkRows = 64          // of the operations in bulk while others are expected
	quietTime   = time.Second // without other operations, after which none is expected
)

type bulkKey struct{}

// InBulk returns a context for writes that no one awaits one by one: those of batches, and of messages that wait for
// their turn. They can wait for those of other callers.
func InBulk(ctx context.Context) context.Context { return context.WithValue(ctx, bulkKey{}, true) }

// newOperation returns the common part of an operation that writes about so many rows.
func newOperation(ctx context.Context, rows int) operation {
	return operation{rows: rows, bulk: ctx.Value(bulkKey{}) != nil, done: make(chan struct{})}
}

// submit runs an operation in a batch, waits until it is done, and returns its error. After the operation is queued, ctx
// does not cancel it.
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
	o := c.op(op)
	<-o.done
	return o.err
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
		batch := c.take(clock.Running())
		if len(batch) == 0 {
			return
		}
		c.write(batch)
		c.sizes.Written(len(batch))
		for _, op := range batch {
			close(c.op(op).done)
		}
		clear(batch)
		c.mu.Lock()
		c.spare = batch[:0]
		c.mu.Unlock()
	}
}

// take removes the operations of the next batch from the waiting ones. If there are none, the loop ends.
func (c *batcher[T]) take(now time.Duration) []*T {
	c.mu.Lock()
	defer c.mu.Unlock()
	singles, rows := 0, 0
	for _, op := range c.waiting {
		if o := c.op(op); !o.bulk {
			singles, rows = singles+1, rows+o.rows
		}
	}
	bulk := len(c.waiting) - singles
	bulkRows := maxRows
	if singles > 0 {
		c.single = now
	}
	if c.single > 0 && now-c.single < quietTime {
		bulkRows = maxBulkRows
	}
	if c.held = singles > 0 && bulk > 0 && !c.held; c.held {
		bulkRows = 0
	}
	var batch, rest []*T
	switch {
	case bulk == 0 && rows <= maxRows: // most often
		batch, rest = c.waiting, c.spare
	default:
		batch, rest = c.split(bulkRows)
	}
	c.waiting, c.spare, c.running = rest, nil, len(batch) > 0
	return batch
}

// split divides the waiting operations into a batch, in which those in bulk come last, and the rest.
func (c *batcher[T]) split(bulkRows int) (batch, rest []*T) {
	batch = make([]*T, 0, len(c.waiting))
	for _, of := range []struct {
		bulk bool
		rows int
	}{{false, maxRows}, {true, bulkRows}} {
		rows := 0
		for _, op := range c.waiting {
			switch o := c.op(op); {
			case o.bulk != of.bulk:
			case rows < of.rows:
				batch, rows = append(batch, op), rows+o.rows
			default:
				rest = append(rest, op)
			}
		}
	}
	return batch, rest
}
