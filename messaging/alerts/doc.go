// Package alerts reports problems to an account's owner: 80 or 100 percent of the daily quota is used, a sender
// cannot send, the webhook endpoint is disabled, or a payment has failed.
//
// [Service.List] checks the current state. [Service.Run] checks all accounts twice a minute, stores an alert when it
// opens and when it is resolved, and mails each alert to the owner once. The alert's row ensures that there is only
// one mail, with any number of nodes: a node claims the mail with a conditional UPDATE, and the mail's idempotency
// key is the row's. If a mail fails, it is sent again while the alert is open. An alert opens again only after it was
// resolved.
package alerts
