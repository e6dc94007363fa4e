package account

import (
	"context"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

// Suspended reports whether an operator has suspended the account. A suspended account starts nothing, and few routes
// accept its callers.
func (a *Account) Suspended() bool { return !a.SuspendedAt.IsZero() }

// SetSuspended suspends an account for a reason, which can be changed later. An empty reason ends the suspension.
// lock is called first in the transaction. seen is called after the commit, before this process uses the account
// again.
func (d *Directory) SetSuspended(ctx context.Context, accountID, reason string, lock func(*db.Tx) error, seen func(context.Context) error) error {
	now, action := d.now(), audit.AccountSuspended
	if reason == "" {
		action = audit.AccountResumed
	}
	event := audit.New(ctx, now, accountID, action, accountID, "reason", reason)
	err := d.db.Write(ctx, func(tx *db.Tx) error {
		if err := lock(tx); err != nil {
			return err
		}
		if changed, err := updateSuspended(tx, accountID, reason, now); err != nil || !changed {
			return err
		}
		return recordChange(tx, event)
	})
	if err != nil {
		return err
	}
	d.paused.clear()
	defer d.ForgetAll()
	return seen(ctx)
}
