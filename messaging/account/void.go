package account

import (
	"time"

	"example.com/griot/internal/db"
)

// VoidSessions ends all sessions of the accounts' dashboard, and voids the mailed sign-in codes and the open
// invitations, because in a restored database they might have been used since the backup. It returns the number of
// sessions.
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
