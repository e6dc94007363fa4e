package tenant

import (
	"errors"
	"fmt"
	"strings"

	"example.com/griot/internal/apierror"
)

// The errors of operations are those of the catalog, with the text for callers of the API. Pages and verbs recognize
// them with [errors.Is] by kind, field, and text, and have their own words for them.
var (
	ErrTenantName      = apierror.AuthMalformed("name", "1 to 100 characters, all of them visible")                         // of [Store.ChangeAppearance]
	ErrAccent          = apierror.AuthMalformed("accent", "empty or one of "+strings.Join(Accents(), ", "))                 // of [Store.ChangeAppearance]
	ErrName            = apierror.AuthMalformed("name", fmt.Sprintf("at most %d characters, all of them visible", MaxName)) // of a client's name
	ErrTooManyClients  = apierror.AuthTooManyClients.Err()
	ErrPublic          = apierror.AuthClientIsPublic.Err() // of [Store.RotateSecret]
	ErrDomain          = apierror.AuthMalformed("domain", aDomain)
	ErrEmailDomain     = apierror.AuthMalformed("emailDomain", aDomain)
	ErrUsernameForm    = apierror.AuthMalformed("preferredUsername", "sub, name, or empty")
	ErrEmailVerified   = apierror.AuthMalformedParameter.On("emailVerified").Detailf("emailVerified needs emailDomain.")
	ErrStateOptional   = apierror.AuthMalformedParameter.On("stateOptional").Detailf("stateOptional is for CONFIDENTIAL clients. A PUBLIC client uses PKCE.")
	ErrAnyLoopbackPort = apierror.AuthMalformedParameter.On("anyLoopbackPort").Detailf("anyLoopbackPort is for PUBLIC clients.")
)

// Errors of any kind about addresses to which browsers return.
var (
	ErrRedirects    = apierror.AuthMalformedParameter.On("redirectUris")
	ErrAfterSignOut = apierror.AuthMalformedParameter.On("postLogoutRedirectUris")
)

// ErrInvisible is the cause of [ErrRedirects] and [ErrAfterSignOut] for an address that contains an invisible character.
var ErrInvisible = errors.New("tenant: an address contains an invisible character")

// ErrClientMade is returned by [Store.CreateFormClient] if another client has the form's id.
var ErrClientMade = errors.New("tenant: a client has the id already")

// aDomain describes a domain for email addresses.
const aDomain = "a domain such as people.example.com: at least two labels, not a public suffix such as co.uk, and at most 227 characters"
