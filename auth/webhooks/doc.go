// Package webhooks writes the events of logins, for tenants that have an endpoint.
//
// An event is an audit event that an application can act on, with the same id. It is stored in the transaction of its
// change, with the body that will be delivered. Whether a login has events is decided when it starts, from the cached
// client, so that a tenant without an endpoint costs nothing at any later step.
//
// An event contains no more than the audit event, with one exception: the event of a redeemed code has the same data
// about the person as the token. No event contains a code, token, secret, or word of a login.
//
// internal/webhook delivers events to the tenants' endpoints.
package webhooks
