package login

import (
	"context"

	"example.com/griot/auth/tenant"
	"example.com/griot/gateway/identity"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/phone"
)

// ListIDs lists the next n pairs of WhatsApp IDs and numbers; see [identity.Store.List].
func (s *Service) ListIDs(ctx context.Context, f *identity.Filter, n int) ([]identity.Pair, error) {
	return s.identity.List(ctx, f, n)
}

// WithdrawID ends the pair of a WhatsApp ID and a number at the request of the operator, with an audit event. It returns
// false if the pair isn't in use.
func (s *Service) WithdrawID(ctx context.Context, p *identity.Pair) (done bool, err error) {
	now := s.now()
	number, _ := phone.Parse(p.Number)
	withdrawn := &tenant.Event{ID: id.New(now), Type: tenant.IDWithdrawn, At: now, Actor: tenant.ActorSystem, Phone: number}
	return s.identity.Withdraw(ctx, p.Portfolio, p.ID, p.Number, func(tx *db.Tx) error { return tenant.Record(tx, withdrawn) })
}
