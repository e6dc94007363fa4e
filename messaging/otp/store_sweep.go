package otp

import (
	"time"

	"example.com/griot/internal/db"
)

func deleteChallenges(tx *db.Tx, expired time.Time) (int64, error) {
	return tx.Exec(`WITH locked AS (SELECT id FROM otp_challenges WHERE expires_at <= $1 ORDER BY expires_at LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM otp_challenges WHERE id IN (SELECT id FROM locked)`, db.Ms(expired), sweepBatch)
}

// The statements below repeat their conditions, because a row might be used again between the selection and the deletion.

func deleteRates(tx *db.Tx, until time.Time) (int64, error) {
	return tx.Exec(`WITH locked AS (SELECT account_id, address FROM otp_rates WHERE at1 <= $1 ORDER BY at1 LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM otp_rates WHERE at1 <= $1 AND (account_id, address) IN (SELECT account_id, address FROM locked)`, db.Ms(until), sweepBatch)
}

func deleteClaims(tx *db.Tx, until time.Time) (int64, error) {
	return tx.Exec(`WITH locked AS (SELECT account_id, key FROM otp_claims WHERE at <= $1 ORDER BY at LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM otp_claims WHERE at <= $1 AND (account_id, key) IN (SELECT account_id, key FROM locked)`, db.Ms(until), sweepBatch)
}

func deleteCaps(tx *db.Tx, before int64) (int64, error) {
	return tx.Exec(`WITH locked AS (SELECT area, hour FROM otp_caps WHERE hour < $1 ORDER BY hour LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM otp_caps WHERE (area, hour) IN (SELECT area, hour FROM locked)`, before, sweepBatch)
}

func deleteBlocks(tx *db.Tx, until time.Time) (int64, error) {
	return tx.Exec(`WITH locked AS (SELECT account_id, prefix FROM otp_blocks WHERE until <= $1 ORDER BY until LIMIT CAST($2 AS BIGINT) /*lock*/)
 DELETE FROM otp_blocks WHERE until <= $1 AND (account_id, prefix) IN (SELECT account_id, prefix FROM locked)`, db.Ms(until), sweepBatch)
}
