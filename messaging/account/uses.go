package account

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/internal/db"
)

// keyUsage records the use of keys, to the minute, until Run stores it. It costs one atomic read per request.
type keyUsage struct {
	mu      sync.Mutex
	pending map[string]int64 // key id -> minute
}

// A minuteMark is the minute in which a key's use was last recorded.
type minuteMark struct{ minute atomic.Int64 }

const useChunk = 64 // keys per statement

func (u *keyUsage) record(c *Caller, now time.Time) {
	minute := now.Unix() / int64(time.Minute/time.Second)
	if c.noted == nil || c.noted.minute.Load() == minute || c.noted.minute.Swap(minute) == minute {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.add(c.KeyID, minute)
}

func (u *keyUsage) add(keyID string, minute int64) {
	if u.pending == nil {
		u.pending = map[string]int64{}
	}
	u.pending[keyID] = max(minute, u.pending[keyID])
}

// addTo sets the time of a key's last use to that of its latest pending use, if there is one.
func (u *keyUsage) addTo(k *Key) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at := time.Unix(u.pending[k.ID]*60, 0).UTC(); at.After(k.LastUsedAt) && u.pending[k.ID] != 0 {
		k.LastUsedAt = at
	}
}

// take removes and returns the pending uses, by minute.
func (u *keyUsage) take() map[int64][]string {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := map[int64][]string{}
	for keyID, minute := range u.pending {
		out[minute] = append(out[minute], keyID)
	}
	clear(u.pending)
	return out
}

// FlushUses stores the times of the last uses of keys.
func (d *Directory) FlushUses(ctx context.Context) error {
	taken := d.uses.take()
	if len(taken) == 0 {
		return nil
	}
	err := d.db.Write(ctx, func(tx *db.Tx) error {
		for minute, ids := range taken {
			for ; len(ids) > 0; ids = ids[min(useChunk, len(ids)):] {
				if err := markUsed(tx, ids[:min(useChunk, len(ids))], time.Unix(minute*60, 0)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil { // tried again with the next ones
		d.uses.mu.Lock()
		defer d.uses.mu.Unlock()
		for minute, ids := range taken {
			for _, keyID := range ids {
				d.uses.add(keyID, minute)
			}
		}
	}
	return err
}

// Run stores the uses of keys once per minute, and a last time when ctx ends.
func (d *Directory) Run(ctx context.Context, log *slog.Logger) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := d.FlushUses(last); err != nil {
				log.Error("writing down the uses of keys", "err", err)
			}
			return nil
		}
		if err := d.FlushUses(ctx); err != nil && ctx.Err() == nil {
			log.Error("writing down the uses of keys", "err", err)
		}
	}
}
