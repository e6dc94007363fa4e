// Package optout stores which recipients get no more messages from an account: people
// who answered STOP or unsubscribed, and mailboxes that bounced or complained.
// One-time codes are sent to them all the same.
package optout
