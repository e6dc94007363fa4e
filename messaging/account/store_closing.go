package account

import (
	"time"

	"example.com/griot/internal/db"
)

// closeAccount closes an account, unless it is closed or has another owner.
func closeAccount(tx *db.Tx, a *Account, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE accounts SET closed_at = $3 WHERE id = $1 AND email = $2 AND closed_at IS NULL`, a.ID, a.Email, db.Ms(now))
	return n == 1, err
}

func reopenAccount(tx *db.Tx, accountID string, after time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE accounts SET closed_at = NULL WHERE id = $1 AND closed_at > $2`, accountID, db.Ms(after))
	return n == 1, err
}

// endClosedTime changes the time at which a closed account was closed.
func endClosedTime(tx *db.Tx, accountID string, since time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE accounts SET closed_at = CASE WHEN closed_at < $2 THEN closed_at ELSE $2 END WHERE id = $1 AND closed_at IS NOT NULL`, accountID, db.Ms(since))
	return n == 1, err
}

// updateSuspended suspends an account for a reason or, without a reason, ends the suspension. changed is false if nothing changes.
func updateSuspended(tx *db.Tx, accountID, reason string, now time.Time) (changed bool, err error) {
	n, err := tx.Exec(`UPDATE accounts SET suspended_for = $2, suspended_at = CASE WHEN $2 IS NULL THEN NULL ELSE COALESCE(suspended_at, $3) END WHERE id = $1 AND COALESCE(suspended_for, '') <> COALESCE($2, '')`, accountID, db.Null(reason), db.Ms(now))
	return n == 1, err
}

// lockOpen prevents an open account from being closed until the transaction ends.
func lockOpen(tx *db.Tx, accountID string) (open bool, err error) {
	n, err := tx.Exec(`UPDATE accounts SET closed_at = NULL WHERE id = $1 AND closed_at IS NULL`, accountID)
	return n == 1, err
}

// lockOwned is like lockOpen, and requires that the account's owner has not changed.
func lockOwned(tx *db.Tx, a *Account) (owned bool, err error) {
	n, err := tx.Exec(`UPDATE accounts SET closed_at = NULL WHERE id = $1 AND email = $2 AND closed_at IS NULL`, a.ID, a.Email)
	return n == 1, err
}

// endAccess revokes an account's keys and invitations, ends the sessions in it, and deletes its requests to the operator.
func endAccess(tx *db.Tx, accountID string, now time.Time) error {
	if _, err := tx.Exec(`UPDATE api_keys SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL`, accountID, db.Ms(now)); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE member_invitations SET revoked_at = $2 WHERE account_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL`, accountID, db.Ms(now)); err != nil {
		return err
	}
	if _, err := tx.Exec(`DELETE FROM account_requests WHERE account_id = $1`, accountID); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM account_sessions WHERE account_id = $1`, accountID)
	return err
}

func selectClosed(q *db.Query) ([]Closing, error) {
	return db.Select(q, func(scan db.Scan, c *Closing) error { return scan(&c.AccountID, db.Time(&c.At)) },
		`SELECT id, closed_at FROM accounts WHERE closed_at IS NOT NULL ORDER BY id`)
}

// giveKeys transfers a member's keys to the account.
func giveKeys(tx *db.Tx, accountID, memberID string) error {
	_, err := tx.Exec(`UPDATE api_keys SET member_id = NULL WHERE account_id = $1 AND member_id = $2`, accountID, memberID)
	return err
}

// Erase deletes a closed account. Delete everything that belongs to it first.
func Erase(tx *db.Tx, accountID string) (erased bool, err error) {
	n, err := tx.Exec(`DELETE FROM accounts WHERE id = $1 AND closed_at IS NOT NULL`, accountID)
	return n == 1, err
}
