package login

import (
	"context"
	"net/url"
	"strings"

	"example.com/griot/auth/oauth"
	"example.com/griot/auth/tenant"
	"example.com/griot/internal/i18n"
)

// Deeplink returns the address that opens WhatsApp with the message to send. It returns
// "" for TEST clients, and if the session's receiver is not configured.
func (s *Service) Deeplink(session *Session, lang i18n.Lang) string {
	number := s.receiverNumber(session.Receiver)
	if session.Mode == tenant.Test || number == "" {
		return ""
	}
	// wa.me uses %20 where forms use a plus.
	return "https://wa.me/" + number + "?text=" + strings.ReplaceAll(url.QueryEscape(message(session, lang)), "+", "%20")
}

// shortCodeLength is the length of a [Session.ShortCode]: 71 bits, which can't be guessed in 90 seconds.
const shortCodeLength = 12

// ShortPath returns the path of the short address that redirects to a login's deeplink;
// empty if there is no deeplink. The QR code contains this address, because a QR code of
// the deeplink itself would be too dense for a cheap phone.
func (s *Service) ShortPath(session *Session) string {
	if session.ShortCode == "" || s.receiverNumber(session.Receiver) == "" {
		return ""
	}
	return ShortPrefix + session.ShortCode
}

// ShortPrefix is the prefix of every [Service.ShortPath].
const ShortPrefix = "/q/"

// DeeplinkByShortCode returns the deeplink of the login with the code, while its words are awaited; empty otherwise.
func (s *Service) DeeplinkByShortCode(ctx context.Context, code string, lang i18n.Lang) (string, error) {
	if len(code) != shortCodeLength {
		return "", nil
	}
	session, err := selectByShortCode(s.db.Read(ctx), code, s.now())
	if err != nil || session == nil {
		return "", err
	}
	return s.Deeplink(session, lang), nil
}

// ReceiverNumber returns the number that receives a session's words, in digits; empty
// for TEST clients, and if the receiver is not configured.
func (s *Service) ReceiverNumber(session *Session) string {
	if session.Mode == tenant.Test {
		return ""
	}
	return s.receiverNumber(session.Receiver)
}

// RestartQuery returns the parameters with which /authorize starts the same login again.
func (s *Session) RestartQuery() url.Values {
	q := url.Values{"client_id": {s.ClientID}, "redirect_uri": {s.RedirectURI}, "response_type": {"code"}}
	if s.State != "" {
		q.Set("state", s.State)
	}
	if s.challenge != "" {
		q.Set("code_challenge", s.challenge)
		q.Set("code_challenge_method", oauth.MethodS256)
	}
	if s.OpenID.Scope != "" {
		q.Set("scope", s.OpenID.Scope)
	}
	if s.OpenID.FormPost {
		q.Set("response_mode", oauth.FormPost)
	}
	if s.OpenID.Nonce != "" {
		q.Set("nonce", s.OpenID.Nonce)
	}
	return q
}

// message returns the text that the deeplink prepares. It names the application and
// contains a warning, because a person who got the words from an attacker sees nothing
// else. The words come first. The session's id is for gateways that call
// /internal/verify.
func message(session *Session, lang i18n.Lang) string {
	return lang.T("login.message", session.Words, session.TenantName, oauth.Host(session.RedirectURI), session.ID)
}
