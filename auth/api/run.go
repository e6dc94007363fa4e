package api

import "context"

// Run does what the house has to do beside its requests, until ctx ends: it tends the signing keys.
func (a *API) Run(ctx context.Context) error { return a.signer.Run(ctx) }
