package api

import (
	"context"
	"errors"
	"sync"
)

// Run does what the surface has to do beside its requests, until ctx ends: it
// sends the codes that people asked for, and writes down when keys were used.
func (a *API) Run(ctx context.Context) error {
	work := []func(context.Context) error{
		a.o.Mail.Run,
		func(ctx context.Context) error { return a.o.Directory.Run(ctx, a.o.Log) },
	}
	errs := make([]error, len(work))
	var wg sync.WaitGroup
	for i, w := range work {
		wg.Go(func() { errs[i] = w(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
