package account

import (
	"cmp"
	"context"
	"errors"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

// ClosedTime is the retention period of a closed account's data. During this time, an operator can reopen the account.
const ClosedTime = 30 * 24 * time.Hour

// Errors of closing, reopening, and transferring accounts.
var (
	ErrClosed    = errors.New("account: the account is closed")
	ErrNotClosed = errors.New("account: the account is not closed, or was closed too long ago")
	ErrNotOwner  = errors.New("account: who asks is not the owner any more")
)

// Closed reports whether the account is closed, so that no one can use it.
func (a *Account) Closed() bool { return !a.ClosedAt.IsZero() }

// A Check can refuse a change within its transaction. refused is the reason.
type Check func(tx *db.Tx) (refused, err error)

// Close closes an account for its owner. In one transaction, it revokes the account's keys and invitations and ends
// its sessions. From then on, the account accepts no messages. check can refuse the change.
//
// Errors: [ErrNotOwner], and those of check.
func (d *Directory) Close(ctx context.Context, a *Account, check Check) (closedAt time.Time, err error) {
	now := d.now()
	event := audit.New(ctx, now, a.ID, audit.AccountClosed, a.ID, "name", a.Name, "email", a.Email)
	err = d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if closed, err := closeAccount(tx, a, now); err != nil || !closed {
			return ErrNotOwner, err
		}
		if refused, err = check(tx); err != nil || refused != nil {
			return nil, cmp.Or(err, refused) // roll back
		}
		if err := endAccess(tx, a.ID, now); err != nil {
			return nil, err
		}
		return nil, recordChange(tx, event)
	})
	d.ForgetAll()
	return now, err
}

// Reopen reopens an account that was closed less than [ClosedTime] ago. Its keys stay revoked.
//
// Errors: [ErrNotClosed].
func (d *Directory) Reopen(ctx context.Context, accountID string) error {
	now := d.now()
	event := audit.New(ctx, now, accountID, audit.AccountReopened, accountID)
	err := d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if found, err := reopenAccount(tx, accountID, now.Add(-ClosedTime)); err != nil || !found {
			return ErrNotClosed, err
		}
		return nil, recordChange(tx, event)
	})
	d.ForgetAll()
	return err
}

// EraseSoon ends the period in which a closed account can be reopened. The next cleanup erases the account.
//
// Errors: [ErrNotClosed].
func (d *Directory) EraseSoon(ctx context.Context, accountID string) error {
	now := d.now()
	event := audit.New(ctx, now, accountID, audit.AccountClosed, accountID, "reopen", "no")
	err := d.decide(ctx, func(tx *db.Tx) (refused, err error) {
		if found, err := endClosedTime(tx, accountID, now.Add(-ClosedTime)); err != nil || !found {
			return ErrNotClosed, err
		}
		return nil, audit.Record(tx, event)
	})
	d.ForgetAll()
	return err
}

// ClosedAccounts lists the closed accounts.
func (d *Directory) ClosedAccounts(ctx context.Context) ([]Closing, error) {
	return selectClosed(d.db.Read(ctx))
}

// A Closing is a closed account and the time at which it was closed.
type Closing struct {
	AccountID string
	At        time.Time
}
