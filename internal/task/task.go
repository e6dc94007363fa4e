// Package task runs maintenance: work that repeats at an interval, and tasks that run concurrently until the process
// ends. Each task has one lifecycle: it starts with its context, ends with it, and its errors are logged in one place.
package task

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Every calls f immediately and then once an interval, until ctx ends. Calls don't overlap: a call that takes longer than
// the interval delays the next one. Every logs the errors of f under the message what, except after ctx has ended, and
// always returns nil.
func Every(ctx context.Context, interval time.Duration, log *slog.Logger, what string, f func(context.Context) error) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := f(ctx); err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, what, "err", err) //nolint:sloglint // a constant of the caller
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Task is named background work of a process.
type Task struct {
	Name string
	Run  func(ctx context.Context) error // until ctx ends
}

// All runs tasks concurrently, waits until all have returned, and joins their errors. An error of one doesn't stop the
// others. To stop them, the caller can cancel their context.
func All(ctx context.Context, tasks ...Task) error {
	errs := make([]error, len(tasks))
	var wg sync.WaitGroup
	for i, t := range tasks {
		wg.Go(func() { errs[i] = t.Run(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
