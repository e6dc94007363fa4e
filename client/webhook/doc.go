// Package webhook verifies the events that a Griot posts to an endpoint, and reads them: those of messages, which an account
// gets, and those of logins, which a tenant gets.
//
// Signatures are those of Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 of id, timestamp, and body. While
// a secret is being replaced an event has two signatures, and one that fits is enough; a [Verifier] can know both secrets too.
//
// An event is delivered at least once, and in no order: drop those whose id is known, and compare [MessageStatus.Sequence].
package webhook
