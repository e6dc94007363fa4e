package login

import (
	"context"
	"time"

	"griot/auth/events"
	"griot/auth/oauth"
	"griot/auth/tenant"
	"griot/internal/db"
	"griot/internal/fault"
	"griot/internal/id"
	"griot/internal/phone"
	"griot/internal/seal"
)

// Exchange is a code and what must come with it. The client has authenticated.
type Exchange struct {
	Client      *tenant.Client
	Code        string
	RedirectURI string
	Verifier    string
	Caller      tenant.Caller
}

// Grant is a redeemed code: what the token says.
type Grant struct {
	TokenID    string // jti
	SessionID  string
	Profile    Profile
	IssuedAt   time.Time
	VerifiedAt time.Time
	told       bool // the tenant is told of the login
}

// Profile is a person as one tenant knows them, in one mode.
type Profile struct {
	ID          string // ID26; the token's subject
	TenantID    string
	Phone       phone.Number
	DisplayName string // empty when it isn't known
	Provider    Provider
	Mode        tenant.Mode
	FirstSeenAt time.Time
	Metadata    string // a JSON object
}

// Redeem takes a code, once. The code is used when Redeem returns, and the caller
// signs the token afterwards: a crash in between loses a code and never gives two tokens.
// A code that its client sends again with the same address revokes the token that it gave (RFC 6749 §4.1.2).
func (s *Service) Redeem(ctx context.Context, x Exchange) (*Grant, error) {
	now := s.now()
	r := &redemption{
		Exchange: x, now: now, codeHash: seal.Hash(x.Code), challenge: oauth.S256(x.Verifier),
		tokenID: id.New(now), eventID: id.New(now),
	}
	var grant *Grant
	var refusal *fault.Error
	err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
		grant, r.told = nil, false
		if r.withdrawn, err = tenant.MaySendBack(&tx.Query, r.Client.ClientID, r.RedirectURI); err != nil {
			return err
		}
		if r.withdrawn == nil {
			if grant, err = markConsumed(tx, r); err != nil {
				return err
			}
		}
		if refusal = nil; grant != nil {
			return r.issued(tx, grant)
		}
		refusal, err = r.judge(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if r.told {
		s.told()
	}
	if refusal != nil {
		return nil, refusal
	}
	s.moved(grant.SessionID)
	return grant, nil
}

// redemption is an exchange with everything that is made outside of the transaction.
type redemption struct {
	Exchange
	now                 time.Time
	codeHash, challenge string
	tokenID, eventID    string
	told                bool         // the tenant is
	withdrawn           *fault.Error // the client is switched off by now, or has lost the address; nil when it has not
}

// issued writes what follows from a code that was redeemed.
func (r *redemption) issued(tx *db.Tx, g *Grant) error {
	issued := r.event(g.SessionID, tenant.TokenIssued, "")
	if err := tenant.Record(tx, issued); err != nil || !g.told {
		return err
	}
	r.told = true
	return events.Insert(tx, events.LoginCompleted, issued, events.Detail{Subject: g.Profile.ID, Phone: g.Profile.Phone, TokenID: g.TokenID})
}

// judge says why a code can't be redeemed, and writes what follows from that.
func (r *redemption) judge(tx *db.Tx) (*fault.Error, error) {
	session, err := selectByCode(tx, r.codeHash)
	if err != nil || session == nil {
		return fault.AuthCodeUnknown.Err(), err
	}
	switch status := session.Status; {
	case status == Consumed:
		return r.used(tx, session)
	case status == Expired || session.codeExpires.IsZero() || !r.now.Before(session.codeExpires):
		return fault.AuthCodeExpired.Err(), nil
	}
	refusal := r.wrong(session)
	if refusal == nil { // all fits, but the client may not have it any more; should that change, it still can
		refusal = r.gone()
	} else if err := countWrongTry(tx, session.ID, r.now); err != nil {
		return nil, err
	}
	return refusal, tenant.Record(tx, r.denied(session, tenant.TokenDenied, refusal))
}

// gone says what is wrong with a client that all else fits of.
func (r *redemption) gone() *fault.Error {
	if r.withdrawn != nil && r.withdrawn.Kind == fault.AuthClientInactiveToken {
		return r.withdrawn
	}
	return fault.AuthCodeRedirect.Err().Detailf("redirect_uri is not registered any more.")
}

// used answers a code that comes again. Only its own client, with the right
// address, says by that that the code was stolen: anybody else must not be able to
// revoke a token with a code that is worth nothing any more.
func (r *redemption) used(tx *db.Tx, session *Session) (*fault.Error, error) {
	refusal := fault.AuthCodeUsed.Err()
	if session.ClientID != r.Client.ClientID || session.RedirectURI != r.RedirectURI {
		return refusal, tenant.Record(tx, r.denied(session, tenant.TokenDenied, refusal))
	}
	refusal = refusal.Detailf("The code has been used. The token that it gave is revoked.")
	return refusal, r.replayed(tx, session, refusal)
}

// replayed revokes the token of a code that came again, and tells the tenant the first time.
func (r *redemption) replayed(tx *db.Tx, session *Session, refusal *fault.Error) error {
	tokenID, err := markRevoked(tx, session.ID)
	if err != nil {
		return err
	}
	e := r.denied(session, tenant.CodeReplayed, refusal)
	if err := tenant.Record(tx, e); err != nil || tokenID == "" || !session.told {
		return err
	}
	r.told = true
	return events.Insert(tx, events.LoginRevoked, e, events.Detail{TokenID: tokenID, Reason: events.ByReplay})
}

// wrong names what does not fit a live code; nil when all does.
func (r *redemption) wrong(session *Session) *fault.Error {
	switch {
	case session.ClientID != r.Client.ClientID:
		return fault.AuthCodeClientMismatch.Err()
	case session.RedirectURI != r.RedirectURI:
		return fault.AuthCodeRedirect.Err()
	case session.challenge == r.challenge:
		return nil
	case session.challenge == "":
		return fault.AuthPKCEUnexpected.Err()
	case r.Verifier == "":
		return fault.AuthPKCEMismatch.Err().Detailf("code_verifier is missing.")
	default:
		return fault.AuthPKCEMismatch.Err()
	}
}

func (r *redemption) denied(session *Session, typ string, refusal *fault.Error) *tenant.Event {
	e := r.event(session.ID, typ, refusal.Kind.Code)
	e.TenantID, e.ClientID, e.Mode = session.TenantID, session.ClientID, session.Mode // the code's, whoever brought it
	return e
}

func (r *redemption) event(sessionID, typ, errorCode string) *tenant.Event {
	return &tenant.Event{
		ID: r.eventID, Type: typ, At: r.now, Actor: tenant.ActorClient, Caller: r.Caller, ErrorCode: errorCode,
		TenantID: r.Client.TenantID, ClientID: r.Client.ClientID, LoginID: sessionID, Mode: r.Client.Mode,
	}
}
