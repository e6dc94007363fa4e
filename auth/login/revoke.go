package login

import (
	"context"

	"example.com/griot/auth/logout"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/db"
)

// RevokeToken revokes a token of the client (RFC 7009). It does nothing if the token is already revoked.
func (s *Service) RevokeToken(ctx context.Context, client *tenant.Client, tokenID string, caller tenant.Caller) error {
	return s.revokeToken(ctx, client, tokenID, &revocation{actor: tenant.ActorClient, caller: caller, reason: webhooks.ByClient, logoutToken: true})
}

// SignOut ends the sign-in that an ID token of the client stands for: it revokes the login's access token (OpenID
// Connect RP-Initiated Logout 1.0). It does nothing if the login is no longer stored, or its token is already revoked.
// The client gets no logout token, because it requested the sign-out.
func (s *Service) SignOut(ctx context.Context, client *tenant.Client, subject, sid string, caller tenant.Caller) error {
	tokenID, err := s.selectTokenOf(ctx, client.ClientID, subject, sid)
	if err != nil || tokenID == "" {
		return err
	}
	return s.revokeToken(ctx, client, tokenID, &revocation{actor: tenant.ActorUser, caller: caller, reason: webhooks.BySignOut})
}

// revocation is the revocation of a token, with its caller and reason.
type revocation struct {
	actor       string
	caller      tenant.Caller
	reason      string // for webhooks
	logoutToken bool   // the client gets one
}

func (s *Service) revokeToken(ctx context.Context, client *tenant.Client, tokenID string, r *revocation) error {
	e := event(&Session{}, tenant.TokenRevoked, r.actor, s.now(), r.caller)
	notify := false
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		notify = false
		session, err := revokeToken(tx, tokenID, client.ClientID)
		if err != nil || session == nil {
			return err
		}
		if r.logoutToken {
			if notify, err = logout.Ended(tx, session.ID, e.At); err != nil {
				return err
			}
		}
		e.TenantID, e.ClientID, e.LoginID, e.Mode = session.TenantID, session.ClientID, session.ID, session.Mode
		e.Person = session.Phone
		if err := tenant.Record(tx, e); err != nil || !session.hasWebhook {
			return err
		}
		notify = true
		return webhooks.Insert(tx, webhooks.LoginRevoked, e, webhooks.Detail{TokenID: tokenID, Reason: r.reason})
	})
	if err == nil && notify {
		s.notify()
	}
	return err
}

// TokenPerson returns the current data of the person that a token was issued for. It returns nil if the token was
// revoked, its client is disabled, or the person was detached or erased. It reads the database, so changes of other
// nodes are visible immediately.
func (s *Service) TokenPerson(ctx context.Context, tokenID string) (*Person, error) {
	return selectTokenPerson(s.db.Read(ctx), tokenID)
}

// TokenLive reports whether a token was issued and has not been revoked.
func (s *Service) TokenLive(ctx context.Context, tokenID string) (bool, error) {
	return selectTokenLive(s.db.Read(ctx), tokenID)
}
