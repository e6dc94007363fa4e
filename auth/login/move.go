package login

import (
	"context"

	"example.com/griot/auth/tenant"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// Move gives a profile the number that WhatsApp has reported as the person's new one ([Service.NumberChanged]). The
// profile keeps its ID, so that the next login with the new number has the same subject, and a login with the old number
// creates a new profile. As with [Service.Detach], the logins of the old number that are in progress in the profile's
// tenant and mode end, and their tokens are revoked, because the old number's next owner might have proved them.
//
// It refuses with [apierror.AuthPersonNotFound], with [apierror.AuthNumberNotReported] if to isn't the latest reported number,
// and with [apierror.AuthNumberTaken] if the tenant has a profile with that number.
//
// The profile's row is the guard, so of two calls only one moves. The unique index decides between the move and a first
// login with the new number.
func (s *Service) Move(ctx context.Context, tenantID, profileID string, to phone.Number) (*Ended, error) {
	e := tenant.NewEvent(ctx, tenantID, tenant.PersonMoved, s.now())
	c := &cancellation{now: e.At, actor: e.Actor, reason: webhooks.ByMoving, olderOpenID: true}
	placeholder := id.New(e.At)
	var refusal *apierror.Error
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		refusal = nil
		p, err := lockPerson(tx, tenantID, profileID)
		switch {
		case err != nil:
			return err
		case p == nil:
			refusal = apierror.AuthPersonNotFound.Err()
			return nil
		case p.NewPhone == "" || p.NewPhone != to:
			refusal = apierror.AuthNumberNotReported.Err()
			return nil
		}
		free, err := reserveNumber(tx, placeholder, tenantID, to, p)
		if err != nil || !free {
			refusal = apierror.AuthNumberTaken.Err()
			return err
		}
		c.phone, c.tenantID, c.mode = p.Phone, tenantID, p.Mode
		if err := c.end(tx); err != nil {
			return err
		}
		e.Phone, e.Person, e.Mode = to, p.Phone, p.Mode
		if err := tenant.Record(tx, e); err != nil {
			return err
		}
		return replaceNumber(tx, tenantID, placeholder, p)
	})
	if err != nil {
		return nil, err
	}
	if refusal != nil {
		return nil, refusal
	}
	s.ended(c)
	return c.count(), nil
}
