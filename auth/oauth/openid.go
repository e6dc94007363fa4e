package oauth

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The supported scopes of OpenID Connect. All others are ignored.
const (
	OpenIDScope  = "openid"  // makes an authorization request one of OpenID Connect
	ProfileScope = "profile" // the person's name
	PhoneScope   = "phone"   // the person's number
	EmailScope   = "email"   // an address of the person, for clients that have a domain
)

// MaxOpenIDState is the maximum length of state in a request with the scope openid, in characters. Libraries store
// their own data in it.
const MaxOpenIDState = 2048

const maxNonce = 512 // characters

// OpenID holds the parameters of an authorization request beyond OAuth 2.0 (OpenID Connect Core 1.0 §3.1.2.1). It is
// the zero value for a request without the scope openid.
type OpenID struct {
	Scope string // The supported scopes, separated by spaces.
	Nonce string // A value from the client for the ID token. Empty if there is none.
	// FormPost means that the browser returns by a form instead of a redirect (OAuth 2.0 Form Post Response Mode).
	FormPost bool
}

// Has reports whether the request has a supported scope.
func (o OpenID) Has(scope string) bool { return HasScope(o.Scope, scope) }

// HasScope reports whether a list of scopes, separated by spaces, contains one.
func HasScope(list, scope string) bool { return slices.Contains(strings.Split(list, " "), scope) }

// OpenIDError is the reason that a request can't be answered with a login. It is sent to the application's
// redirect address.
type OpenIDError struct {
	Code        string // error of the response (RFC 6749 §4.1.2.1, OpenID Connect Core 1.0 §3.1.2.6)
	Description string // ASCII, without submitted values
	Silent      bool   // The request forbids pages (prompt=none).
}

// The values of prompt that a request can have. Each login asks the person to send a message, so all except none are
// always fulfilled.
var prompts = []string{"none", "login", "consent", "select_account"}

// responseModes are the ways to send a response to the application.
var responseModes = []string{"query", FormPost}

// FormPost is the response mode of a form (OAuth 2.0 Form Post Response Mode).
const FormPost = "form_post"

// ParseOpenID reads the parameters of an authorization request with the scope openid. hasEmail grants the scope email,
// which is ignored for other clients. Parameters without an effect here, such as login_hint, display, and claims, are
// ignored. An empty parameter counts as absent (RFC 6749 §3.1).
func ParseOpenID(q url.Values, hasEmail bool) (OpenID, *OpenIDError) {
	prompt := strings.Fields(q.Get("prompt"))
	silent := slices.Contains(prompt, "none")
	refuse := func(code, description string) (OpenID, *OpenIDError) {
		return OpenID{}, &OpenIDError{Code: code, Description: description, Silent: silent}
	}
	switch age, err := strconv.Atoi(q.Get("max_age")); {
	case q.Get("request") != "":
		return refuse("request_not_supported", "The parameter request is not supported.")
	case q.Get("request_uri") != "":
		return refuse("request_uri_not_supported", "The parameter request_uri is not supported.")
	case q.Get("registration") != "":
		return refuse("registration_not_supported", "The parameter registration is not supported.")
	case q.Get("response_mode") != "" && !slices.Contains(responseModes, q.Get("response_mode")):
		return refuse("invalid_request", "response_mode must be query or form_post.")
	case utf8.RuneCountInString(q.Get("nonce")) > maxNonce:
		return refuse("invalid_request", "nonce must have at most 512 characters.")
	case slices.ContainsFunc(prompt, func(p string) bool { return !slices.Contains(prompts, p) }):
		return refuse("invalid_request", "prompt must be none, login, consent, or select_account.")
	case silent && len(prompt) > 1:
		return refuse("invalid_request", "prompt can't have none beside another value.")
	case q.Get("max_age") != "" && (err != nil || age < 0):
		return refuse("invalid_request", "max_age must be a number of seconds.")
	case silent:
		return refuse("login_required", "Each login is a new message of the person.")
	}
	var scopes []string
	for _, s := range []string{OpenIDScope, ProfileScope, PhoneScope, EmailScope} {
		if HasScope(q.Get("scope"), s) && (s != EmailScope || hasEmail) {
			scopes = append(scopes, s)
		}
	}
	return OpenID{Scope: strings.Join(scopes, " "), Nonce: q.Get("nonce"), FormPost: q.Get("response_mode") == FormPost}, nil
}
