package api

import "context"

// Run keeps what this node remembers of logins true to what other nodes do, until ctx ends.
func (a *API) Run(ctx context.Context) error { return a.logins.Run(ctx, a.http.Log) }
