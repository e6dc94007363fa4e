package outbox

import (
	"context"
	"time"

	"griot/internal/db"
	"griot/messaging/quota"
)

// What is swept, and in what portions.
const (
	sweepSize   = 1000
	keepRefs    = 8 * 24 * time.Hour // a receipt that comes later is news to nobody
	keepCounted = 2                  // days of counts, of which only today's decide anything
)

// Sweep takes away what decides nothing any more, in portions that hold nobody up.
func (s *Store) Sweep(ctx context.Context) error {
	now := s.now()
	refs := func(condition string, before time.Time) func(*db.Tx) (int64, error) {
		return func(tx *db.Tx) (int64, error) {
			return tx.Exec(`DELETE FROM provider_refs WHERE (gateway, provider_id) IN (SELECT gateway, provider_id FROM provider_refs WHERE `+condition+` AND at < $1 ORDER BY at LIMIT $2)`, db.Ms(before), sweepSize)
		}
	}
	for _, portion := range []func(*db.Tx) (int64, error){
		refs(`ref >= ''`, now.Add(-keepRefs)),
		refs(`early IS NOT NULL AND ref = ''`, now.Add(-earlyTime)),
		func(tx *db.Tx) (int64, error) {
			return quota.ForgetRecipients(tx, quota.Day(now)-keepCounted, sweepSize)
		},
		func(tx *db.Tx) (int64, error) {
			return quota.ForgetSenders(tx, quota.Day(now)-keepCounted, sweepSize)
		},
	} {
		for n := int64(sweepSize); n == sweepSize; {
			if err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
				n, err = portion(tx)
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Reclaim makes what a process was handing over due. Only for a database that no other process uses.
func (s *Store) Reclaim(ctx context.Context) error {
	now := db.Ms(s.now())
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE messages SET due_at = $1 WHERE due_at > $1 AND status = 'SENDING' AND unknown_at IS NULL`, now)
		return err
	})
}

// SetBack is for a clock that went back by a time. What waits for a retry waits for as long as before; what is being
// handed over, or waits for a receipt, is looked at within most. Several processes may do it: the more, the sooner a retry.
func (s *Store) SetBack(ctx context.Context, by, most time.Duration) error {
	now := s.now()
	return s.db.Write(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(`UPDATE messages SET due_at = CASE WHEN due_at - $1 > $2 THEN due_at - $1 ELSE $2 END WHERE due_at > $2 AND status = 'QUEUED'`, by.Milliseconds(), db.Ms(now)); err != nil {
			return err
		}
		_, err := tx.Exec(`UPDATE messages SET due_at = $1 WHERE due_at > $1 AND status = 'SENDING'`, db.Ms(now.Add(most)))
		return err
	})
}
