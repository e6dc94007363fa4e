package account

import (
	"cmp"
	"context"
	"errors"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
)

// ClosedTime is how long a closed account's data is kept. Until then an operator can reopen it.
const ClosedTime = 30 * 24 * time.Hour

// Errors of closing, reopening, and transferring accounts.
var (
	ErrClosed    = errors.New("account: the account is closed")
	ErrNotClosed = errors.New("account: the account is not closed, or was closed too long ago")
	ErrNotOwner  = errors.New("account: who asks is not the owner any more")
)

// Closed reports whether the account is closed: nobody can use it.
func (a *Account) Closed() bool { return !a.ClosedAt.IsZero() }

// Check refuses a change within its transaction: refused is the reason.
type Check func(tx *db.Tx) (refused, err error)

// Close closes an account for its owner: in one transaction its keys and invitations are revoked and its sessions end. From
// then on it accepts no message. check may refuse it.
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

// Reopen opens an account again that was closed less than [ClosedTime] ago. Its keys stay revoked.
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

// EraseSoon ends the time in which a closed account can be reopened: the next sweep erases it.
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

// ClosedAccounts lists the ids of closed accounts.
func (d *Directory) ClosedAccounts(ctx context.Context) ([]Closing, error) {
	return selectClosed(d.db.Read(ctx))
}

// Closing is an account that is closed, and since when.
type Closing struct {
	AccountID string
	At        time.Time
}
