package login

import (
	"context"

	"example.com/griot/auth/events"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
)

// Detached is what [Service.Detach] has ended.
type Detached struct {
	Logins int // codes that were not exchanged yet
	Tokens int // and sign-ins by OpenID Connect of the last day
}

// Detach takes a person's number away from their profile, because somebody else has the number now: the next login by it makes a
// new profile, with a subject of its own. The profile stays for what the application knows of it. Logins of the number in the
// profile's tenant and mode that are under way end, and their tokens are revoked. It returns nil when the tenant has no such
// person, or the number was detached before.
//
// The profile's row is the guard: of two calls one detaches, and a login that is proved meanwhile waits for it and makes a new profile.
func (s *Service) Detach(ctx context.Context, tenantID, profileID string) (*Detached, error) {
	e := tenant.NewEvent(ctx, tenantID, tenant.PersonDetached, s.now())
	c := &cancellation{now: e.At, actor: e.Actor, reason: events.ByDetaching, olderOpenID: true}
	detached := false
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		p, found, err := markDetached(tx, tenantID, profileID, e.At)
		detached = found
		if err != nil || !found {
			return err
		}
		c.phone, c.tenantID, c.mode = p.Phone, tenantID, p.Mode
		if err := c.end(tx); err != nil {
			return err
		}
		e.Phone, e.Mode = p.Phone, p.Mode
		if err := tenant.Record(tx, e); err != nil {
			return err
		}
		return clearNumber(tx, tenantID, profileID, p)
	})
	if err != nil || !detached {
		return nil, err
	}
	s.ended(c)
	out := &Detached{}
	for _, item := range c.canceled {
		if item.Type == tenant.LoginCanceled {
			out.Logins++
		} else {
			out.Tokens++
		}
	}
	return out, nil
}
