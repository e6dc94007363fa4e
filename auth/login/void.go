package login

import (
	"time"

	"example.com/griot/internal/db"
)

// VoidLive ends all logins that have no token yet and frees their words. Call it after a restore, because a restored
// login might have been used after the backup. It returns the number of logins ended.
func VoidLive(tx *db.Tx, now time.Time) (ended int64, err error) {
	if ended, err = tx.Exec(`UPDATE login_sessions SET `+becomes(cancel)+`, live_until = CASE WHEN live_until > $1 THEN $1 ELSE live_until END, code_hash = NULL, code_nonce = NULL WHERE `+allows(cancel), db.Ms(now)); err != nil {
		return 0, err
	}
	_, err = tx.Exec(`DELETE FROM login_words`)
	return ended, err
}
