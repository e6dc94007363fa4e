package verbs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/verb"
)

// refusals are the operator's words for errors of operations, in place of those for callers of the API. The first that
// matches is used.
var refusals = []struct {
	of   error
	text string // with %s for the catalog's text
}{
	{tenant.ErrInvisible, "A redirect address contains an invisible character. Type the address instead of pasting it."},
	{tenant.ErrRedirects, aClient},
	{apierror.AuthMalformedParameter.On("type"), aClient},
	{apierror.AuthMalformedParameter.On("mode"), aClient},
	{tenant.ErrAfterSignOut, fmt.Sprintf("A client can have at most %d addresses for after sign-out. Each must be a valid redirect address.", tenant.MaxRedirects)},
	{tenant.ErrTooManyClients, fmt.Sprintf("A tenant can have at most %d clients.", tenant.MaxClients)},
	{tenant.ErrPublic, "A PUBLIC client has no secret."},
	{tenant.ErrTenantName, fmt.Sprintf("The tenant's name must have 1 to %d visible characters.", tenant.MaxTenantName)},
	{tenant.ErrName, fmt.Sprintf("The client's name can have at most %d visible characters.", tenant.MaxName)},
	{tenant.ErrStateOptional, "Only a CONFIDENTIAL client can have state optional."},
	{tenant.ErrAnyLoopbackPort, "Only a PUBLIC client can have any loopback port."},
	{tenant.ErrDomain, aDomain},
	{tenant.ErrEmailDomain, aDomain},
	{tenant.ErrEmailVerified, "email_verified needs an email domain."},
	{tenant.ErrUsernameForm, "The preferred user name is sub or name, or empty for no claim."},
	{apierror.AuthDomainTaken.On("emailDomain"), "Another tenant has proven this email domain."},
	{apierror.AuthDomainTaken.Err(), "%s Its TXT record is still there. Remove it, and try again."},
	{apierror.AuthDomainRecordMissing.Err(), "%s Publish the record that tenants domains list shows, wait until DNS serves it, and try again."},
	{apierror.AuthDomainLookup.Err(), "%s Try again in a few minutes."},
	{apierror.AuthRateLimited.Err(), "%s Try again in a minute."},
	{apierror.AuthDomainNotProven.Err(), "The tenant hasn't proven the email domain, so email_verified can't be true. Add and verify the domain with tenants domains first."},
	{apierror.AuthDomainNotFound.Err(), "The tenant doesn't have this domain."},
	{apierror.AuthTooManyDomains.Err(), fmt.Sprintf("A tenant can have at most %d domains.", tenant.MaxDomains)},
	{apierror.AuthReplacesMismatch.Err(), "The client has another email domain or form of user names. Changing or removing it gives everyone another address or user name in the program. " +
		"To confirm it, name the value that clients list --json shows in --replaces-email-domain or --replaces-preferred-username."},
	{apierror.AuthPersonNotFound.Err(), "The tenant doesn't have this person."},
	{apierror.AuthNumberNotReported.Err(), "WhatsApp hasn't reported this number as the person's new number."},
	{apierror.AuthNumberTaken.Err(), "Another person of the tenant has the new number. Erase that person, or detach them from the number."},
}

var aClient = fmt.Sprintf("The type must be PUBLIC or CONFIDENTIAL, and the mode TEST or LIVE. A client needs 1 to %d redirect addresses. Each must use https. "+
	"The exceptions are http for this machine (127.0.0.1, [::1], localhost), http for a private network's address for TEST clients, and "+
	"a custom scheme that is a reversed domain name for PUBLIC clients. An address can contain only ASCII characters, and can't have a fragment, "+
	"a user name, a password, or * in its host. The port must be 1 to 65535, and the query can't contain code, state, iss, or error.", tenant.MaxRedirects)

const aDomain = "Specify a domain with at least two labels, such as people.example.com. It can't be an IP address or a public suffix such as co.uk, and can have at most 227 characters."

// inWordsOfOperators runs a verb and replaces its error by a refusal with the text of [refusals], if there is one.
func inWordsOfOperators(ctx context.Context, call func(context.Context) (any, error)) (any, error) {
	out, err := call(ctx)
	if err == nil {
		return out, nil
	}
	for _, r := range refusals {
		if errors.Is(err, r.of) {
			return nil, verb.Refuse("%s", strings.Replace(r.text, "%s", apierror.As(err, apierror.AuthInternal).Text(), 1))
		}
	}
	return out, err
}
