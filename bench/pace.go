package main

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

const paceSlots = 128 // concurrent requests of a kind; other kinds don't wait for them

// pace is a load with a fixed rate.
type pace struct {
	kinds int
	kind  func(n int) int // returns the kind of the request with a number
	ask   func(ctx context.Context, client *http.Client, n int) error
}

func newResults(kinds int) []*result {
	results := make([]*result, kinds)
	for i := range results {
		results[i] = &result{}
	}
	return results
}

// load makes rate requests per second, after a warm-up, and returns the times of each kind. A time starts at the
// scheduled time of the request, so a pause of the program counts for all requests that were scheduled during it.
func (p *pace) load(ctx context.Context, rate int, d time.Duration) ([]*result, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: paceSlots * p.kinds}}
	defer client.CloseIdleConnections()
	type job struct {
		n  int
		at time.Time
	}
	jobs := make([]chan job, p.kinds)
	results := newResults(p.kinds)
	begun := time.Now()
	counted := begun.Add(min(warmUp, d))
	var mu sync.Mutex
	var failure error
	var wg sync.WaitGroup
	for kind := range p.kinds {
		jobs[kind] = make(chan job, int((d+warmUp).Seconds()+1)*rate)
		for range paceSlots {
			wg.Go(func() {
				for j := range jobs[kind] {
					err := p.ask(ctx, client, j.n)
					took := time.Since(j.at)
					mu.Lock()
					failure = errors.Join(failure, err)
					res := results[kind]
					if res.all++; !j.at.Before(counted) {
						res.times, res.count = append(res.times, took), res.count+1
					}
					mu.Unlock()
					if err != nil {
						return
					}
				}
			})
		}
	}
	failed := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return failure != nil
	}
	for n := 0; ctx.Err() == nil && !failed(); n++ {
		at := begun.Add(time.Duration(n) * time.Second / time.Duration(rate))
		if at.After(counted.Add(d)) {
			break
		}
		time.Sleep(time.Until(at))
		jobs[p.kind(n)] <- job{n, at}
	}
	for _, kind := range jobs {
		close(kind)
	}
	wg.Wait()
	for _, res := range results {
		res.took = time.Since(counted)
	}
	return results, errors.Join(failure, ctx.Err())
}
