// Package resend is the driver of Resend, which takes e-mail over HTTP.
//
// Our reference goes along as the Idempotency-Key: for a day Resend answers a
// repeated request with what it answered the first time, so that an attempt with an
// unknown outcome may be made again. The reference stands in a tag too, which comes
// back with each event: that is how delivery, bounce and complaint find their
// message. Events are signed by the Standard Webhooks scheme, over the raw bytes,
// and checked before they are read.
package resend
