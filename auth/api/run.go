package api

import (
	"context"

	"example.com/griot/internal/task"
)

// Tasks lists the service's background tasks. It rotates the signing keys, delivers webhook events and logout tokens,
// stores counted audit events, evicts logins that other nodes changed from the cache, and deletes old rows.
func (a *API) Tasks() []task.Task {
	return []task.Task{
		{Name: "signing keys", Run: a.signer.Run},
		{Name: "tenants' webhooks", Run: a.dispatcher.Run},
		{Name: "logout tokens", Run: a.logouts.Run},
		{Name: "tenants' counted events", Run: func(ctx context.Context) error { return a.tenants.RunCounts(ctx, a.http.Log) }},
		{Name: "logins of other nodes", Run: func(ctx context.Context) error { return a.logins.Run(ctx, a.http.Log) }},
		{Name: "login sweeps", Run: func(ctx context.Context) error { return a.logins.RunSweeps(ctx, a.http.Log) }},
	}
}

// MessageTask is the background task of a process whose gateways deliver messages: it asks people whose number WhatsApp
// hides for it, and tells people on their phones that they are signed in.
func (a *API) MessageTask() task.Task {
	return task.Task{Name: "messages of logins", Run: func(ctx context.Context) error { return a.logins.RunMessages(ctx, a.http.Log) }}
}

// Run runs [API.Tasks] until ctx ends.
func (a *API) Run(ctx context.Context) error { return task.All(ctx, a.Tasks()...) }
