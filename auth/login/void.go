package login

import (
	"time"

	"example.com/griot/internal/db"
)

// VoidLive ends every login that has not been exchanged for a token, and frees its words: what a restored database says
// of them may have been used since its backup. It returns how many they were.
func VoidLive(tx *db.Tx, now time.Time) (ended int64, err error) {
	if ended, err = tx.Exec(`UPDATE login_sessions SET `+becomes(cancel)+`, live_until = CASE WHEN live_until > $1 THEN $1 ELSE live_until END, code_hash = NULL, code_nonce = NULL WHERE `+allows(cancel), db.Ms(now)); err != nil {
		return 0, err
	}
	_, err = tx.Exec(`DELETE FROM login_words`)
	return ended, err
}
