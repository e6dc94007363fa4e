package account

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

const (
	epochKind = "accounts"  // the row of cache_epochs for all that a Directory keeps
	lookEvery = time.Second // for what other processes have changed
)

// NoteChange makes the directories of all processes empty their caches after the commit. It must be the last change of
// rows in a transaction: from here on, transactions that note a change wait for each other.
func NoteChange(tx *db.Tx) error {
	_, err := tx.Exec(`INSERT INTO cache_epochs (kind, epoch) VALUES ($1, 1) ON CONFLICT (kind) DO UPDATE SET epoch = cache_epochs.epoch + 1`, epochKind)
	return err
}

// recordChange stores the event of a change, and notes the change.
func recordChange(tx *db.Tx, event *audit.Event) error {
	if err := audit.Record(tx, event); err != nil {
		return err
	}
	return NoteChange(tx)
}

// decide runs do in a transaction. What do refuses is returned as well, but it rolls nothing back: on SQLite, that would run
// the other transactions of the batch again.
func (d *Directory) decide(ctx context.Context, do func(tx *db.Tx) (refused, err error)) error {
	var refused error
	err := d.db.Write(ctx, func(tx *db.Tx) (err error) {
		refused, err = do(tx)
		return err
	})
	return cmp.Or(err, refused)
}

// Follow empties the cache when other processes have noted a change, until ctx ends. It looks once a second, except on
// SQLite, where there is no other process.
func (d *Directory) Follow(ctx context.Context, log *slog.Logger) error {
	if d.db.Engine() == db.SQLite {
		return nil
	}
	tick := time.NewTicker(d.lookEvery)
	defer tick.Stop()
	for last := int64(-1); ; { // what was read before the first look may be old already
		epoch, err := currentEpoch(d.db.Read(ctx))
		switch {
		case err == nil && epoch != last:
			d.ForgetAll()
			last = epoch
		case err != nil && ctx.Err() == nil:
			log.Error("looking for what other processes have changed", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func currentEpoch(q *db.Query) (epoch int64, err error) {
	_, err = q.Row(`SELECT epoch FROM cache_epochs WHERE kind = $1`, epochKind).Scan(&epoch)
	return epoch, err
}
