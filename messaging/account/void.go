package account

import "griot/internal/db"

// VoidSessions ends every session of the accounts' dashboard and voids the codes that were mailed to sign in: in a
// restored database they may have been used since its backup. It returns how many sessions they were.
func VoidSessions(tx *db.Tx) (ended int64, err error) {
	if ended, err = tx.Exec(`DELETE FROM account_sessions`); err != nil {
		return 0, err
	}
	_, err = tx.Exec(`UPDATE sign_in_mails SET mac = '' WHERE mac <> ''`)
	return ended, err
}
