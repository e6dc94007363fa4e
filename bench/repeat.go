package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// repeat calls do from conns goroutines for d.
func repeat(ctx context.Context, conns int, d time.Duration, do func(context.Context) error) (*result, error) {
	res := &result{}
	var failure error
	var stop atomic.Bool
	var wg sync.WaitGroup
	var mu sync.Mutex
	start := time.Now()
	for range conns {
		wg.Go(func() {
			var mine []time.Duration
			var err error
			for !stop.Load() && err == nil {
				begun := time.Now()
				err = do(ctx)
				mine = append(mine, time.Since(begun))
			}
			mu.Lock()
			defer mu.Unlock()
			res.times = append(res.times, mine...)
			if err != nil {
				failure = err
			}
		})
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	stop.Store(true)
	wg.Wait()
	res.count, res.took = int64(len(res.times)), time.Since(start)
	res.all = res.count
	return res, failure
}
