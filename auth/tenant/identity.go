package tenant

import (
	"regexp"
	"strings"

	"example.com/griot/auth/oauth"
)

// Identity holds the claims by which programs know people that ask for an email address or a user name. Without a client's
// settings for them, it is the zero value.
type Identity struct {
	Email             string `json:"email,omitempty"`
	EmailVerified     *bool  `json:"email_verified,omitempty"`
	PreferredUsername string `json:"preferred_username,omitempty"`
}

// Identity returns the claims for a person with a subject. scope has the scopes of the login. domain is the state of
// EmailDomain now: with a domain of another tenant there is no address, and only a domain that the tenant has proven is
// verified. username is the person's user name by their name, if it is needed ([Connect.NeedsUsername]).
//
// The address is made from the subject and never from the number, because numbers get new owners and programs join
// accounts by their address.
func (c *Connect) Identity(scope, subject, username string, domain DomainState) Identity {
	var out Identity
	local := strings.ToLower(subject)
	if !oauth.HasScope(scope, oauth.OpenIDScope) || len(local) > maxLocal || !localPart.MatchString(local) {
		return out
	}
	if oauth.HasScope(scope, oauth.EmailScope) && c.EmailDomain != "" && domain != DomainTaken {
		out.Email = local + "@" + c.EmailDomain
		if c.EmailVerified != nil {
			verified := *c.EmailVerified && domain == DomainProven
			out.EmailVerified = &verified
		}
	}
	switch {
	case !oauth.HasScope(scope, oauth.ProfileScope):
	case c.PreferredUsername == UsernameSub:
		out.PreferredUsername = local
	case c.PreferredUsername == UsernameName:
		out.PreferredUsername = username
	}
	return out
}

// NeedsUsername reports whether the claims of a login with these scopes have the person's user name by their name.
func (c *Connect) NeedsUsername(scope string) bool {
	return c.PreferredUsername == UsernameName && oauth.HasScope(scope, oauth.OpenIDScope) && oauth.HasScope(scope, oauth.ProfileScope)
}

const maxLocal = 64 // octets (RFC 5321 §4.5.3.1.1)

// localPart matches the local part of an address that needs no quotes (dot-atom, RFC 5322 §3.2.3), in the characters of
// subjects.
var localPart = regexp.MustCompile(`\A[a-z0-9]+([._-][a-z0-9]+)*\z`)
