package login

import (
	"context"
	"time"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/db"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/id"
	"example.com/griot/internal/metrics"
	"example.com/griot/internal/seal"
)

// Request is the content of a request to /authorize, already checked against the client.
type Request struct {
	Client      *tenant.Client
	RedirectURI string
	State       string
	Challenge   string // S256; empty for none
	OpenID      oauth.OpenID
	Subject     string // the id of the only person who can prove it; empty: anyone
	Lang        i18n.Lang
	Caller      tenant.Caller
}

// maxDraws is the number of attempts to draw words before a receiver counts as full.
const maxDraws = 4

// Start creates a session with words that no other live session of its receiver has. It
// returns the session's id and the token for the browser's cookie. It refuses a LIVE login
// if there are no receivers.
func (s *Service) Start(ctx context.Context, r Request) (sessionID, token string, err error) {
	if r.Client.Mode == tenant.Live && !s.Configured() {
		return "", "", NoLoginNumber()
	}
	now := s.now()
	session := &Session{
		ID: id.New(now), TenantID: r.Client.TenantID, TenantName: r.Client.TenantName, ClientID: r.Client.ClientID, Mode: r.Client.Mode,
		RedirectURI: r.RedirectURI, State: r.State, challenge: r.Challenge, OpenID: r.OpenID, Subject: r.Subject, Receiver: s.nextReceiver().PhoneID, hasWebhook: r.Client.HasWebhook, Lang: r.Lang,
		Status: Pending, ExpiresAt: now.Add(ProveTime), LiveUntil: now.Add(ProveTime),
	}
	if session.Mode == tenant.Live {
		session.ShortCode = id.Base62(shortCodeLength)
	}
	token = id.Token(32)
	session.cookieHash = seal.Hash(token)
	for range maxDraws {
		session.Words = s.words().draw(r.Lang)
		session.wordsKey = normalize(session.Words)
		free, err := s.insert(ctx, session, now, r.Caller)
		if err != nil {
			return "", "", err
		}
		if free {
			s.metrics.Reached(metrics.LoginStarted)
			return session.ID, token, nil
		}
	}
	return "", "", apierror.AuthTooManyLogins.After(ProveTime)
}

// insert stores a new session, unless its words are taken. One transaction reserves
// only one group of words, so that no two transactions wait for each other's.
func (s *Service) insert(ctx context.Context, session *Session, now time.Time, caller tenant.Caller) (free bool, err error) {
	version := s.waiting.version(session.ID)
	started := event(session, tenant.LoginStarted, tenant.ActorUser, now, caller)
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		if free, err = reserveWords(tx, session, now, session.ExpiresAt.Add(handBackTime+repeatTime)); err != nil || !free {
			return err
		}
		return insertSession(tx, session, now)
	})
	if err == nil && free {
		if s.tenants != nil {
			s.tenants.Count(started)
		}
		s.waiting.put(session, now, s.cacheTime(), version)
	}
	return free, err
}

// Activate records that the person opened the deeplink, and returns the deeplink; empty
// if there is none. Repeating it changes nothing.
func (s *Service) Activate(ctx context.Context, session *Session, lang i18n.Lang, caller tenant.Caller) (deeplink string, err error) {
	now := s.now()
	defer s.changed(session.ID)
	activated := event(session, tenant.LoginActivated, tenant.ActorUser, now, caller)
	var after *Session
	first := false
	err = s.db.Write(ctx, func(tx *db.Tx) (err error) {
		after = nil
		if first, err = markActivated(tx, session.ID, now); err != nil {
			return err
		}
		if first {
			return tenant.Record(tx, activated)
		}
		after, err = selectSession(&tx.Query, session.ID)
		return err
	})
	if err != nil {
		return "", err
	}
	if first {
		s.metrics.Reached(metrics.LoginActivated)
	}
	if after != nil {
		switch after.StatusAt(now) {
		case Pending, Activated: // by this browser, a moment ago
		case Verified, Consumed:
			return "", apierror.AuthLoginNotPending.Err()
		case Expired:
			return "", apierror.AuthLoginExpired.Err()
		}
	}
	return s.Deeplink(session, lang), nil
}
