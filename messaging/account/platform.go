package account

import (
	"context"

	"example.com/griot/internal/db"
)

// PlatformID is the account for messages that Griot itself sends: sign-in codes and invitations. It has no row, key,
// or quota, only the platform's senders, so its messages do not appear in customers' logs or count toward their
// quotas.
const PlatformID = "platform"

// Platform returns the caller for messages of the platform.
func (d *Directory) Platform(ctx context.Context) (*Caller, error) {
	a, err := d.Account(ctx, PlatformID)
	return &Caller{Account: a, Kind: Dashboard}, err
}

func platform(q *db.Query) (a *Account, err error) {
	a = &Account{ID: PlatformID, Name: "Griot"}
	a.Senders, err = selectSenders(q, PlatformID)
	return a, err
}
