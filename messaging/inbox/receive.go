package inbox

import (
	"context"
	"log/slog"

	"griot/gateway"
	"griot/internal/clock"
	"griot/internal/db"
	"griot/internal/id"
	"griot/messaging/account"
	"griot/messaging/optout"
	"griot/messaging/webhook"
)

// Inbox stores inbound messages.
type Inbox struct {
	DB        *db.DB
	Directory *account.Directory
	Now       clock.Now
	Log       *slog.Logger
}

// Receive stores a message from a person, once, for the account that owns the
// number it was sent to. It returns nil when it is stored, when it had been
// before, and when nobody owns the number.
func (b *Inbox) Receive(ctx context.Context, in gateway.Inbound) error {
	s, err := b.Directory.SenderAt(ctx, string(in.Channel), in.To)
	if err != nil {
		return err
	}
	if s == nil || s.AccountID == "" {
		b.Log.Debug("inbound message for a number that is nobody's", "channel", string(in.Channel))
		return nil
	}
	a, err := b.Directory.Account(ctx, s.AccountID)
	if err != nil || a == nil {
		return err
	}
	now := b.Now()
	messageID := id.Message + id.New(now)
	var event *webhook.Event
	if a.WebhookURL != "" {
		event = webhook.Received(a.ID, messageID, in, now)
	}
	heard := false
	err = b.DB.Write(ctx, func(tx *db.Tx) error {
		heard = false
		fresh, err := insert(tx, messageID, s, in, now)
		if err != nil || !fresh {
			return err
		}
		if heard, err = optout.Hear(tx, a.ID, &in, now); err != nil || event == nil {
			return err
		}
		return webhook.Insert(tx, event)
	})
	if err == nil && heard {
		b.Directory.Forget(a.ID)
	}
	return err
}
