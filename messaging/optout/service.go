package optout

import (
	"cmp"
	"context"
	"strings"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

// A Service lets callers list and change their account's opt-outs. Its methods are safe for concurrent use.
type Service struct {
	DB        *db.DB
	Directory *account.Directory
	People    *person.Key
	Now       clock.Now
}

// List returns opt-outs of the caller's account, sorted by channel and address, and the cursor of the next page, or "" after
// the last. A page can be short or empty although more pages follow.
//
// Errors: [apierror.InvalidCursor], [apierror.InvalidChannel], and [apierror.InvalidRequest] for q.
func (s *Service) List(ctx context.Context, c *account.Caller, f *Filter) (page []*OptOut, next string, err error) {
	if err := account.MayManageOptOuts.Check(c, s.Now()); err != nil {
		return nil, "", err
	}
	f.accountID = c.Account.ID
	_, _, ok := ParseID(f.After)
	switch {
	case f.After != "" && !ok:
		return nil, "", apierror.InvalidCursor.On("cursor")
	case f.Channel != "" && !f.Channel.Valid():
		return nil, "", apierror.InvalidChannel.On("channel")
	case !searchable(f.Search):
		return nil, "", apierror.InvalidRequest.On("q").Detailf("q must be UTF-8 with at most %d characters.", maxSearch)
	case f.Address != "":
		f.pseudonym = s.People.Pseudonym(f.accountID, f.Address)
	case f.Search != "":
		f.pseudonym = s.People.Pseudonym(f.accountID, person.Whole(cmp.Or(f.Whole, f.Search)))
	}
	return list(s.DB.Read(ctx), f)
}

// Find returns an opt-out of the caller's account.
//
// Errors: [apierror.OptOutNotFound].
func (s *Service) Find(ctx context.Context, c *account.Caller, id string) (*OptOut, error) {
	if err := account.MayManageOptOuts.Check(c, s.Now()); err != nil {
		return nil, err
	}
	channel, address, ok := ParseID(id)
	if !ok {
		return nil, apierror.OptOutNotFound.Err()
	}
	o := &OptOut{Channel: channel, Address: address}
	found, err := Find(s.DB.Read(ctx), c.Account.ID, o)
	if err == nil && !found {
		err = apierror.OptOutNotFound.Err()
	}
	return o, err
}

// Add blocks messages to an address on a channel. An existing opt-out is unchanged and is returned.
//
// Errors: [apierror.InvalidChannel], [apierror.InvalidPhone], [apierror.InvalidEmail], and [apierror.NumberRequired].
func (s *Service) Add(ctx context.Context, c *account.Caller, channel gateway.Channel, given string) (o *OptOut, fresh bool, err error) {
	if err := account.MayManageOptOuts.Check(c, s.Now()); err != nil {
		return nil, false, err
	}
	if !channel.Valid() {
		return nil, false, apierror.InvalidChannel.On("channel")
	}
	address, err := parseAddress(channel, given)
	if err != nil {
		return nil, false, err
	}
	o = &OptOut{Channel: channel, Address: address, Reason: Added, At: s.Now()}
	event := audit.New(ctx, o.At, c.Account.ID, audit.OptOutAdded, address, "channel", string(channel))
	err = s.change(ctx, c, event, func(tx *db.Tx) (bool, error) {
		if fresh, err = Add(tx, c.Account.ID, channel, address, Added, o.At); err == nil && !fresh {
			_, err = Find(&tx.Query, c.Account.ID, o)
		}
		return fresh, err
	})
	return o, fresh, err
}

// Remove allows messages to an address again.
//
// Errors: [apierror.OptOutNotFound].
func (s *Service) Remove(ctx context.Context, c *account.Caller, id string) error {
	if err := account.MayManageOptOuts.Check(c, s.Now()); err != nil {
		return err
	}
	channel, address, ok := ParseID(id)
	if !ok {
		return apierror.OptOutNotFound.Err()
	}
	found := false
	shown, scope := Scope(channel)
	event := audit.New(ctx, s.Now(), c.Account.ID, audit.OptOutRemoved, address, "channel", string(shown), "scope", scope)
	err := s.change(ctx, c, event, func(tx *db.Tx) (_ bool, err error) {
		found, err = Remove(tx, c.Account.ID, channel, address)
		return found, err
	})
	if err == nil && !found {
		err = apierror.OptOutNotFound.Err()
	}
	return err
}

// change writes a change of an account's opt-outs. If write has changed any, change also records the event and drops the
// account from the caches.
func (s *Service) change(ctx context.Context, c *account.Caller, event *audit.Event, write func(*db.Tx) (changed bool, err error)) error {
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		if changed, err := write(tx); err != nil || !changed {
			return err
		}
		if err := audit.Record(tx, event); err != nil {
			return err
		}
		return account.NoteChange(tx)
	})
	if err == nil {
		s.Directory.Forget(c.Account.ID)
	}
	return err
}

// parseAddress returns an address in the form that gateways use.
func parseAddress(channel gateway.Channel, address string) (string, error) {
	address = strings.TrimSpace(address)
	if channel == gateway.Email {
		return address, message.CheckEmail("address", address)
	}
	switch kind := person.KindOf(address); {
	case kind == person.ID && channel != gateway.WhatsApp:
		return "", apierror.NumberRequired.On("address").Detailf("address must be an E.164 phone number. Only WhatsApp has WhatsApp IDs.")
	case kind != person.Number && kind != person.ID:
		return "", apierror.InvalidPhone.On("address").Detailf("address must be an E.164 phone number.")
	}
	return person.Digits(address), nil
}
