// Package alerts says what an account's owner ought to know: the day's quota is used to 80 or 100 percent, a sender can't
// send, the webhook endpoint is disabled, a payment has failed.
//
// [Service.List] looks at how things are now. [Service.Run] looks at all accounts twice a minute, stores an alert when it
// opens and when it is resolved, and mails each to the owner once. The alert's row is what makes it one mail, on any number
// of nodes: whoever wants to mail it claims it by a guarded UPDATE, and the mail's idempotency key is the row's. A mail that
// fails is sent again while the alert is open; an alert opens again only after it was resolved.
package alerts
