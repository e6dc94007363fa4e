package api

import (
	"context"

	"example.com/griot/internal/task"
)

// Run does what the surface has to do beside its requests, until ctx ends: it
// sends the codes that people asked for, and writes down when keys were used.
func (a *API) Run(ctx context.Context) error {
	return task.All(ctx, a.o.Mail.Run, func(ctx context.Context) error { return a.o.Directory.Run(ctx, a.o.Log) })
}
