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
	epochKind = "accounts"  // the row of cache_epochs for all data of a Directory
	lookEvery = time.Second // interval of checks for changes of other processes
)

// NoteChange makes the directories of all processes clear their caches after the commit. It must be the last change
// of rows in a transaction, because from then on, transactions that note a change wait for each other.
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

// decide runs do in a transaction. It returns a refusal of do without a rollback. On SQLite, a rollback would repeat
// the other transactions of the batch.
func (d *Directory) decide(ctx context.Context, do func(tx *db.Tx) (refused, err error)) error {
	var refused error
	err := d.db.Write(ctx, func(tx *db.Tx) (err error) {
		refused, err = do(tx)
		return err
	})
	return cmp.Or(err, refused)
}

// Follow clears the cache when other processes have noted a change, until ctx ends. It checks once per second, except
// on SQLite, which has no other process.
func (d *Directory) Follow(ctx context.Context, log *slog.Logger) error {
	if d.db.Engine() == db.SQLite {
		return nil
	}
	tick := time.NewTicker(d.lookEvery)
	defer tick.Stop()
	for last := int64(-1); ; { // values that were read before the first check might be outdated
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
