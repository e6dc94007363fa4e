package outbox

import (
	"context"
	"runtime"
	"sync"
)

// collector writes what many callers want together: what comes while a batch is being written goes with the next.
type collector[T any] struct {
	most int        // of a batch
	run  func([]*T) // writes a batch, and sets what became of each
	ends func(*T) chan struct{}

	mu      sync.Mutex
	waiting []*T
	running bool
}

// do waits until an operation is done. One that was handed in is always done.
func (c *collector[T]) do(ctx context.Context, op *T) error {
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
	<-c.ends(op)
	return nil
}

// yields is how often those run first who are about to hand something in: a commit costs the same for one as for many.
const yields = 4

// gather lets them, until nobody comes.
func (c *collector[T]) gather() {
	for n, i := 0, 0; i < yields; i++ {
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

func (c *collector[T]) loop() {
	for {
		c.gather()
		c.mu.Lock()
		n := min(len(c.waiting), c.most)
		batch := append([]*T(nil), c.waiting[:n]...)
		c.waiting = append(c.waiting[:0:0], c.waiting[n:]...)
		c.running = n > 0
		c.mu.Unlock()
		if n == 0 {
			return
		}
		c.run(batch)
		for _, op := range batch {
			close(c.ends(op))
		}
	}
}
