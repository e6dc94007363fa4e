package account

import (
	"context"
	"errors"
	"time"

	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/messaging/audit"
)

// ErrSenderTaken reports that a channel's address is already a sender.
var ErrSenderTaken = errors.New("account: the address is a sender already")

// ErrSenderElsewhere reports that the address is another account's sender on another channel.
var ErrSenderElsewhere = errors.New("account: the address is another account's sender on another channel")

// ErrNoGateway reports that a sender's gateway does not exist.
var ErrNoGateway = errors.New("account: there is no such gateway")

// details describes a sender for the audit log.
func (s *Sender) details() []string {
	return []string{"channel", string(s.Channel), "address", s.Address, "gateway", s.Gateway}
}

func newSenderID(now time.Time) string { return "snd_" + id.New(now) }

// AddSender adds a sender to an account or, without an account, to the platform. With a position below 0, it becomes
// the last one. shared allows an address that another account has on another channel. hold reports whether the gateway
// exists, and prevents its removal until the transaction ends.
//
// Errors: [ErrSenderTaken], [ErrSenderElsewhere], [ErrNoGateway].
func (d *Directory) AddSender(ctx context.Context, s Sender, shared bool, hold func(tx *db.Tx, gateway string) (bool, error)) (*Sender, error) {
	now := d.now()
	s.ID = newSenderID(now)
	wanted, there, fresh := s.Position, false, false
	event := audit.New(ctx, now, s.AccountID, audit.SenderAdded, s.ID, s.details()...)
	err := d.db.Write(ctx, func(tx *db.Tx) (err error) {
		if there, err = hold(tx, s.Gateway); err != nil || !there {
			return err
		}
		same, err := selectSameForm(&tx.Query, s.Address)
		if err != nil {
			return err
		}
		for i := range same {
			if !shared && same[i].Channel != s.Channel && same[i].AccountID != s.AccountID {
				return ErrSenderElsewhere
			}
		}
		if s.Position = wanted; wanted < 0 {
			if s.Position, err = nextPosition(&tx.Query, s.AccountID, s.Channel); err != nil {
				return err
			}
		}
		if fresh, err = insertSender(tx, &s, now); err != nil || !fresh {
			return err
		}
		return recordChange(tx, event)
	})
	d.ForgetAll()
	switch {
	case err != nil:
		return nil, err
	case !there:
		return nil, ErrNoGateway
	case !fresh:
		return nil, ErrSenderTaken
	}
	return &s, nil
}

// CreatePlatformSender creates a sender for every account, unless the address already has one.
func (d *Directory) CreatePlatformSender(ctx context.Context, s Sender) error {
	now := d.now()
	s.ID, s.AccountID = newSenderID(now), ""
	event := audit.New(ctx, now, "", audit.SenderAdded, s.ID, s.details()...)
	err := d.db.Write(ctx, func(tx *db.Tx) error {
		if fresh, err := insertSender(tx, &s, now); err != nil || !fresh {
			return err
		}
		return recordChange(tx, event)
	})
	d.ForgetAll()
	return err
}

// Senders lists an account's own senders in their order or, without an account, the platform's.
func (d *Directory) Senders(ctx context.Context, accountID string) ([]Sender, error) {
	all, err := selectSenders(d.db.Read(ctx), accountID)
	var own []Sender
	for _, s := range all {
		if s.AccountID == accountID {
			own = append(own, s)
		}
	}
	return own, err
}

// SendersLike lists the senders of all channels with an address, however it is spelled, and the names of their accounts.
// The platform has no name.
func (d *Directory) SendersLike(ctx context.Context, address string) ([]NamedSender, error) {
	return selectSameForm(d.db.Read(ctx), address)
}

// EverySender lists the senders of all accounts and of the platform.
func (d *Directory) EverySender(ctx context.Context) ([]Sender, error) {
	return selectEverySender(d.db.Read(ctx))
}

// RemoveSender removes a sender, unless waits reports that messages wait for it. Its messages keep its ID. found is
// false if there is no such sender.
func (d *Directory) RemoveSender(ctx context.Context, senderID string, waits func(*db.Query) (bool, error)) (found, waiting bool, err error) {
	now := d.now()
	err = d.db.Write(ctx, func(tx *db.Tx) (err error) {
		var removed Sender
		if waiting, err = waits(&tx.Query); err != nil || waiting {
			return err
		}
		if removed, found, err = deleteSender(tx, senderID); err != nil || !found {
			return err
		}
		return recordChange(tx, audit.New(ctx, now, removed.AccountID, audit.SenderRemoved, senderID, removed.details()...))
	})
	d.ForgetAll()
	return found && err == nil, waiting, err
}
