package login

import (
	"context"

	"griot/auth/tenant"
	"griot/internal/db"
)

// RevokeToken revokes a token that the client was given (RFC 7009). One that is
// revoked already, by whatever, stays so.
func (s *Service) RevokeToken(ctx context.Context, client *tenant.Client, tokenID string, caller tenant.Caller) error {
	e := event(&Session{}, tenant.TokenRevoked, tenant.ActorClient, s.now(), caller)
	return s.db.Write(ctx, func(tx *db.Tx) error {
		session, err := revokeToken(tx, tokenID, client.ClientID)
		if err != nil || session == nil {
			return err
		}
		e.TenantID, e.ClientID, e.LoginID, e.Mode = session.TenantID, session.ClientID, session.ID, session.Mode
		return tenant.Record(tx, e)
	})
}

// TokenLive reports whether a token was issued and has not been revoked: by its
// client, or because its code came again.
func (s *Service) TokenLive(ctx context.Context, tokenID string) (bool, error) {
	return selectTokenLive(s.db.Read(ctx), tokenID)
}
