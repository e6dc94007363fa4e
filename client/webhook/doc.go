// Package webhook verifies and reads the events that Griot posts to a webhook endpoint. An account receives events
// about messages, and a tenant receives events about logins.
//
// Signatures follow Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 of the ID, the timestamp, and
// the body. While a secret is being replaced, an event has two signatures, and one valid signature is enough. A
// [Verifier] can also use both secrets.
//
// An event is delivered at least once, and events can arrive in any order. Ignore events with an ID that you have
// already handled, and compare [MessageStatus.Sequence].
package webhook
