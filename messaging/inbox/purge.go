package inbox

import (
	"context"
	"errors"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
)

const (
	purgeEvery = time.Minute
	purgeSize  = 500 // messages that one transaction takes away
	purgePause = 50 * time.Millisecond
	purgeFresh = time.Minute // longer than a message takes from its id to its commit
)

// Run purges until ctx ends.
func (b *Inbox) Run(ctx context.Context) error {
	tick := time.NewTicker(purgeEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		err := b.Purge(ctx)
		if n%int(hiddenEvery/purgeEvery) == 0 {
			err = errors.Join(err, b.PurgeHidden(ctx))
		}
		err = errors.Join(err, SweepMedia(ctx, b.o.DB))
		if err != nil && ctx.Err() == nil {
			b.o.Log.Error("purging the inbox", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Purge deletes the messages that have been kept long enough, and the conversations
// that are empty then, in several transactions with pauses between them.
func (b *Inbox) Purge(ctx context.Context) error {
	now := b.o.Now()
	before := db.Ms(now.Add(-b.o.Keep))
	w := purgeBatch{below: id.Message + id.First(now.Add(-purgeFresh))}
	for {
		var found bool
		var err error
		if w.to, found, err = oldest(b.o.DB.Read(ctx), before, w.below, purgeSize); err != nil || !found {
			return err
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
