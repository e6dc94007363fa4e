package login

import (
	"context"
	"time"

	"example.com/griot/auth/logout"
	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/auth/webhooks"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/id"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/seal"
)

// Exchange is a token request of an authenticated client.
type Exchange struct {
	Client      *tenant.Client
	Code        string
	RedirectURI string
	Verifier    string
	Caller      tenant.Caller
}

// Grant is the result of a redeemed code: the content of the token.
type Grant struct {
	TokenID    string // jti
	SessionID  string
	Profile    Profile
	OpenID     oauth.OpenID
	IssuedAt   time.Time
	VerifiedAt time.Time
	hasWebhook bool // the tenant had an endpoint when the login started
}

// Profile is a person as one tenant knows them, in one mode.
type Profile struct {
	ID          string // ID26; the token's subject
	TenantID    string
	Phone       phone.Number
	DisplayName string // empty if unknown
	Username    string // see [Person]
	Provider    Provider
	Mode        tenant.Mode
	FirstSeenAt time.Time
	Metadata    string // a JSON object
}

// Redeem exchanges a code, once. The code is used when Redeem returns, and the caller signs the token
// afterward. A crash in between loses a code, but never yields two tokens (L99). If the code's client sends a
// used code again with the same address, the token is revoked (L95, RFC 6749 §4.1.2).
func (s *Service) Redeem(ctx context.Context, x Exchange) (*Grant, error) {
	now := s.now()
	r := &redemption{
		Exchange: x, now: now, codeHash: seal.Hash(x.Code), challenge: oauth.S256(x.Verifier),
		tokenID: id.New(now), eventID: id.New(now),
	}
	var grant *Grant
	var refusal *apierror.Error
	err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
		grant, r.notify = nil, false
		if r.redirectRefusal, err = tenant.RedirectRefusal(&tx.Query, r.Client.ClientID, r.RedirectURI); err != nil {
			return err
		}
		if r.redirectRefusal == nil {
			if grant, err = markConsumed(tx, r); err != nil {
				return err
			}
		}
		if refusal = nil; grant != nil {
			return r.writeIssued(tx, grant)
		}
		refusal, err = r.writeDenied(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if r.notify {
		s.notify()
	}
	if refusal != nil {
		return nil, refusal
	}
	s.metrics.Reached(metrics.LoginCompleted)
	s.changed(grant.SessionID)
	return grant, nil
}

// redemption is an exchange with all values that are computed outside of the transaction.
type redemption struct {
	Exchange
	now                 time.Time
	codeHash, challenge string
	tokenID, eventID    string
	notify              bool            // a webhook event or an ended sign-in was written
	redirectRefusal     *apierror.Error // see [tenant.RedirectRefusal]
}

// writeIssued writes the consequences of a redeemed code.
func (r *redemption) writeIssued(tx *db.Tx, g *Grant) error {
	issued := r.event(g.SessionID, tenant.TokenIssued, "")
	issued.Person = g.Profile.Phone
	if err := tenant.Record(tx, issued); err != nil || !g.hasWebhook {
		return err
	}
	r.notify = true
	return webhooks.Insert(tx, webhooks.LoginCompleted, issued, webhooks.Detail{Subject: g.Profile.ID, Phone: g.Profile.Phone, TokenID: g.TokenID})
}

// writeDenied returns the reason that a code can't be redeemed, and writes the consequences.
func (r *redemption) writeDenied(tx *db.Tx) (*apierror.Error, error) {
	session, err := selectByCode(tx, r.codeHash)
	if err != nil || session == nil {
		return apierror.AuthCodeUnknown.Err(), err
	}
	switch status := session.Status; {
	case status == Consumed:
		return r.writeReused(tx, session)
	case status == Expired || session.codeExpires.IsZero() || !r.now.Before(session.codeExpires):
		return apierror.AuthCodeExpired.Err(), nil
	}
	refusal := r.mismatch(session)
	if refusal == nil { // the client was changed in between; the code stays usable in case it is changed back
		refusal = r.clientRefusal()
	} else if err := countWrongTry(tx, session.ID, r.now); err != nil {
		return nil, err
	}
	return refusal, tenant.Record(tx, r.deniedEvent(session, tenant.TokenDenied, refusal))
}

// clientRefusal returns the refusal of an exchange whose code fits, but whose client was changed.
func (r *redemption) clientRefusal() *apierror.Error {
	if r.redirectRefusal != nil && r.redirectRefusal.Kind == apierror.AuthClientInactiveToken {
		return r.redirectRefusal
	}
	return apierror.AuthCodeRedirect.Err().Detailf("redirect_uri is no longer registered.")
}

// writeReused handles a used code. Only if the code's own client sends it with the
// right address, it counts as stolen. No one else can revoke a token with a used code.
func (r *redemption) writeReused(tx *db.Tx, session *Session) (*apierror.Error, error) {
	refusal := apierror.AuthCodeUsed.Err()
	if session.ClientID != r.Client.ClientID || session.RedirectURI != r.RedirectURI {
		return refusal, tenant.Record(tx, r.deniedEvent(session, tenant.TokenDenied, refusal))
	}
	refusal = refusal.Detailf("The code has been used. Its token is revoked.")
	return refusal, r.writeReplayed(tx, session, refusal)
}

// writeReplayed revokes the token of a code that was sent again, and writes a webhook event the first time.
func (r *redemption) writeReplayed(tx *db.Tx, session *Session, refusal *apierror.Error) error {
	tokenID, err := markRevoked(tx, session.ID)
	if err != nil {
		return err
	}
	if r.notify, err = logout.Ended(tx, session.ID, r.now); err != nil {
		return err
	}
	e := r.deniedEvent(session, tenant.CodeReplayed, refusal)
	if err := tenant.Record(tx, e); err != nil || tokenID == "" || !session.hasWebhook {
		return err
	}
	r.notify = true
	return webhooks.Insert(tx, webhooks.LoginRevoked, e, webhooks.Detail{TokenID: tokenID, Reason: webhooks.ByReplay})
}

// mismatch returns a refusal if the exchange doesn't match a live code; nil if everything matches.
func (r *redemption) mismatch(session *Session) *apierror.Error {
	switch {
	case session.ClientID != r.Client.ClientID:
		return apierror.AuthCodeClientMismatch.Err()
	case session.RedirectURI != r.RedirectURI:
		return apierror.AuthCodeRedirect.Err()
	case session.challenge == r.challenge:
		return nil
	case session.challenge == "":
		return apierror.AuthPKCEUnexpected.Err()
	case r.Verifier == "":
		return apierror.AuthPKCEMismatch.Err().Detailf("code_verifier is missing.")
	default:
		return apierror.AuthPKCEMismatch.Err()
	}
}

func (r *redemption) deniedEvent(session *Session, typ string, refusal *apierror.Error) *tenant.Event {
	e := r.event(session.ID, typ, refusal.Kind.Code)
	e.TenantID, e.ClientID, e.Mode = session.TenantID, session.ClientID, session.Mode // those of the code, regardless of the client that sent it
	e.Person = session.Phone
	return e
}

func (r *redemption) event(sessionID, typ, errorCode string) *tenant.Event {
	return &tenant.Event{
		ID: r.eventID, Type: typ, At: r.now, Actor: tenant.ActorClient, Caller: r.Caller, ErrorCode: errorCode,
		TenantID: r.Client.TenantID, ClientID: r.Client.ClientID, LoginID: sessionID, Mode: r.Client.Mode,
	}
}
