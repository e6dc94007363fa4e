package otp

import (
	"time"

	"example.com/griot/internal/db"
)

// VoidLive ends every challenge that can still be verified, because in a restored database it might have been
// verified since the backup. It returns the number of challenges.
func VoidLive(tx *db.Tx, now time.Time) (ended int64, err error) {
	return tx.Exec(`UPDATE otp_challenges SET expires_at = $1 WHERE used_at IS NULL AND expires_at > $1`, db.Ms(now))
}
