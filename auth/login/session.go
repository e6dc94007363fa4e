package login

import (
	"context"
	"time"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/seal"
)

// Time limits and the limit of wrong exchanges.
const (
	ProveTime     = 90 * time.Second  // from the start: to prove (L28)
	handBackTime  = 120 * time.Second // from the proof: to hand the code back (L67)
	codeTime      = 60 * time.Second  // from the first hand-back: to redeem the code (L61)
	repeatTime    = 10 * time.Minute  // after its end, a person can repeat the words of a login
	maxWrongTries = 5                 // the fifth wrong exchange ends the login (L96)
)

// Session is one login.
type Session struct {
	ID           string // ID26; loginKeyId in the API
	TenantID     string
	TenantName   string // at the start of the login
	ClientID     string // the public identifier
	Mode         tenant.Mode
	RedirectURI  string
	State        string
	OpenID       oauth.OpenID
	Subject      string    // the id of the only person who can prove it; empty: anyone
	Receiver     string    // phone id of the number that receives the words; can be empty
	Words        string    // as shown
	Lang         i18n.Lang // of the page at the start; empty: unknown
	Status       Status    // as stored; see StatusAt
	ExpiresAt    time.Time
	LiveUntil    time.Time
	EndedBy      EndReason // why it is EXPIRED, unless it timed out
	Phone        phone.Number
	ShortCode    string // names the login in its QR code; empty for TEST clients
	cookieHash   string
	wordsKey     string
	codeNonce    string
	codeHash     string
	codeExpires  time.Time
	challenge    string
	tokenRevoked bool
	hasWebhook   bool      // the tenant had an endpoint when the login started
	held         sender    // who sent the words without a number; never changes after it is known
	askedAt      time.Time // just before the held sender was asked for the number; zero: not asked
	requestedAt  time.Time // when the request was, or might have been, accepted; zero: not yet, or refused
}

// StatusAt returns the session's status at a time. An unproved session expires after
// its 90 seconds, a proved one at the end of its hand-back time, and a handed-back one
// with its code. So a code of an expired session can't be redeemed.
func (s *Session) StatusAt(now time.Time) Status {
	switch s.Status {
	case Pending, Activated:
		if !now.Before(s.ExpiresAt) {
			return Expired
		}
	case Verified:
		until := s.codeExpires
		if until.IsZero() {
			until = s.LiveUntil
		}
		if !now.Before(until) {
			return Expired
		}
	case Consumed, Expired:
	}
	return s.Status
}

// waits reports whether the session waits for its words at a time.
func (s *Session) waits(now time.Time) bool {
	status := s.StatusAt(now)
	return status == Pending || status == Activated
}

// Owned returns the session with an id if one of the browser's tokens matches the
// session's cookie; otherwise a refusal.
func (s *Service) Owned(ctx context.Context, sessionID string, tokens []string) (*Session, error) {
	if len(tokens) == 0 {
		return nil, apierror.AuthSessionMissing.Err()
	}
	version := s.waiting.version(sessionID)
	session, err := selectSession(s.db.Read(ctx), sessionID)
	switch {
	case err != nil:
		return nil, err
	case session == nil:
		return nil, apierror.AuthSessionExpired.Err()
	}
	for _, t := range tokens {
		if seal.Equal(seal.Hash(t), session.cookieHash) {
			s.waiting.put(session, s.now(), s.cacheTime(), version)
			return session, nil
		}
	}
	return nil, apierror.AuthSessionMismatch.Err()
}
