package login

import (
	"context"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
)

// deleteWords checks the time twice, because words can be reserved again between the selection and the deletion.
func deleteWords(tx *db.Tx, now time.Time) (int64, error) {
	return tx.Exec(`WITH locked AS (SELECT receiver, words_key FROM login_words WHERE expires_at <= $1 ORDER BY expires_at LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM login_words WHERE expires_at <= $1 AND (receiver, words_key) IN (SELECT receiver, words_key FROM locked)`, db.Ms(now), sweepBatch)
}

func deleteProofs(tx *db.Tx, until time.Time) (int64, error) {
	return tx.Exec(`WITH locked AS (SELECT message_id FROM login_proofs WHERE at < $1 ORDER BY at LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM login_proofs WHERE message_id IN (SELECT message_id FROM locked)`, db.Ms(until), sweepBatch)
}

func deleteSessions(tx *db.Tx, beforeID string) (int64, error) {
	return tx.Exec(`WITH locked AS (SELECT id FROM login_sessions WHERE id < $1 ORDER BY id LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM login_sessions WHERE id IN (SELECT id FROM locked)`, beforeID, sweepBatch)
}

// endOfBatch returns the last id of the next batch of logins between two ids; empty if there is none.
func (s *Service) endOfBatch(ctx context.Context, after, beforeID string) (last string, err error) {
	_, err = s.db.Read(ctx).Row(`SELECT COALESCE(MAX(id), '') FROM (SELECT id FROM login_sessions WHERE id > $1 AND id < $2 ORDER BY id LIMIT CAST($3 AS BIGINT)) AS batch`,
		after, beforeID, sweepBatch).Scan(&last)
	return last, err
}

// deleteUnproved deletes the logins of a batch that nobody has proved. Only a proof sets verified_at, and nothing clears it.
func deleteUnproved(tx *db.Tx, after, last string) error {
	_, err := tx.Exec(`WITH locked AS (SELECT id FROM login_sessions WHERE id > $1 AND id <= $2 AND verified_at IS NULL ORDER BY id /*lock*/)
 DELETE FROM login_sessions WHERE id IN (SELECT id FROM locked)`, after, last)
	return err
}

func deleteCounted(tx *db.Tx, beforeID string) (int64, error) {
	return tenant.DeleteCounted(tx, beforeID, sweepBatch)
}

func deleteEvents(tx *db.Tx, beforeID string) (int64, error) {
	return tenant.DeleteEvents(tx, beforeID, sweepBatch)
}
