package api

import (
	"context"

	"example.com/griot/internal/task"
)

// Tasks lists the background work of the API: it sends requested codes, and stores the times at which keys were used.
func (a *API) Tasks() []task.Task {
	return []task.Task{
		{Name: "mails of codes", Run: a.o.Mail.Run},
		{Name: "uses of keys", Run: func(ctx context.Context) error { return a.o.Directory.Run(ctx, a.o.Log) }},
	}
}

// Run runs [API.Tasks] until ctx ends.
func (a *API) Run(ctx context.Context) error { return task.All(ctx, a.Tasks()...) }
