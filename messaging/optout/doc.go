// Package optout knows who wants no more messages from an account: people who
// answered STOP or unsubscribed, and mailboxes that bounced or complained.
// One-time codes go to them all the same.
package optout
