package account

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"example.com/griot/internal/db"
)

// keyUsage records the use of keys, to the minute, until Run stores it. It costs one atomic read per request.
type keyUsage struct {
	mu      sync.Mutex
	pending map[string]int64 // key id -> minute
	writing map[string]int64 // those that are being stored
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

// unstored returns the uses that might not be stored yet. Call it before the keys are read: what is stored in between is
// then in one of both.
func (u *keyUsage) unstored() map[string]int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := maps.Clone(u.writing)
	if out == nil {
		out = map[string]int64{}
	}
	maps.Copy(out, u.pending) // they are later
	return out
}

// addUse sets the time of a key's last use to that of an unstored one, if it is later.
func (k *Key) addUse(unstored map[string]int64) {
	minute, used := unstored[k.ID]
	if at := time.Unix(minute*60, 0).UTC(); used && at.After(k.LastUsedAt) {
		k.LastUsedAt = at
	}
}

// take returns the pending uses, by minute. They are being stored until written.
func (u *keyUsage) take() map[int64][]string {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := map[int64][]string{}
	for keyID, minute := range u.pending {
		out[minute] = append(out[minute], keyID)
	}
	u.writing, u.pending = u.pending, nil
	return out
}

// written ends what take has begun.
func (u *keyUsage) written() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.writing = nil
}

// FlushUses stores the times of the last uses of keys.
func (d *Directory) FlushUses(ctx context.Context) error {
	d.flushing.Lock()
	defer d.flushing.Unlock()
	taken := d.uses.take()
	defer d.uses.written()
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
