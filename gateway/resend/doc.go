// Package resend is the driver of Resend's email API.
//
// Our reference is the Idempotency-Key. For one day, Resend repeats its first response to a repeated request, so that
// an attempt with an unknown outcome can be repeated. The reference is also a tag, which is returned with each event
// about delivery, bounces, and complaints. Events are signed with the Standard Webhooks scheme over the raw body. The
// driver checks the signature before it parses an event.
package resend
