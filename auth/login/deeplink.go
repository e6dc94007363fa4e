package login

import (
	"net/url"
	"strings"

	"griot/auth/tenant"
	"griot/internal/i18n"
)

// Deeplink returns the address that opens WhatsApp with the message to send;
// empty for TEST clients, and when the session's receiver isn't connected.
func (s *Service) Deeplink(session *Session, lang i18n.Lang) string {
	number := s.number(session.Receiver)
	if session.Mode == tenant.Test || number == "" {
		return ""
	}
	// wa.me takes %20 where forms take a plus.
	return "https://wa.me/" + number + "?text=" + strings.ReplaceAll(url.QueryEscape(message(session, lang)), "+", "%20")
}

// message is what the deeplink makes a person send. It names the application and
// warns, because the text is all that a person sees to whom the words were relayed
// (RFC 10027). The words come first. The session's id is for gateways that call /internal/verify.
func message(session *Session, lang i18n.Lang) string {
	return lang.T("login.message", session.Words, session.TenantName, application(session.RedirectURI), session.ID)
}

// application names an application by the host of its address, or its scheme.
func application(redirectURI string) string {
	u, err := url.Parse(redirectURI)
	if err != nil {
		return ""
	}
	if u.Host != "" {
		return u.Host
	}
	return u.Scheme
}
