// Package events tells tenants what becomes of logins, if they want to be told.
//
// An event is an audit event that an application can act on, with the same id; it
// is written beside the change that it tells of, in the same transaction, with the
// body that will be delivered. Whether a login is told of is decided when it
// starts, from what is remembered of its client then: so a tenant without an
// endpoint costs nothing at any later step.
//
// What comes unasked over the internet says no more than the audit does, with one
// exception: who redeemed a code is told whose it was, as the token tells it.
// No code, token, secret or word of a login is in any event.
//
// How events come to the tenants' endpoints is the work of internal/webhook.
package events
