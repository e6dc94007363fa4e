package inbox

import (
	"context"
	"errors"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/task"
	"example.com/griot/messaging/optout"
)

const (
	purgeEvery = time.Minute
	purgeSize  = 500 // messages deleted per transaction
	purgePause = 50 * time.Millisecond
	purgeFresh = time.Minute // longer than the time from a message's ID to its commit
)

// Tasks lists the inbox's background work: it deletes messages whose retention period has ended, fetches attachments,
// and notifies gateways of read messages.
func (b *Inbox) Tasks() []task.Task {
	return []task.Task{
		{Name: "inbox sweeps", Run: func(ctx context.Context) error {
			return task.Every(ctx, purgeEvery, b.o.Log, "purging the inbox", func(ctx context.Context) error {
				return errors.Join(b.Purge(ctx), SweepMedia(ctx, b.o.DB))
			})
		}},
		{Name: "hidden conversations", Run: func(ctx context.Context) error {
			return task.Every(ctx, hiddenEvery, b.o.Log, "purging hidden conversations", b.PurgeHidden)
		}},
		{Name: "attachments", Run: b.RunMedia},
		{Name: "read receipts", Run: b.RunReads},
	}
}

// Purge deletes the messages whose retention period has ended, and the conversations that are empty afterward, in
// several transactions with pauses between them.
func (b *Inbox) Purge(ctx context.Context) error {
	now := b.o.Now()
	before := db.Ms(now.Add(-b.o.Keep))
	w := purgeBatch{below: id.Message + id.First(now.Add(-purgeFresh))}
	for {
		var found bool
		var err error
		if w.to, found, err = oldest(b.o.DB.Read(ctx), before, w.below, purgeSize); err != nil {
			return err
		}
		if !found {
			return b.purgeKeywords(ctx, now.Add(-b.o.Keep))
		}
		if err := b.o.DB.Write(ctx, func(tx *db.Tx) error { return purge(tx, w) }); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(purgePause):
		}
	}
}

// purgeKeywords deletes the times of keywords that are older than the retention period.
func (b *Inbox) purgeKeywords(ctx context.Context, before time.Time) error {
	for {
		var deleted int64
		err := b.o.DB.Write(ctx, func(tx *db.Tx) (err error) {
			deleted, err = optout.PurgeKeywords(tx, before, purgeSize)
			return err
		})
		if err != nil || deleted < purgeSize {
			return err
		}
	}
}
