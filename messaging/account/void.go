package account

import (
	"time"

	"example.com/griot/internal/db"
)

// VoidSessions ends every session of the accounts' dashboard, the codes that were mailed to sign in, and the invitations
// that were not accepted: in a restored database they may have been used since its backup. It returns how many sessions
// they were.
func VoidSessions(tx *db.Tx, now time.Time) (ended int64, err error) {
	if ended, err = tx.Exec(`DELETE FROM account_sessions`); err != nil {
		return 0, err
	}
	if _, err = tx.Exec(`UPDATE sign_in_mails SET mac = '' WHERE mac <> ''`); err != nil {
		return 0, err
	}
	_, err = tx.Exec(`UPDATE member_invitations SET revoked_at = $1 WHERE accepted_at IS NULL AND revoked_at IS NULL`, db.Ms(now))
	return ended, err
}
