package api

import (
	"context"
	"errors"
	"sync"
)

// Run does what the service has to do beside its requests, until ctx ends: it tends
// the signing keys, keeps what this node remembers of logins true to what other
// nodes do, tells tenants what becomes of logins, and gives back the space of what
// nothing reads any more.
func (a *API) Run(ctx context.Context) error {
	work := []func(context.Context) error{
		a.signer.Run,
		a.dispatcher.Run,
		func(ctx context.Context) error { return a.logins.Run(ctx, a.http.Log) },
		func(ctx context.Context) error { return a.logins.RunSweeps(ctx, a.http.Log) },
	}
	errs := make([]error, len(work))
	var wg sync.WaitGroup
	for i, w := range work {
		wg.Go(func() { errs[i] = w(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
