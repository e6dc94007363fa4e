package account

import (
	"context"

	"example.com/griot/internal/db"
)

// PlatformID is the account in whose name Griot itself writes: sign-in codes and
// invitations. It has no row, no key, and no quota, only the platform's senders, so its
// messages are in no customer's logs and quota.
const PlatformID = "platform"

// Platform returns the caller that the platform is.
func (d *Directory) Platform(ctx context.Context) (*Caller, error) {
	a, err := d.Account(ctx, PlatformID)
	return &Caller{Account: a, Kind: Dashboard}, err
}

func platform(q *db.Query) (a *Account, err error) {
	a = &Account{ID: PlatformID, Name: "Griot"}
	a.Senders, err = selectSenders(q, PlatformID)
	return a, err
}
