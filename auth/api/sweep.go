package api

import "context"

// Sweep gives back the space of what nothing reads any more, until ctx ends.
func (a *API) Sweep(ctx context.Context) error { return a.logins.Run(ctx, a.http.Log) }
