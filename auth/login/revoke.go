package login

import (
	"context"

	"griot/auth/events"
	"griot/auth/tenant"
	"griot/internal/db"
)

// RevokeToken revokes a token that the client was given (RFC 7009). One that is
// revoked already, by whatever, stays so.
func (s *Service) RevokeToken(ctx context.Context, client *tenant.Client, tokenID string, caller tenant.Caller) error {
	e := event(&Session{}, tenant.TokenRevoked, tenant.ActorClient, s.now(), caller)
	told := false
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		told = false
		session, err := revokeToken(tx, tokenID, client.ClientID)
		if err != nil || session == nil {
			return err
		}
		e.TenantID, e.ClientID, e.LoginID, e.Mode = session.TenantID, session.ClientID, session.ID, session.Mode
		if err := tenant.Record(tx, e); err != nil || !session.told {
			return err
		}
		told = true
		return events.Insert(tx, events.LoginRevoked, e, events.Detail{TokenID: tokenID, Reason: events.ByClient})
	})
	if err == nil && told {
		s.told()
	}
	return err
}

// TokenLive reports whether a token was issued and has not been revoked: by its
// client, or because its code came again.
func (s *Service) TokenLive(ctx context.Context, tokenID string) (bool, error) {
	return selectTokenLive(s.db.Read(ctx), tokenID)
}
