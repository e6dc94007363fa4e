package inbox

import (
	"context"
	"time"

	"griot/internal/db"
)

const (
	purgeEvery = time.Minute
	purgeSize  = 500 // messages that one transaction takes away
)

// Run purges until ctx ends.
func (b *Inbox) Run(ctx context.Context) error {
	tick := time.NewTicker(purgeEvery)
	defer tick.Stop()
	for {
		if err := b.Purge(ctx); err != nil && ctx.Err() == nil {
			b.o.Log.Error("purging the inbox", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Purge takes away the messages that are older than [Retention], and the
// conversations that are empty then.
func (b *Inbox) Purge(ctx context.Context) error {
	before := db.Ms(b.o.Now().Add(-Retention))
	for ctx.Err() == nil {
		accountID, to, err := oldest(b.o.DB.Read(ctx), before, purgeSize)
		if err != nil || accountID == "" {
			return err
		}
		err = b.o.DB.Write(ctx, func(tx *db.Tx) error {
			if _, err := bump(tx, accountID); err != nil {
				return err
			}
			return purge(tx, accountID, to)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
