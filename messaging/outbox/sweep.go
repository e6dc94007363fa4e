package outbox

import (
	"context"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/quota"
)

// Parameters of [Store.Sweep].
const (
	sweepSize          = 1000               // rows per transaction
	refRetention       = 8 * 24 * time.Hour // receipts that arrive later are ignored
	countRetentionDays = 2                  // for counts, of which only today's are needed
)

// Sweep deletes references, reports of parts, and counts that are no longer needed, in short transactions.
func (s *Store) Sweep(ctx context.Context) error {
	now := s.now()
	for _, deletePortion := range []func(*db.Tx) (int64, error){
		func(tx *db.Tx) (int64, error) {
			return tx.Exec(`DELETE FROM provider_refs WHERE (gateway, provider_id) IN (SELECT gateway, provider_id FROM provider_refs WHERE ref >= '' AND at < $1 ORDER BY at LIMIT CAST($2 AS BIGINT))`, db.Ms(now.Add(-refRetention)), sweepSize)
		},
		func(tx *db.Tx) (int64, error) {
			return tx.Exec(`DELETE FROM part_receipts WHERE (ref, part) IN (SELECT ref, part FROM part_receipts WHERE at < $1 ORDER BY at LIMIT CAST($2 AS BIGINT))`, db.Ms(now.Add(-refRetention)), sweepSize)
		},
		func(tx *db.Tx) (int64, error) {
			return quota.DeleteRecipientCounts(tx, quota.Day(now)-countRetentionDays, sweepSize)
		},
		func(tx *db.Tx) (int64, error) {
			return quota.DeleteSenderCounts(tx, quota.Day(now)-countRetentionDays, sweepSize)
		},
	} {
		for n := int64(sweepSize); n == sweepSize; {
			if err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
				n, err = deletePortion(tx)
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// DropEarlyReceipts deletes up to 1,000 early receipts whose messages are still unknown after an hour. It returns their
// numbers by gateway. If several nodes call it, each receipt is counted once.
func (s *Store) DropEarlyReceipts(ctx context.Context) (dropped map[string]int, err error) {
	before := db.Ms(s.now().Add(-earlyRetention))
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		dropped = map[string]int{}
		if err := tx.Queue(func(scan db.Scan) error {
			var gatewayName string
			err := scan(&gatewayName)
			dropped[gatewayName]++
			return err
		}, `DELETE FROM provider_refs WHERE early IS NOT NULL AND ref = '' AND at < $1 AND (gateway, provider_id) IN
 (SELECT gateway, provider_id FROM provider_refs WHERE early IS NOT NULL AND ref = '' AND at < $1 ORDER BY at LIMIT CAST($2 AS BIGINT)) RETURNING gateway`, before, sweepSize); err != nil {
			return err
		}
		return tx.Flush()
	})
	return dropped, err
}

// MakeInFlightDue schedules an immediate check of the messages that a process was submitting when it ended. These
// include messages that were waiting for their check, because the process might have been repeating a call, and the
// two cases cannot be distinguished. It is only for a database that no other process uses.
func (s *Store) MakeInFlightDue(ctx context.Context) error {
	now := db.Ms(s.now())
	return s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE messages SET due_at = $1 WHERE due_at > $1 AND status = 'SENDING'`, now)
		return err
	})
}

// ShiftDueTimes corrects due times after the clock was set back by a duration. Retries wait no longer than before,
// and messages that are SENDING are checked within most. If several processes call it, retries happen only earlier.
func (s *Store) ShiftDueTimes(ctx context.Context, by, most time.Duration) error {
	now := s.now()
	return s.db.Write(ctx, func(tx *db.Tx) error {
		if _, err := tx.Exec(`UPDATE messages SET due_at = CASE WHEN due_at - $1 > $2 THEN due_at - $1 ELSE $2 END WHERE due_at > $2 AND status = 'QUEUED'`, by.Milliseconds(), db.Ms(now)); err != nil {
			return err
		}
		_, err := tx.Exec(`UPDATE messages SET due_at = $1 WHERE due_at > $1 AND status = 'SENDING'`, db.Ms(now.Add(most)))
		return err
	})
}
