package api

import (
	"context"

	"example.com/griot/internal/task"
)

// Run does the service's background work until ctx ends: it rotates the signing
// keys, evicts logins that other nodes changed from the cache, delivers webhook
// events, stores counted audit events, and deletes old rows.
func (a *API) Run(ctx context.Context) error {
	return task.All(ctx,
		a.signer.Run,
		a.dispatcher.Run,
		func(ctx context.Context) error { return a.tenants.RunCounts(ctx, a.http.Log) },
		func(ctx context.Context) error { return a.logins.Run(ctx, a.http.Log) },
		func(ctx context.Context) error { return a.logins.RunSweeps(ctx, a.http.Log) },
	)
}
