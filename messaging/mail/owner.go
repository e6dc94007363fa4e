package mail

import (
	"context"
	"errors"

	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/message"
)

// SubmitToOwner submits a mail to an account's owner, which request creates. It is sent from the platform's address.
// If there is none or it cannot send, the mail is sent from the account's own address, without counting toward its
// quota. alsoStore writes more data in the transaction that stores the mail; it can be nil.
//
// Errors: those of [delivery.Service.SubmitWith].
func SubmitToOwner(ctx context.Context, engine *delivery.Service, d *account.Directory, a *account.Account, request func() *message.Request, alsoStore func(*db.Tx, *message.Message) error) (*message.Message, error) {
	platform, err := d.Platform(ctx)
	if err != nil {
		return nil, err
	}
	res, err := engine.SubmitWith(ctx, platform, request(), alsoStore)
	if errors.Is(err, apierror.GatewayNotConnected.Err()) || errors.Is(err, apierror.SenderPaused.Err()) {
		own := *a
		own.Plan, own.RecipientCap = account.Plan{Name: a.Plan.Name}, 0 // the mail does not count toward the account's quota
		res, err = engine.SubmitWith(ctx, &account.Caller{Account: &own, Kind: account.Live}, request(), alsoStore)
	}
	if err != nil {
		return nil, err
	}
	return res.Message, nil
}
