package login

import (
	"context"

	"example.com/griot/auth/tenant"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/db"
)

// Ended is what [Service.Detach] and [Service.Move] have ended.
type Ended struct {
	Logins int // ended codes that were not exchanged yet
	Tokens int // revoked tokens, and ended sign-ins by OpenID Connect of the last day
}

// Detach removes a person's number from their profile because the number now belongs to someone else. The next login
// with the number creates a new profile with its own subject. The old profile remains for the data that the application
// stores under it. Detach ends the logins of the number that are in progress in the profile's tenant and mode, and
// revokes their tokens. It returns nil if the tenant has no such person, or if the number was detached before.
//
// The profile's row is the guard. Of two calls, only one detaches, and a login that is proved at the same time waits
// for it and creates a new profile.
func (s *Service) Detach(ctx context.Context, tenantID, profileID string) (*Ended, error) {
	e := tenant.NewEvent(ctx, tenantID, tenant.PersonDetached, s.now())
	c := &cancellation{now: e.At, actor: e.Actor, reason: webhooks.ByDetaching, olderOpenID: true}
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
	return c.count(), nil
}

// count counts what was ended.
func (c *cancellation) count() *Ended {
	out := &Ended{}
	for _, item := range c.canceled {
		if item.Type == tenant.LoginCanceled {
			out.Logins++
		} else {
			out.Tokens++
		}
	}
	return out
}
