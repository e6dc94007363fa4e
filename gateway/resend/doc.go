// Package resend is the driver of Resend's email API.
//
// Our reference is the Idempotency-Key: for a day Resend answers a repeated request with
// its first answer, so that an attempt with an unknown outcome may be repeated. The
// reference is also a tag, which comes back with each event of delivery, bounce, and
// complaint. Events are signed by the Standard Webhooks scheme over the raw body, and
// checked before they are parsed.
package resend
