package counts

import (
	"context"
	"log/slog"
	"time"

	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/internal/task"
)

const (
	foldEvery  = 2 * time.Second
	foldSize   = 1000 // rows of the log per transaction, about two seconds' worth under full load
	sweepEvery = 24 * time.Hour
	sweepSize  = 500 // accounts per query
)

// A Folder adds the log to the counters. Several processes can run one.
type Folder struct {
	DB  *db.DB
	Now clock.Now
	Log *slog.Logger
}

// Run calls Fold every two seconds, and deletes old hourly counters once per day, until ctx ends.
func (f *Folder) Run(ctx context.Context) error {
	return task.All(ctx,
		task.Task{Run: func(ctx context.Context) error { return task.Every(ctx, foldEvery, f.Log, "folding counters", f.Fold) }},
		task.Task{Run: func(ctx context.Context) error {
			return task.Every(ctx, sweepEvery, f.Log, "sweeping counters", f.Sweep)
		}},
	)
}

// Fold adds the log to the counters.
func (f *Folder) Fold(ctx context.Context) error {
	for {
		if n, err := fold(ctx, f.DB, foldSize); err != nil || n < foldSize {
			return err
		}
	}
}

// Sweep deletes the hourly counters that are older than [HoursKept], account by account.
func (f *Folder) Sweep(ctx context.Context) error {
	before := down(f.Now().Add(-HoursKept).Unix() / 3600)
	for after := ""; ; {
		ids, err := oldHours(f.DB.Read(ctx), after, before, sweepSize)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := f.DB.Write(ctx, func(tx *db.Tx) error { return deleteHours(tx, id, before) }); err != nil {
				return err
			}
		}
		after = ids[len(ids)-1]
	}
}
